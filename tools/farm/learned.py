"""What users' programs learned about library calls (gp_tuning_report): candidates for a tune.

    python3 -m tools.farm tuner FILE... --store STORE         lines of a store
    python3 -m tools.farm tune --learned STORE                measures the candidates, confirms them, decides

A program's times are lines of phase `search` and protocol `program`, a process a FILE. As with the search's own
lines, no decision reads these times: the program's caches are unknown, its outputs are not verified, its clocks were
not seen, and it measured neither the other types nor the other calls that a row would serve. The lines name cells and
policies. `tune --learned` measures those in its matrix, and goes on as after a search.

Left out and counted: calls with users' types or operators, with flags, or of a kind that no cell describes. Cells also
have words about data (segments, runs, bins), which a report lacks: they have those of the standard list.
"""
import collections
import gzip
import hashlib
import json
import math
import os
import re
import statistics
import time

from tools.farm import cell_keys, evidence, propose, standard, store
from tools.farm.tuner import CALL, NAMES, Damaged, is_int

BEST = 4    # candidates of a call in a bucket
MOST = 32   # of a group
MAY_DIFFER, NOISES = 0.02, 3  # the incumbent by name from the default; in standard errors
IN_GRAPHS_UP_TO = 4 << 20  # bytes: gp_tune's search replays graphs up to here (tools/tune/search.c)
# A group is searched on this type (tools/tune/groups.c); the rerun adds its twin.
SEARCHED = {"i8": "u8", "i16": "u16", "i32": "u32", "f32": "u32", "i64": "u64", "f64": "u64", "bf16": "f16"}
USUAL = {name: 0 for name in ("algorithm", "threads", "vectors", "load", "store", "stages", "blocks_per_sm", "overlap")}
NEEDED = ("unix_seconds", "device", "compute_capability", "multiprocessors", "memory_bytes", "driver", "nvrtc",
          "header")
UNKNOWN_SHAPES = ("transpose", "convert_layout", "group_by", "shuffle", "check_offsets", "reduce_axis", "row_map",
                  "scan_axis", "sort_axis", "top_k_axis")


# ---- calls as cells --------------------------------------------------------------------------------------------------


class LeftOut(Exception):
    """Why a class of calls has no cell."""


def standard_words(primitive):
    """{word: value} of a primitive's cells in the standard list."""
    return dict(word.split("=", 1) for word in store.description()["cells"][primitive]["standard"].split())


def types_of(call, primitive):
    """{word: type} of a call: "" is the cell's own type."""
    has = store.description()["cells"][primitive]["has"]
    if "keys" in has or primitive == "is_sorted":
        found = {"": call["key"], "payload": call["in"]}
        if primitive in ("segmented_sort", "segmented_top_k"):
            found["offsets"] = call["offset"]
        return found
    if primitive == "unique":
        return {"": call["key"], "payload": call["in"]}
    if primitive in ("run_lengths", "nontrivial_runs"):
        return {"": call["key"], "lengths": call["out2"]}
    if primitive == "load_balance":
        return {"": call["offset"], "out": call["out"]}
    if primitive == "copy_batch":
        raise LeftOut("a batch's bytes are known on the device alone")
    found = {"": call["in"] or call["out"], "out": "" if {"count", "truth"} & set(has) else call["out"]}
    if "folds" in has:
        found["acc"] = call["acc"]
    if "segments" in standard_words(primitive):
        found["offsets"] = call["offset"]
    if "key" in standard_words(primitive):
        found["key"] = call["key"]
    elif primitive in ("select", "partition") and not call["op"]:
        found.update(key=call["key"], form="flags")
    return found


