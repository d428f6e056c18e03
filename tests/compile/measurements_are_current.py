"""The tables of README.md and docs/ follow from ci/measurements: tools/measurements.py, tools/speed_tables.py."""
import os
import subprocess
import sys

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools")
PROGRAMS = ("measurements.py", "speed_tables.py")
failed = sum(subprocess.run([sys.executable, os.path.join(TOOLS, name), "--check"]).returncode != 0
             for name in PROGRAMS)
print("%d passed, %d failed, 0 skipped" % (len(PROGRAMS) - failed, failed))
sys.exit(failed > 0)
