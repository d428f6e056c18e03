"""Programs below tools/ that no other test builds compile without warnings."""
import os
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT_BY_TESTS = ("gp_bench.c", "gp_bfs.c", "gp_bundle.c", "gp_graph.c")
TOOLS = sorted(name for name in os.listdir(os.path.join(ROOT, "tools"))
               if name.endswith((".c", ".cpp")) and name not in BUILT_BY_TESTS)


@pytest.mark.parametrize("name", TOOLS)
def test_compiles(name):
    compiler = [os.environ.get("CC", "cc"), "-std=gnu11"] if name.endswith(".c") else \
        [os.environ.get("CXX", "c++"), "-std=gnu++17"]
    subprocess.run([*compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I.", "-Itools", f"tools/{name}"],
                   cwd=ROOT, check=True)