def cell_of(call, n):
    """The cell of a call on n elements, with protocol cold; raises LeftOut."""
    primitive, cells = call["primitive"], store.description()["cells"]
    if call["user"]:
        raise LeftOut("a user's type or operator")
    if primitive not in cells or primitive in UNKNOWN_SHAPES or {"no_cells", "graph"} & set(cells[primitive]["has"]):
        raise LeftOut("a primitive or a shape that cells do not describe")
    if call["flags"]:
        raise LeftOut("flags")
    if call["transform"] or call["equal"] not in ("", "EQUAL") or call["in2"] not in ("", call["in"]):
        raise LeftOut("an operator or a type that cells do not describe")
    types = types_of(call, primitive)
    words = standard_words(primitive)
    for name in ("payload", "offsets", "lengths", "key"):
        words.pop(name, None)
    words.update((name, value) for name, value in types.items()
                 if name and value and (name, value) not in (("offsets", "u32"), ("lengths", "u32")))
    parts = [primitive, call["op"] if cells[primitive]["op"] else "", types[""],
             *(f"{name}={value}" for name, value in words.items()), f"n={n}", "protocol=cold"]
    try:
        cell = cell_keys.read(" ".join(part for part in parts if part))[0]
    except ValueError as error:
        raise LeftOut("words or types that cells do not describe") from error
    if not store.is_known(cell):
        raise LeftOut("words or types that cells do not describe")
    return cell


def policy_of(path, values):
    """A policy of the store: every field, enumerators by name."""
    policy = {**USUAL, **dict(zip(path.names, values))}
    for name, names in NAMES.items():
        policy[name] = store.description()[names][policy[name]].removeprefix("GP_CACHE_")
    return {name: policy[name] for name in store.fields() if name in policy}


# ---- lines -----------------------------------------------------------------------------------------------------------


def environment_of(report):
    device = report.device
    if device is None:
        raise Damaged(f"{report.file}, line 1: no line of a device: --store needs the text of gp_tuning_report")
    for name in NEEDED:
        if name not in device:
            raise Damaged(f"{report.file}, line 1: the device has no {name}")
    line = {"kind": "environment", "v": store.VERSION,
            **{name: device[name] for name in ("device", "compute_capability", "multiprocessors", "memory_bytes")},
            **{name: device[name] for name in ("l2_bytes", "board", "peak_gbs") if name in device},
            "ecc": device.get("ecc", ""), "driver": str(device["driver"]), "nvrtc": str(device["nvrtc"]),
            "bus": device.get("bus", ""), "clocks": "no", "header": str(device["header"])[:16], "source": "live",
            "commit": f"version {device['version']}" if "version" in device else ""}
    name = hashlib.sha256(json.dumps(line, sort_keys=True).encode()).hexdigest()[:16]
    seconds = device["unix_seconds"]
    if not is_int(seconds, 0, 4102444800):  # 2100
        raise Damaged(f"{report.file}, line 1: unix_seconds is no time")
    return {**line, "id": name, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))}


def samples_of(path, env, process):
    """[(number of the report's line, sample)] of a class and bucket."""
    found = {}
    for step in (step for step in path.steps if step.n):
        cell = cell_of(path.call, step.n)._replace(protocol=evidence.PROGRAM)
        line, us = found.setdefault((cell, step.values), (step.line, []))
        us += [] if step.us is None else [step.us]
    for (cell, values), (line, us) in found.items():
        is_default = values == path.default
        yield line, {
            "kind": "samples", "v": store.VERSION, "env": env, "process": process, "phase": "search",
            "primitive": cell.primitive, "op": cell.op, "in": cell.in_, "acc": cell.acc, "out": cell.out, "n": cell.n,
            **({"words": cell.words} if cell.words else {}), "protocol": cell.protocol,
            "variant": "default" if is_default else "policy", "policy": policy_of(path, values),
            "policy_source": "" if is_default else "caller", "status": "ok" if us else "invalid", "us": us,
            "throttle": 0}


def check_call(path):
    """Raises Damaged if a text of a call is none of the schema's alphabet, whether or not the call is left out. Users'
    types have names of their own, and are always left out."""
    patterns = alphabets()
    for name in CALL if not path.call["user"] else ():
        value = path.call[name]
        pattern = patterns.get(name) or patterns["operator" if name in ("op", "transform", "equal") else "type"]
        if not re.fullmatch(pattern, value):
            raise Damaged(f"{path.file}, line {path.line}: call.{name} {store.shown(value)} has other characters than "
                          "a name")


