#!/usr/bin/env python3
"""Stores for tests: synthetic measurements of devices that do not exist, in gp_tune's form. Times come from a function
of policy, size and type, so that a test knows what the farm should find.

    python3 tests/farm/made_up.py        rewrites the recorded stores below tests/farm/data, and their table
"""
import hashlib
import json
import os
import random
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools.farm import cell_keys, decide, evidence, propose, rows, store, table  # noqa: E402

DATA = os.path.join(ROOT, "tests", "farm", "data")
DATE = "2026-01-02T03:04:05Z"
SIZES = tuple(range(12, 31, 2))

# Policies valid on every device: the synthetic header's rule, and those that a tune tries.
FIELDS = {"rule": {"threads": 256}, "wide": {"threads": 512}, "deep": {"vectors": 2}, "lean": {"blocks_per_sm": 4}}
ALGORITHMS = {"copy": "DIRECT", "transform": "DIRECT", "reduce": "EVEN_SHARE", "bfs": "EXPAND_CONTRACT"}


def policy(name, primitive="exclusive_scan"):
    algorithm = ALGORITHMS.get(primitive, "LOOK_BACK")
    usual = {"algorithm": algorithm, "threads": 128, "vectors": 1, "load": "ALL", "store": "ALL",
             "stages": 3 if algorithm == "LOOK_BACK" else 0, "blocks_per_sm": 2, "overlap": 2}
    return store.policy_text({**usual, **FIELDS[name]})


RULE, WIDE, DEEP, LEAN = map(policy, ("rule", "wide", "deep", "lean"))


