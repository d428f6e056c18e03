"""Measurements through one interface: live, replayed, or synthetic.

    Source.measure(cell, policies, rounds, batch_us, process=0, phase="confirm", give_up=0, ...) -> results

A result is a dictionary: status, policy (echoed), source, calls, us (a list), message: the fields of the protocol's
`variant` (README.md). Live starts a worker and talks to it, Replay reads a store, Synthetic invents times. The last two
are also workers, for gp_tune --worker-command:

    python3 -m tools.farm.measure --synthetic MODEL.json | --replay STORE      [--device K] [--side base|new]
    python3 -m tools.farm.measure --compiler ...                               for gp_tune --compiler-command

A model is JSON with any of the keys of MODEL; a fault is a list of patterns such as "threads=128|256,vectors=1".
"""
import argparse
import functools
import hashlib
import json
import math
import os
import random
import signal
import subprocess
import sys
import time

from tools.farm import cell_keys, noise, store

RESULT = {"status": "", "policy": "", "source": "", "calls": 0, "us": (), "message": ""}
CLOCKS = {"sm_mhz": (0, 0), "memory_mhz": 0, "celsius": 0, "milliwatts": 0, "throttle": 0, "gpu_us": 0.0}


class Lost(Exception):
    """The device is gone, or a recording lacks a request: nothing more can be measured."""


class Source:
    """ready: the fields of the protocol's message. clocks: those of the last job's `done`."""

    def __init__(self, ready):
        self.ready, self.clocks = ready, dict(CLOCKS)

    def measure(self, cell, policies, rounds, batch_us, process=0, phase="confirm", give_up=0, job="", begin=None):
        """Calls begin(k) before variant k first runs."""
        raise NotImplementedError


# ---- messages --------------------------------------------------------------------------------------------------------


def message(word, fields):
    values = ((name, ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value)
              for name, value in fields.items())
    return "\t".join([word] + [f"{name}={value}".translate({9: " ", 10: " ", 13: " "}) for name, value in values])


def parse(line):
    word, *fields = line.rstrip("\r\n").split("\t")
    return word, dict(field.split("=", 1) for field in fields if "=" in field)


# ---- live ------------------------------------------------------------------------------------------------------------


class Live(Source):
    """A worker process; command: a list, such as ["build/gp_tune", "--worker"]."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        super().__init__(self.hear("ready"))

    def hear(self, *words):
        """The fields of the next message that is one of `words`."""
        for line in self.process.stdout:
            word, fields = parse(line)
            if word == "fatal":
                raise Lost(fields.get("message", ""))
            if word in words:
                return {"word": word, **fields} if len(words) > 1 else fields
        raise Lost(f"the worker ended with status {self.process.wait()}")

    def measure(self, cell, policies, rounds, batch_us, process=0, phase="confirm", give_up=0, job="", begin=None):
        head = {"id": job or "0", "cell": cell, "rounds": rounds, "batch_us": batch_us, "give_up": give_up,
                "phase": phase, "process": process, "variants": len(policies)}
        lines = [message("measure", head)] + [message("variant", {"policy": policy}) for policy in policies]
        self.process.stdin.write("\n".join(lines) + "\n")
        self.process.stdin.flush()
        results = [dict(RESULT) for _ in policies]
        while True:
            heard = self.hear("begin", "variant", "done")
            if heard["word"] == "begin" and begin:
                begin(int(heard["variant"]))
            if heard["word"] == "variant":
                result = {name: heard.get(name, "") for name in RESULT}
                result["us"] = [float(number) for number in heard.get("us", "").split(",") if number]
                result["calls"] = int(heard.get("calls") or 0)
                results[int(heard["variant"])] = result
            if heard["word"] == "done":
                self.clocks = {name: heard.get(name, value) for name, value in CLOCKS.items()}
                return results

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ready_of(command):
    """The worker's device: the fields of its first message. Raises Lost with the reason if there is none."""
    try:
        worker = Live(command)
        worker.process.stdin.write("quit\n")
        worker.close()
    except OSError as error:
        raise Lost(str(error)) from error
    return worker.ready