def alphabets():
    with open(store.SCHEMA, encoding="utf-8") as file:
        return {name: one["pattern"] for name, one in json.load(file)["$defs"].items()
                if name in ("primitive", "operator", "type")}


def lines_of(reports, out):
    """(lines of a store, text for the user); the k-th report is process k."""
    try:
        import jsonschema_rs  # noqa: F401
    except ImportError as error:
        raise store.StoreError("--store needs jsonschema-rs: pip install jsonschema-rs") from error
    if not re.search(r"\.jsonl(\.gz)?$", out):
        raise store.StoreError(f"{out}: a store's name ends in .jsonl or .jsonl.gz")
    if os.path.lexists(out):
        raise store.StoreError(f"{out}: it exists: name a new store")
    environments, samples, left_out = {}, [], collections.Counter()
    for process, report in enumerate(reports):
        environment = environment_of(report)
        check_line(report.file, 1, environment)
        environments.setdefault(environment["id"], environment)
        for path in report.paths:
            check_call(path)
            try:
                made = list(samples_of(path, environment["id"], process))
            except LeftOut as reason:
                left_out[str(reason)] += len(path.steps)
                continue
            for number, sample in made:
                check_line(report.file, number, sample)
                samples.append(sample)
    reasons = "".join(f"left out: {count} steps: {reason}\n" for reason, count in sorted(left_out.items()))
    if not samples:
        names = ", ".join(report.file for report in reports)
        raise Damaged(f"{names}: no call that a cell describes\n{reasons}".rstrip())
    return [*environments.values(), *samples], (f"{out}: {len(samples)} samples of {len(reports)} processes\n{reasons}"
                                                f"next: make tune ARGS='--learned {out}'\n")


def check_line(file, number, line):
    reason = store.wrong_with(line, file)
    if reason:
        raise Damaged(f"{file}, line {number}: {reason}")


def write(lines, out):
    data = "".join(f"{store.dump(line)}\n" for line in lines).encode()
    store.replace(out, gzip.compress(data, mtime=0) if out.endswith(".gz") else data)


# ---- the plan of the matrix ------------------------------------------------------------------------------------------


def candidates_of(stores):
    """({group: [policy]}, {group: {cell}}, [why a call was left out]): the policies that beat the default in a program,
    the best first, and the calls."""
    times, cells, refused = collections.defaultdict(dict), collections.defaultdict(set), {}
    for a_store in stores:
        for cell, sample, reason in evidence.learned(a_store):
            call = cell._replace(n=1)
            if reason:
                refused.setdefault(cell.group, f"{cell.all_words()} cannot be: {reason}")
            if sample["status"] != "ok" or not sample["us"]:
                continue
            cells[cell.group].add(cell._replace(protocol="cold"))
            # A bucket's calls differ in n by less than a factor of 2.
            name = "default" if sample["variant"] == "default" else store.policy_text(sample["policy"])
            place = a_store.path, sample["env"], sample["process"], call, cell.log2
            times[place].setdefault(name, []).append(statistics.median(sample["us"]) / cell.n)
    ratios = collections.defaultdict(lambda: collections.defaultdict(list))  # (group, call, size): policy: [ratio]
    for (*_, call, log2), found in times.items():
        for policy, values in found.items() if "default" in found else ():
            if policy != "default":
                ratios[call.group, call, log2][policy].append(
                    statistics.median(values) / statistics.median(found["default"]))
    policies = collections.defaultdict(dict)
    for (group, *_), found in ratios.items():
        ranked = sorted((statistics.median(values), policy) for policy, values in found.items())
        for ratio, policy in [one for one in ranked if one[0] < 1][:BEST]:
            policies[group][policy] = min(ratio, policies[group].get(policy, 1.0))
    chosen = {group: [policy for _, policy in sorted((ratio, policy) for policy, ratio in found.items())][:MOST]
              for group, found in policies.items() if group not in refused}
    return chosen, cells, [refused[group] for group in sorted(refused)]