def number(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def environment(device="Example One", date=DATE, **fields):
    line = {"kind": "environment", "v": 1, "device": device, "compute_capability": 90, "multiprocessors": 132,
            "memory_bytes": 1 << 36, "l2_bytes": 1 << 25, "ecc": "yes", "driver": "13.0", "nvrtc": "13.0",
            "bus": "0:1", "peak_gbs": 12000.5, "clocks": "yes", "header": "0" * 16, "commit": "made-up",
            "source": "synthetic", **fields}
    return {**line, "id": number(json.dumps(line, sort_keys=True)), "date": date}


def cell(primitive, type_, log2):
    if primitive in cell_keys.having("graph"):  # 33 words of 4 bytes for each vertex
        return store.Cell(primitive, "", type_, "", type_, 32 << log2 - 7, "back_to_back",
                          f"graph=kronecker:scale={log2 - 7}")
    op = {"copy": "", "transform": "NEGATE"}.get(primitive, "SUM")
    acc = "f32" if type_ in ("f16", "bf16") else type_
    return store.Cell(primitive, op, type_, acc, type_, (1 << log2) // store.type_sizes()[type_], "cold")


def sample(env, phase, of, variant, us, process=0, **fields):
    """variant: "default" (which ran on the rule, unless fields override that) or a policy as in a plan."""
    is_default, text = variant == "default", variant.removeprefix(propose.RULE)
    return {"kind": "samples", "v": 1, "env": env, "job": number(f"{phase} {process} {of.text}"), "process": process,
            "phase": phase, "primitive": of.primitive, "op": of.op, "in": of.in_, "acc": of.acc, "out": of.out,
            "n": of.n, **({"words": of.words} if of.words else {}), "protocol": of.protocol,
            "variant": "default" if is_default else "rule" if text != variant else "policy",
            "policy": store.policy_of(policy("rule", of.primitive) if is_default else text),
            "policy_source": "portable" if is_default else "caller", "status": "ok", "message": "",
            "code": number(variant), "registers": 32, "calls": 10, "us": us, "sm_mhz": [1980, 1980], "celsius": 40,
            "milliwatts": 300000, "throttle": 0, **fields}


class Tune:
    """A tune. factor(name of the policy, logarithm of the size, type or, for cells of the list, protocol): its time
    over the rule's.

    between, within: noise between and within processes. standing: {logarithm: policy's text} that the table served
    during the measurement."""

    def __init__(self, path, factor, groups=(("exclusive_scan", "u32"),), sizes=SIZES, processes=3, rounds=5,
                 between=0.001, within=0.001, seed=1, standing=None, names=("wide", "deep", "lean"), listed=(),
                 **fields):
        self.path, self.factor, self.groups, self.sizes, self.names = str(path), factor, groups, sizes, names
        self.processes, self.rounds, self.between, self.within = processes, rounds, between, within
        self.standing, self.random, self.listed = standing or {}, random.Random(seed), listed
        self.environment = environment(**fields)
        self.lines = [self.environment]

    def times(self, of, text, pace):
        name = next((name for name in FIELDS if policy(name, of.primitive) == text), None)
        factor = 1.0 if name == "rule" else self.factor(name, of.log2, of.out if of.protocol == "cold" else of.protocol)
        usual = 2.0 + 2.0 ** of.log2 / 3e6
        return [round(usual * factor * pace * self.random.lognormvariate(0, self.within), 4)
                for _ in range(self.rounds)]

    def measure(self, phase, of, variants, process=0, pace=1.0):
        for variant in variants:
            text, fields = variant.removeprefix(propose.RULE), {}
            if variant == "default":
                text = self.standing.get(of.log2, policy("rule", of.primitive))
                if of.log2 in self.standing:
                    fields = {"policy": store.policy_of(text), "policy_source": "device"}
            us = self.times(of, text, pace)
            self.lines.append(sample(self.environment["id"], phase, of, variant, us, process, **fields))

    def search(self):
        for primitive, type_ in self.groups:
            for log2 in self.sizes:
                variants = [policy(name, primitive) for name in ("rule", *self.names)]
                self.measure("matrix", cell(primitive, type_, log2), ["default", *variants])
        return self

    def write(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(store.dump(line) + "\n" for line in self.lines)
        return self

    def plan(self, folder):
        mine, stores = propose.context_of(self.write().path, str(folder))
        run = evidence.runs_of(mine)[-1]
        standing = propose.folded_before(rows.decisions_of(stores), run)
        return propose.plan(run, standing, lambda cells: {cell: policy("rule", cell.primitive) for cell in cells},
                            listed=self.listed)

    def confirm(self, folder):
        """Measures what `propose` asks for, in fresh processes."""
        jobs = self.plan(folder)
        for process in range(1, self.processes + 1):
            pace = self.random.lognormvariate(0, self.between)
            for of, policies in jobs:
                self.measure("confirm", of, ["default", *policies], process, pace)
        return self.write()

    def decide(self, folder):
        """The appended decisions."""
        return decide.decide(self.path, str(folder))[1]


# Hostile replacements of a file: {name: a function of (path, a secret file)}.
STRANGE = {"a link": lambda path, secret: os.symlink(secret, path),
           "a link to a folder": lambda path, secret: os.symlink(os.path.dirname(secret), path),
           "a link to nothing": lambda path, secret: os.symlink(f"{secret}.none", path),
           "a link to a device": lambda path, _: os.symlink("/dev/zero", path),
           "a pipe": lambda path, _: os.mkfifo(path)}


def path_of(folder, name, date=DATE):
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    return os.path.join(folder, name, f"{date[:10]}.tune.jsonl")


def tuned(folder, factor, name="one", date=DATE, **options):
    """A store below the folder, searched, confirmed and decided; returns the decisions."""
    tune = Tune(path_of(folder, name, date), factor, date=date, **options)
    return tune, tune.search().confirm(folder).decide(folder)


def stores_of(folder):
    return [store.read(path) for path in store.paths_under(str(folder))]


def table_of(folder):
    return table.text_of(stores_of(folder))


# ---- the recorded stores ---------------------------------------------------------------------------------------------


def factor_one(name, log2, _):
    return {"wide": 0.88 if log2 >= 24 else 1.05, "deep": 0.93 if log2 < 20 else 1.0, "lean": 1.02}[name]


def factor_two(name, log2, type_):
    """As the first, but small sizes gain too little for a row."""
    return 0.985 if name == "deep" and log2 < 20 else factor_one(name, log2, type_)


def factor_three(name, log2, _):
    return {"wide": 0.9 if log2 >= 24 else 1.1, "deep": 1.1, "lean": 0.8 if log2 < 20 else 1.0}[name]


def record(folder):
    """Three devices: two of a class, one of them without a row for small sizes; and one that shares the portable row
    for large ones."""
    sizes, groups = range(14, 31, 4), (("exclusive_scan", "u32"), ("copy", "u8"))
    shutil.rmtree(folder, ignore_errors=True)
    for number_, (device, factor) in enumerate((("Example One", factor_one), ("Example Two", factor_two),
                                                ("Example Three", factor_three))):
        name = device.lower().replace(" ", "-")
        tune, _ = tuned(folder, factor, name, f"2026-01-0{number_ + 1}T00:00:00Z", device=device, seed=number_,
                        sizes=sizes, groups=groups[:2 - number_ % 2], rounds=3, commit="recorded")
        store.merge_main([tune.path, "--out", f"{tune.path}.gz"])
        os.remove(tune.path)


if __name__ == "__main__":
    record(os.path.join(DATA, "stores"))
    table.write(os.path.join(DATA, table.TABLE), stores_of(os.path.join(DATA, "stores")))
