"""docs/many-gpus.md is what tools/world_model.py makes of the measurements."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_the_page_is_current():
    done = subprocess.run([sys.executable, "tools/world_model.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "tools/world_model.py"
