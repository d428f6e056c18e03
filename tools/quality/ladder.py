"""python3 -m tools.quality.ladder: counters of the kernels of examples/ladder (Harris's steps) by Nsight Compute.

    --seconds 120     for ncu
    --out FOLDER      default: ci/measurements/<device>
    --show FILE       the table of a file measured before

The file holds, of each kernel: thread instructions an element (Back40's Figures 4 and 5 compare such); shared memory's
bank conflicts and wavefronts; sectors of a request for global memory; and how evenly the slices of the L2 cache and
the channels of memory are used: the busiest by the mean, 1 where all are (partition camping).

Without ncu, or where it may not count, the program says so and writes nothing (exit status 4).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

from tools import bench
from tools.quality import reports

COUNTERS = {"instructions": "smsp__thread_inst_executed.sum", "nanoseconds": "gpu__time_duration.sum",
            "conflicts_loads": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
            "conflicts_stores": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
            "wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
            "load_sectors": "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
            "store_sectors": "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
            "slice_mean": "lts__t_sectors.avg", "slice_most": "lts__t_sectors.max",
            "channel_mean": "dram__bytes.avg", "channel_most": "dram__bytes.max"}
NAMES = "regex:^(reduce_|transpose_|floats_|float3_|read_)"
PROGRAM = os.path.join(bench.BUILD, "examples", "ladder", "ladder")


class Failed(Exception):
    """Nothing was counted; the text says why."""


def counted_of(output):
    """[(family, elements, width, name, kernel, launches)] of the lines that ladder --counters prints."""
    return [(family, int(elements), int(width), name, kernel, int(launches)) for family, elements, width, name, kernel,
            launches in re.findall(r"^counted\t(\w+)\t(\d+)\t(\d+)\t([^\t]+)\t(\w+)\t(\d+)\t\d+$", output, re.M)]


def ratio(values, most, mean):
    return values[most] / values[mean] if values.get(most) is not None and values.get(mean) else None


def kernels_of(counted, kernels):
    """Counters of each rung's first launch, the largest. The kernels follow each other as the rungs do."""
    found, at = [], 0
    for family, elements, width, name, kernel, launches in counted:
        own = kernels[at:at + launches]
        at += launches
        if len(own) < launches or any(not one["name"].startswith(kernel) for one in own):
            raise Failed(f"ncu's kernels do not follow the program's: {kernel} was expected")
        values = {key: own[0]["raw"].get(metric) for key, metric in COUNTERS.items()}
        whole = [one["raw"].get(COUNTERS["instructions"]) for one in own]
        found.append({"family": family, "elements": elements, "width": width, "name": name, "kernel": kernel,
                      **{key: values[key] for key in COUNTERS if not key.startswith(("slice_", "channel_"))},
                      "instructions_an_element": None if None in whole else sum(whole) / elements,
                      "slices": ratio(values, "slice_most", "slice_mean"),
                      "channels": ratio(values, "channel_most", "channel_mean")})
    return found


def command_of(ncu, metrics):
    return [ncu, "--csv", "--page", "raw", "--print-units", "base", "-k", NAMES, "--metrics", ",".join(metrics),
            PROGRAM, "--counters"]


def run(ncu, seconds):
    """The output of the program under ncu: metrics that it does not know are left out."""
    metrics, end = list(COUNTERS.values()), time.monotonic() + seconds
    while metrics:
        left = end - time.monotonic()
        try:
            done = subprocess.run(command_of(ncu, metrics), cwd=bench.ROOT, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=max(left, 1), check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"the time ran out after {seconds:.0f} s (--seconds)") from None
        except OSError as error:
            raise Failed(str(error)) from None
        output = done.stdout.decode(errors="replace")
        unknown = [metric for metric in metrics if re.search(rf"[Ff]ailed to find metric.*{re.escape(metric)}", output)]
        if not unknown:
            return output
        metrics = [metric for metric in metrics if metric not in unknown]
    raise Failed("ncu knows none of the metrics")


def measured(ncu, seconds):
    output = run(ncu, seconds)
    counted = counted_of(output)
    if not counted:
        raise Failed(output.strip().splitlines()[-1] if output.strip() else "the program said nothing")
    lines = [line for line in output.splitlines() if not line.startswith("counted\t")]
    try:
        return kernels_of(counted, reports.read_csv("\n".join(lines)))
    except reports.ReportError as error:
        raise Failed(str(error)) from None


def number(value, form):
    return "-" if value is None else format(value, form)


def table(found):
    lines = [found["device"], f"{'family':10} {'elements':>9} {'step':13} {'inst/el':>8} {'conflicts':>10} "
             f"{'wavefronts':>10} {'ld':>5} {'st':>5} {'slices':>6} {'channels':>8}"]
    for one in found["kernels"]:
        conflicts = None if one["conflicts_loads"] is None else one["conflicts_loads"] + (one["conflicts_stores"] or 0)
        lines.append(f"{one['family']:10} {one['elements']:9} {one['name']:13} "
                     f"{number(one['instructions_an_element'], '8.2f'):>8} {number(conflicts, '10.0f'):>10} "
                     f"{number(one['wavefronts'], '10.0f'):>10} {number(one['load_sectors'], '5.1f'):>5} "
                     f"{number(one['store_sectors'], '5.1f'):>5} {number(one['slices'], '6.2f'):>6} "
                     f"{number(one['channels'], '8.2f'):>8}")
    return "\n".join(lines)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python3 -m tools.quality.ladder", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--out", metavar="FOLDER")
    parser.add_argument("--show", metavar="FILE")
    args = parser.parse_args(argv)
    if args.show:
        with open(args.show, encoding="utf-8") as file:
            print(table(json.load(file)))
        return 0
    if not bench.has_gpu():
        print("tools.quality.ladder: no GPU here: nothing was counted", file=sys.stderr)
        return bench.NO_GPU
    ncu = reports.find_ncu()
    if not ncu:
        print("tools.quality.ladder: no ncu (Nsight Compute): nothing was counted", file=sys.stderr)
        return bench.NO_GPU
    bench.run(["make", "-s", PROGRAM.replace(bench.ROOT + os.sep, "")])
    try:
        kernels = measured(ncu, args.seconds)
    except Failed as error:
        print(f"tools.quality.ladder: {error}", file=sys.stderr)
        return bench.NO_GPU
    found = {"device": device_name(), "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "kernels": kernels}
    print(table(found))
    print(f"written to {write(found, args.out)}")
    return 0


def device_name():
    done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], stdout=subprocess.PIPE,
                          check=False)
    return done.stdout.decode().splitlines()[0].strip() if done.stdout.strip() else "GPU"


def write(found, folder=None):
    from tools.farm import online
    folder = folder or os.path.join(bench.ROOT, "ci", "measurements", bench.folder_name(found["device"]))
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, bench.file_stem(found["date"][:10], "ladder_counters", online.commit_of() or "")
                        + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    return path


if __name__ == "__main__":
    sys.exit(main())
