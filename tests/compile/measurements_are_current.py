"""The tables of docs/speed.md are what tools/measurements.py makes of ci/measurements."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "measurements.py"), "--check"])
print("%d passed, %d failed, 0 skipped" % (done.returncode == 0, done.returncode != 0))
sys.exit(done.returncode)
