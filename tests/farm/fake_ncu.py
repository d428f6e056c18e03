"""A made-up gp_bench and ncu for tests of tools/quality.

FAKE_NCU: ok, permission (none for counters), metric (one is unknown). FAKE_ORDER: 1: ncu says which kernel it profiles;
late: after the program's own lines.
"""
import stat
import sys

# gp_bench: a cell "die" ends the process in its second library, "check" before its first line; "wrong" is wrong. A
# policy that was not compiled ahead takes too long; one with "bad" in it does not compile.
BENCH = """#!PYTHON -S
import json, os, sys
a = sys.argv
policies = [a[i + 1] for i, word in enumerate(a) if word == "--policy"]
here = os.path.dirname(os.path.abspath(a[0]))
compiled = os.path.join(here, "compiled")
if "--compile" in a:
    cell, good = sys.stdin.readline().strip(), [p for p in policies if "bad" not in p]
    for p in policies:
        if p not in good: print(cell + ": GP_E_COMPILE: " + p, file=sys.stderr)
    with open(compiled, "a") as file: file.write("".join(p + "\\n" for p in good))
    default = "--no-default" not in a
    print("compiled %d of %d, %d failed, 0.1 s" % (len(good) + default, len(policies) + default,
                                                  len(policies) - len(good)))
    sys.exit(0)
out, profile = open(a[a.index("--out") + 1], "a"), "--profile" in a
def say(**line):
    out.write(json.dumps(line) + "\\n"); out.flush()
say(kind="environment", device="Made-up 1", compute_capability=90, multiprocessors=100, date="2026-11-28T00:00:00Z")
known = open(compiled).read().split() if os.path.exists(compiled) else []
ready = [p for p in policies if p in known]
if profile and "copy u32 n=64K" in (cells := [line.strip() for line in sys.stdin]) and policies: sys.exit(3)
if not profile: cells = [line.strip() for line in sys.stdin]
if any("bad" not in p for p in policies if p not in known): os._exit(9)
mark, report, order = 0, os.environ.get("FAKE_REPORT"), os.environ.get("FAKE_ORDER", "")
kernels = open(report, "a") if report else None
number = 0
def launch(name, grid):
    global number
    kernels.write(json.dumps([name, grid, 3000]) + "\\n"); kernels.flush()
    if order and name != "gp_profile_mark" or order == "1":
        print('==PROF== Profiling "%s" - %d: 0%%....100%% - %s passes' % (name, number, os.environ["FAKE_PASSES"]),
              flush=True)
    number += 1
for cell in cells:
    if "check" in cell: os._exit(9)
    for library, policy in [("gpuprims", ""), *(("gpuprims", p) for p in ready), ("cub", "")]:
        if library == "cub" and "none" in a: continue
        status = "WRONG 3 of 5" if "wrong" in cell and library == "gpuprims" else "ok"
        if profile:
            mark += 1
            line = dict(kind="profile", mark=mark, cell=cell, library=library, policy=policy)
            if status == "ok":
                say(**line, status="started")
                print("mark %d: %s [%s] started" % (mark, cell, library), flush=True)
                if "die" in cell and library == "cub": os._exit(7)
                if order == "late": print("mark %d: %s [%s] ok" % (mark, cell, library), flush=True)
                if kernels:
                    if "--unmarked" not in a: launch("gp_profile_mark", mark)
                    for k in range(2 if library == "cub" else 1): launch(library + "_kernel", 100)
            say(**line, status=status)
            print("mark %d: %s [%s] %s" % (mark, cell, library, status), flush=True)
        else:
            line = dict(kind="sample", cell=cell, primitive="reduce", n=5, bytes=20, status=status,
                        label=policy or "default")
            line["variant"] = "ours" if library == "gpuprims" else "peer"
            if library == "cub": line["label"] = "cub"
            if status == "ok": line["median_us"] = 3.5 if library == "gpuprims" else 8.0
            say(**line)
"""
# ncu: runs gp_bench, which leaves its kernels beside the report; --import prints them.
NCU = """#!PYTHON -S
import json, os, subprocess, sys
a, mode = sys.argv, os.environ.get("FAKE_NCU", "ok")
if "--query-metrics" in a:
    print("Device Made-up 1"); sys.exit(0)
if "--import" in a:
    names = ["gpu__time_duration.sum", "dram__bytes.sum.pct_of_peak_sustained_elapsed", "launch__registers_per_thread"]
    lines = open(a[a.index("--import") + 1]).read().splitlines()
    launch_only = lines.pop(0) == "launch"
    print(",".join(json.dumps(x) for x in ["ID", "Kernel Name", "Block Size", "Grid Size", "CC"] + names))
    print(",".join(json.dumps(x) for x in ["", "", "", "", "", "ns", "%", "register/thread"]))
    for i, line in enumerate(lines):
        name, grid, ns = json.loads(line)
        values = ["", "", "32"] if launch_only else [str(ns), "90", "32"]
        print(",".join('"%s"' % x for x in [i, name, "(256, 1, 1)", "(%d, 1, 1)" % grid, "9.0"] + values))
    sys.exit(0)
report = a[a.index("--export") + 1]
counts = "--metrics" in a
if mode == "permission" and counts:
    print("==ERROR== ERR_NVGPUCTRPERM - no permission"); sys.exit(1)
if mode == "metric" and "dram__bytes.sum," in a[a.index("--metrics") + 1] + ",":
    print("==ERROR== Failed to find metric dram__bytes.sum"); sys.exit(1)
open(report, "w").write("counters\\n" if counts else "launch\\n")
passes = "12" if "WarpStateStats" in a else "6"
sys.exit(subprocess.run(a[a.index("--export") + 2:],
                        env={**os.environ, "FAKE_REPORT": report, "FAKE_PASSES": passes}).returncode)
"""


def install(folder):
    """Writes gp_bench and ncu to the folder."""
    for name, text in (("gp_bench", BENCH), ("ncu", NCU)):
        path = folder / name
        path.write_text(text.replace("PYTHON", sys.executable))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