# ---- replay ----------------------------------------------------------------------------------------------------------


class Replay(Source):
    """Replays a store: its last environment; for a regression's store, that of a side. There a process replays its
    side's process of the same pair, because chance decides which side is first. A missing key is an error; in a search,
    which asks for more when it has more time, it is an invalid policy."""

    def __init__(self, path, side="new"):
        self.path, recorded = path, store.read(path)
        environments = recorded.of("environment")
        if not environments:
            raise Lost(f"{path}: no line with an environment")
        pairs = recorded.of("pair")
        self.pairs = [pair["processes"][side == "new"] for pair in pairs]
        ours = {pair["base" if side == "base" else "env"] for pair in pairs} or {environments[-1]["id"]}
        environments = [one for one in environments if one["id"] in ours]
        names = ("device", "compute_capability", "multiprocessors", "memory_bytes", "l2_bytes", "ecc", "driver",
                 "nvrtc", "peak_gbs", "clocks", "header")
        super().__init__({**{name: environments[-1].get(name, "") for name in names}, "bus": "", "source": "replay"})
        self.by_job, self.by_key = {}, {}
        for sample in recorded.of("samples"):
            if sample["env"] in ours:
                policy = "default" if sample["variant"] == "default" else store.policy_text(sample["policy"])
                key = (sample["phase"], sample["process"], store.cell_of(sample).text, policy)
                self.by_key[key] = self.by_job[sample.get("job"), policy] = sample

    def measure(self, cell, policies, rounds, batch_us, process=0, phase="confirm", give_up=0, job="", begin=None):
        results = []
        if phase == "regress" and process // 2 < len(self.pairs):
            process = self.pairs[process // 2]
        for policy in policies:
            key = (phase, process, cell, policy)
            sample = self.by_job.get((job, policy)) or self.by_key.get(key)
            if sample is None and phase in ("search", "matrix"):  # that night ended before
                results.append({**RESULT, "status": "invalid", "policy": policy if policy != "default" else "",
                                "message": f"{self.path} has no sample of it"})
                continue
            if sample is None:
                raise Lost(f"{self.path}: no sample of phase {phase}, process {process}, {cell}, {policy}")
            results.append({"status": sample["status"], "policy": store.policy_text(sample["policy"]),
                            "source": sample["policy_source"], "calls": sample.get("calls", 0), "us": sample["us"],
                            "message": sample.get("message", "")})
            self.clocks = {name: sample.get(name, value) for name, value in CLOCKS.items()}
        self.clocks["gpu_us"] = sum(sum(result["us"]) * result["calls"] for result in results)
        return results

    def compiled(self, policy, cell):
        """A compiler process's answer, from any sample of this cell and policy."""
        sample = next((sample for (_, _, text, name), sample in self.by_key.items() if (text, name) == (cell, policy)),
                      None)
        found = sample or {"status": "compile", "message": f"{self.path}: no sample of {cell}, {policy}"}
        status = found["status"] if found["status"] in ("invalid", "compile") else "ok"
        return {"status": status, "code": found.get("code", ""), "registers": found.get("registers", 0),
                "local_bytes": 0, "shared_bytes": 0, "occupancy": 1, "image_bytes": 0, "ms": 0,
                "message": found.get("message", "") if status != "ok" else ""}


# ---- made up ---------------------------------------------------------------------------------------------------------

NAMES = "algorithm={},threads={},vectors={},load={},store={},stages={},blocks_per_sm={},overlap=1"
MAP = NAMES.format("DIRECT", 256, 1, "ALL", "ALL", 0, 0)
SCAN = NAMES.format("LOOK_BACK", 256, 5, "ALL", "ALL", 3, 6)
REDUCE = NAMES.format("EVEN_SHARE", 512, 4, "STREAMING", "ALL", 0, 4)
FIND = NAMES.format("STEALING", 512, 4, "STREAMING", "ALL", 0, 4)
STREAM = NAMES.format("LOOK_BACK", 256, 3, "ALL", "ALL", 3, 4)
SEGMENTS = NAMES.format("MERGE_PATH", 256, 3, "ALL", "ALL", 0, 4)
HISTOGRAM = NAMES.format("SHARED_BINS", 512, 4, "ALL", "ALL", 0, 2)
SORT = NAMES.format("ONE_SWEEP", 256, 4, "ALL", "ALL", 1, 2)
MERGES = NAMES.format("MERGE_PASSES", 256, 4, "ALL", "ALL", 0, 2)
MERGE = NAMES.format("MERGE_PATH", 256, 4, "ALL", "ALL", 0, 2)
TOP_K = NAMES.format("RADIX_SELECT", 256, 4, "ALL", "ALL", 0, 2)
SEGMENTED_SORT = NAMES.format("SIZE_CLASSES", 256, 4, "ALL", "ALL", 0, 2)
TRANSPOSE = NAMES.format("PADDED_TILES", 256, 1, "ALL", "ALL", 8, 0)
ROWS = NAMES.format("EVEN_SHARE", 256, 4, "STREAMING", "ALL", 0, 4)
RESIDENT = NAMES.format("DIRECT", 256, 1, "ALL", "ALL", 0, 1)
GRAPH = (NAMES.format("EXPAND_CONTRACT", 1024, 2, "ALL", "ALL", 0, 1).replace("overlap=1", "overlap=2") +
         ",alpha=16,beta=2,small=1024,look=128,gather=7,cull=7,cluster=1")
MODEL = {
    "device": "Synthetic GPU", "compute_capability": 90, "multiprocessors": 132, "memory_bytes": 1 << 36,
    "l2_bytes": 50 << 20, "ecc": "no", "driver": "0", "nvrtc": "0", "bus": "synthetic", "clocks": "yes",
    "header": "0" * 16, "peak_gbs": 4000,
    "seed": 1,          # of the landscape and of the noise
    "launch_us": 2.0,   # cost that no policy avoids
    "compile_us": 6e4,  # of a first call
    "compilers": [],    # {"cells": beginning of a cell's text, "seconds": wall time of each of their kernels}
    "weight": 0.04,     # relative cost of a field that is a factor of 2 off its best value
    "spread": 0.12,     # largest relative cost of a name (algorithm, load, store)
    "defaults": {**{name: {"map": MAP, "reduce": REDUCE, "find": FIND, "scan": SCAN, "stream": STREAM,
                           "segments": SEGMENTS, "histogram": HISTOGRAM, "sort": SORT, "merge": MERGE,
                           "segmented_sort": SEGMENTED_SORT, "top_k": TOP_K, "transpose": TRANSPOSE, "rows": ROWS,
                           "graph": GRAPH}[family]
                    for name, family in store.primitives().items()}, "merge_sort": MERGES,
                 **dict.fromkeys(("lower_bound", "upper_bound", "group_by", "graph_from_edges",
                                  "connected_components"), RESIDENT)},
    "power": [],        # {"policy": pattern, "factor": 1.05}: of a call's energy over its time
    "slower": [],       # {"cells": beginning of a cell's text, "policy": pattern, "factor": 1.05}, with either or both
    "noise": {},        # keys of noise.QUIET
    "constant_us": 0,   # above 0: every time equals this
    "seconds_per_job": 0,  # of wall time, for tests that interrupt
    "gone_after_jobs": -1,  # calls until the device disappears
    # patterns of policies, or "default"
    "hang": [], "crash": [], "runtime": [], "wrong": [], "invalid": [], "compile": [],
    "echo": [],         # {"policy": pattern, "says": "vectors=1"}: another policy runs than the requested one
    # faults of compilers only
    "spill": [], "compiler_hang": [], "compiler_crash": [], "unread_fields": [],
}
# Range of a field's best value, as a binary logarithm.
BEST = {"threads": (7.5, 9.5), "vectors": (0.7, 3.0), "stages": (1.6, 2.5), "blocks_per_sm": (1.0, 2.8),
        "alpha": (3.0, 5.0), "small": (8.5, 10.5), "look": (6.0, 8.0)}
UNLIMITED_BLOCKS = 8         # blocks_per_sm=0: a block a tile
VECTORS_IN_FLIGHT = 1024     # a multiprocessor: with fewer, memory waits
ONE_BLOCK_BYTES = 1 << 16    # bytes that one block moves as fast as all do
THERMAL_SLOWDOWN = 0x40      # nvmlClocksThrottleReasonHwThermalSlowdown


def matches(policy, pattern):
    """policy: fields by name. pattern: "field=value|value,..."."""
    return all(str(policy.get(name)) in values.split("|")
               for name, values in (part.split("=", 1) for part in pattern.split(",")))


def is_meant(policy, fields, pattern):
    return pattern in (None, policy) or (pattern != "default" and matches(fields, pattern))


def number_of(*what):
    """A 64-bit number that depends only on its arguments."""
    return int.from_bytes(hashlib.blake2b("|".join(map(str, what)).encode(), digest_size=8).digest(), "little")


def share_of(*what):
    return number_of(*what) / 2**64


class Synthetic(Source):
    def __init__(self, model, device=0):
        unknown = sorted(set(model) - set(MODEL))
        if unknown:
            raise ValueError(f"model: unknown key {', '.join(unknown)}; the keys are {', '.join(sorted(MODEL))}")
        self.model = {**MODEL, **model, "defaults": {**MODEL["defaults"], **model.get("defaults", {})}}
        names = ("device", "compute_capability", "multiprocessors", "memory_bytes", "l2_bytes", "ecc", "driver",
                 "nvrtc", "clocks", "header", "peak_gbs")
        super().__init__({**{name: self.model[name] for name in names}, "bus": f"{self.model['bus']}:{device}",
                          "board": hashlib.sha256(f"{self.model['bus']}:{device}".encode()).hexdigest()[:16],
                          "source": "synthetic"})
        noise.complete(self.model["noise"])
        self.rounds_done = self.jobs_done = 0
        self.cost = functools.cache(self.field_cost)

    def resolved(self, cell, policy):
        return self.model["defaults"][cell.split()[0]] if policy == "default" else policy

    def fault(self, kind, policy, fields):
        return any(is_meant(policy, fields, pattern) for pattern in self.model[kind])

    def field_cost(self, group, name, value, log2_bytes):
        """Smooth in numbers, with a best value that moves with the size; each name has its own cost."""
        seed = self.model["seed"]
        if not isinstance(value, int):
            return self.model["spread"] * share_of(seed, group, name, value)
        low, high = BEST.get(name, (0.0, 2.0))
        best = low + (high - low) * share_of(seed, group, name) + 0.05 * (log2_bytes - 21)
        held = UNLIMITED_BLOCKS if name == "blocks_per_sm" and value == 0 else max(value, 1)
        return self.model["weight"] * (math.log2(held) - min(max(best, low), high)) ** 2

    def expected_us(self, cell, policy):
        """The time without noise: a launch, plus bytes at the roof's speed times the cost of the policy's fields."""
        words = cell.split()
        kind = next(word for word in words[1:] if not word.isupper())
        count = int(next(word[2:] for word in words if word.startswith("n=")))
        fields = store.policy_of(self.resolved(cell, policy))
        if self.model["constant_us"]:
            return float(self.model["constant_us"])
        size = 4 if words[0] == "kernel" else store.type_sizes()[kind]
        moved = count * size * (1 if words[0] in ("reduce", "fill", "iota") else 2)
        us, log2_bytes = moved / self.model["peak_gbs"] / 1e3, round(math.log2(moved), 3)
        us *= 1 + sum(self.cost(f"{words[0]} {kind}", name, value, log2_bytes) for name, value in fields.items())
        if words[0] != "kernel":  # only its author understands its fields
            in_flight = fields["threads"] * fields["vectors"] * (fields["blocks_per_sm"] or UNLIMITED_BLOCKS)
            us *= math.sqrt(max(1.0, VECTORS_IN_FLIGHT / in_flight))
        if fields.get("algorithm") == "ONE_BLOCK":
            us *= min(max(1.0, moved / ONE_BLOCK_BYTES), self.model["multiprocessors"])
        if words[-1] == "protocol=first_call":
            us += self.model["compile_us"] * (1 + share_of(self.model["seed"], "compile", words[0]))
        for slower in self.model["slower"]:
            if cell.startswith(slower.get("cells", "")) and is_meant(policy, fields, slower.get("policy")):
                us *= slower["factor"]
        return self.model["launch_us"] + us

    def noisy(self, cell, policy, rounds, process, job):
        """Times of the rounds: equal questions get equal answers, in any order."""
        model, seed = self.model["noise"], self.model["seed"]
        level = noise.level_of_a_process(random.Random(number_of(seed, process, cell, policy)), model)
        scatter = noise.rounds_of_a_process(random.Random(number_of(seed, process, cell, policy, job)), rounds, model,
                                            self.rounds_done)
        expected = self.expected_us(cell, policy)
        return [expected * math.exp(level + log) for log in scatter]

    def variant(self, cell, policy, rounds, process, job):
        text = self.resolved(cell, policy)
        fields = store.policy_of(text)
        says = {**fields, **{name: value for echo in self.model["echo"] if matches(fields, echo["policy"])
                             for name, value in store.policy_of(echo["says"]).items()}}
        source = "portable" if policy == "default" else "caller"
        result = {**RESULT, "policy": store.policy_text(says), "source": source}
        if self.fault("hang", policy, fields):
            time.sleep(1e6)
        if self.fault("crash", policy, fields):
            os.kill(os.getpid(), signal.SIGKILL)
        for status in ("invalid", "compile", "wrong", "runtime"):
            if self.fault(status, policy, fields):
                return {**result, "status": status, "message": f"made up: {status}"}
        return {**result, "status": "ok", "us": self.noisy(cell, store.policy_text(says) if says != fields else policy,
                                                           rounds, process, job)}

    def by_objective(self, cell, policy, times, objective):
        """What a worker gives in place of times: microjoules a call, of 300 W, or times microseconds."""
        if not objective:
            return times
        fields, watts = store.policy_of(self.resolved(cell, policy)), 300.0
        for more in self.model["power"]:
            watts *= more["factor"] if is_meant(policy, fields, more["policy"]) else 1
        return [us * watts * (us if objective == "edp" else 1) for us in times]

    def measure(self, cell, policies, rounds, batch_us, process=0, phase="confirm", give_up=0, job="", begin=None,
                objective=""):
        if self.jobs_done == self.model["gone_after_jobs"]:
            raise Lost("made up: the device does not answer")
        time.sleep(self.model["seconds_per_job"])
        results, best, gpu_us = [], math.inf, 0.0
        rounds = 1 if cell.endswith("protocol=first_call") else rounds
        for number, policy in enumerate(policies):
            if begin:
                begin(number)
            result = self.variant(cell, policy, rounds, process, job)
            results.append(result)
            if result["status"] == "runtime":
                return results
            if result["status"] == "ok":
                times = [round(us, 4) for us in self.by_objective(cell, policy, result["us"], objective)]
                best = min(best, times[0])
                result["us"] = times[:1] if give_up and times[0] > give_up * best else times
                result["calls"] = max(1, round(batch_us / times[0])) if times[0] else 1
                gpu_us += sum(result["us"]) * result["calls"]
        throttle = noise.complete(self.model["noise"])["throttle"]
        slowed = bool(throttle) and throttle[0] < self.rounds_done + rounds and self.rounds_done < throttle[1]
        self.clocks = {"sm_mhz": (1980, 1200 if slowed else 1980), "memory_mhz": 3201, "celsius": 50,
                       "milliwatts": 300000, "throttle": THERMAL_SLOWDOWN if slowed else 0, "gpu_us": round(gpu_us, 1)}
        self.rounds_done += rounds
        self.jobs_done += 1
        return results

    def compiled(self, policy, cell):
        """The answer of a compiler process."""
        fields = store.policy_of(self.resolved(cell, policy))
        if self.fault("compiler_hang", policy, fields):
            time.sleep(1e6)
        time.sleep(sum(one["seconds"] for one in self.model["compilers"] if cell.startswith(one["cells"])))
        if self.fault("compiler_crash", policy, fields):
            os.kill(os.getpid(), signal.SIGKILL)
        status = next((status for status in ("compile", "invalid") if self.fault(status, policy, fields)), "ok")
        read = {name: value for name, value in fields.items() if name not in self.model["unread_fields"]}
        return {"status": status, "code": f"{number_of(cell.split(' n=')[0], store.policy_text(read)):016x}",
                "registers": 32, "local_bytes": 128 if self.fault("spill", policy, fields) else 0, "shared_bytes": 0,
                "occupancy": max(1, min(32, 2048 // fields["threads"])), "image_bytes": 4096, "ms": 1,
                "message": "" if status == "ok" else f"made up: {status}"}


# ---- the worker ------------------------------------------------------------------------------------------------------


def say(word, fields):
    sys.stdout.write(message(word, fields) + "\n")
    sys.stdout.flush()


def serve(source):
    """Speaks the protocol until the input ends; exit status."""
    say("ready", source.ready)
    for line in sys.stdin:
        word, fields = parse(line)
        if word == "quit":
            break
        if word != "measure":
            print(f"worker: no message {word}", file=sys.stderr)
            continue
        start, job = time.monotonic(), fields["id"]
        policies = [parse(sys.stdin.readline())[1].get("policy", "") for _ in range(int(fields["variants"]))]
        results = source.measure(fields["cell"], policies, int(fields["rounds"]), float(fields["batch_us"]),
                                 int(fields.get("process", 0)), fields.get("phase", ""), float(fields["give_up"]), job,
                                 lambda number, job=job: say("begin", {"id": job, "variant": number}),
                                 **({"objective": fields["objective"]} if "objective" in fields else {}))
        for number, result in enumerate(results):
            if result["status"] != "ok" or len(results) == len(policies):
                sys.stdout.write(message("variant", {"id": job, "variant": number, **result}) + "\n")
        if any(result["status"] == "runtime" for result in results):
            sys.stdout.flush()
            return 4
        say("done", {"id": job, **source.clocks, "wall_us": round((time.monotonic() - start) * 1e6, 1)})
    return 0


def serve_compiler(source):
    for line in sys.stdin:
        word, fields = parse(line)
        if word == "compile":
            say("compiled", {"id": fields["id"], **source.compiled(fields["policy"], fields["cell"])})
    return 0


def worker_main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm worker", description="a worker that needs no GPU")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--synthetic", metavar="MODEL.json", help="makes measurements up")
    which.add_argument("--replay", metavar="STORE", help="gives back what a store has")
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--side", choices=("base", "new"), default="new", help="with --replay: of a regression's store")
    parser.add_argument("--compiler", action="store_true", help="a compiler process")
    options = parser.parse_args(argv)
    try:
        if options.synthetic:
            with open(options.synthetic, encoding="utf-8") as file:
                source = Synthetic(json.load(file), options.device)
        else:
            source = Replay(options.replay, options.side)
        return serve_compiler(source) if options.compiler else serve(source)
    except (Lost, store.StoreError, OSError, ValueError) as error:
        say("fatal", {"message": error})
        return 3


if __name__ == "__main__":
    STATUS = worker_main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(STATUS)  # a worker leaves nothing: the interpreter's exit would cost a fifth of a short one's time