def like_search(cell):
    """The cell that the search would measure for a call, or None: the group's usual type and operator."""
    base = SEARCHED.get(evidence.of(cell))
    if not base or cell.primitive == "merge_sort":  # integers are sorted by radix, without a policy of its rows
        return None
    usual = store.description()["cells"][cell.primitive]["op"]
    found = evidence.as_type(cell, cell.primitive, base)._replace(op=usual if cell.op else "")
    return found if store.is_known(found) and found.group == cell.group else None


def plan(stores, memory_bytes, rules=lambda cells: {}, resolved=lambda cell, policies: dict(zip(policies, policies))):
    """(jobs of the matrix as propose.plan has them, [why a call was left out]). Every candidate of a group runs at
    every size, the program's and the standard list's, on the program's calls and on the search's: so buckets end where
    they should, and rows are confirmed on every type that they serve. rules: a function of cells that gives the
    header's own choices, as propose.rules_of; they run by name, for the self-check. resolved: as propose.resolved: a
    tuner's point also has values that its algorithm does not read."""
    chosen, cells, refused = candidates_of(stores)
    jobs = {}
    for group, points in sorted(chosen.items()):
        policies = set(resolved(max(cells[group], key=lambda cell: (cell.n, cell)), points).values())
        calls = {one._replace(n=1) for one in cells[group]}
        calls |= {like_search(one) for one in calls} - {None}
        sizes = {cell.n * cell._replace(n=1).bytes for cell in cells[group]} | set(standard.SIZES)
        for call in calls if policies else ():
            for size in sizes:
                n = -(-size // call.bytes)
                jobs[call._replace(n=n, protocol="graph" if size <= IN_GRAPHS_UP_TO else "cold")] = policies
    fit = standard.fitting({cell: cell.text for cell in jobs}, memory_bytes)[0]
    ordered = sorted(fit, key=lambda cell: (cell.group, -cell.log2, cell))
    usual = rules(ordered) if ordered else {}
    return [(cell, sorted({*jobs[cell], *([usual[cell]] if cell in usual else ())})) for cell in ordered], refused


def write_plan(paths, device, out, program):
    """Writes the plan of the matrix for gp_tune; returns its jobs. StoreError if there is no candidate. device: what
    the worker says of it."""
    jobs, refused = plan(store.read_all(paths), int(device["memory_bytes"]),
                         lambda cells: propose.rules_of(program, device, cells),
                         lambda cell, policies: propose.resolved(program, device, cell, policies))
    for reason in refused:
        print(f"left out: a program's {reason}")
    if not jobs:
        raise store.StoreError(f"{', '.join(paths)}: no policy was faster than the default in a program")
    store.replace(out, propose.plan_text(jobs).encode())
    return jobs


def checks_of(run):
    """Lines of self-checks of a run's matrix, as a search has them (tools/tune/groups.c): the incumbent's own policy,
    asked for by name, scores 1; and the objective varies."""
    found = []
    for name, group in sorted(run.groups.items()):
        times = [(cell, row) for cell, row in group.matrix.items() if len(row) > 1]
        controls = [row[group.default[cell][0]] / row["default"] for cell, row in times
                    if group.default[cell][0] in row]
        scores = [time / row["default"] for _, row in times for policy, time in row.items() if policy != "default"]
        values = []
        if controls:
            noise = math.sqrt(2) * statistics.median(group.error[cell] for cell, _ in times)
            value, limit = abs(statistics.median(controls) - 1), max(MAY_DIFFER, NOISES * noise)
            values.append(("incumbent", value <= limit, value, limit))
        if len(scores) > 1:
            values.append(("varies", max(scores) > min(scores), max(scores) / min(scores) - 1, 0))
        found += [{"kind": "check", "v": store.VERSION, "env": run.env, "name": check, "group": name, "passed": passed,
                   "value": round(value, 6), "limit": round(limit, 6)} for check, passed, value, limit in values]
    return found
