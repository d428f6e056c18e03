"""gp_tune's parent process (tools/tune: main, search, supervise, store) end to end on synthetic workers, and those
workers (tools/farm/measure.py). No GPU and, except for one test, no NVRTC."""
import collections
import fcntl
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)

from tools.farm import cell_keys, evidence, measure, propose, regress, store, validate  # noqa: E402

WORKER = f"{sys.executable} -m tools.farm.measure"
DEFAULT = measure.MODEL["defaults"]["copy"]
CELL = "copy u32 n=1048576 protocol=cold"


@pytest.fixture(scope="session")
def program():
    """This tree's gp_tune, built once for all test processes."""
    os.makedirs(regress.FOLDER, exist_ok=True)
    with open(os.path.join(regress.FOLDER, "test_gp_tune.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return regress.build(regress.tree_of_folder(ROOT))


class Tuner:
    """Runs gp_tune on a synthetic worker, with its own files."""

    def __init__(self, program, folder):
        self.program, self.folder, self.store = program, folder, str(folder / "store.jsonl")
        self.environment = {**os.environ, "TMPDIR": str(folder), "XDG_RUNTIME_DIR": str(folder)}

    def model(self, **keys):
        path = self.folder / "model.json"
        path.write_text(json.dumps(keys))
        return str(path)

    def command(self, *arguments, model=None, worker=None):
        worker = worker or f"{WORKER} --synthetic {model or self.model()}"
        return [self.program, *arguments, "--worker-command", worker, *([] if "--out" in arguments else
                                                                      ["--out", self.store])]

    def start(self, *arguments, **options):
        limits = options.pop("limits", None)
        return subprocess.Popen(self.command(*arguments, **options), cwd=ROOT, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limits)

    def run(self, *arguments, status=0, **options):
        """Its output; its exit status must be `status`."""
        process = self.start(*arguments, **options)
        said, errors = process.communicate(timeout=60)
        assert process.returncode == status, f"exit status {process.returncode}\n{said}\n{errors}"
        return said + errors

    def plan(self, *lines):
        path = self.folder / "plan"
        path.write_text("".join("\t".join(line) + "\n" for line in lines))
        return str(path)

    def measure(self, *policies, cell=CELL, arguments=(), **options):
        """--plan of one job without compilers."""
        return self.run("--plan", self.plan([cell, *policies]), "--jobs", "0", *arguments, **options)

    def lines(self, kind=None, path=None):
        with open(path or self.store, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return [line for line in lines if kind in (None, line["kind"])]

    def statuses(self):
        return {policy_of(line): line["status"] for line in self.lines("samples")}


@pytest.fixture
def tuner(program, tmp_path):
    return Tuner(program, tmp_path)


def policy_of(sample):
    return "default" if sample["variant"] == "default" else store.policy_text(sample["policy"])


def with_fields(policy, **values):
    return store.policy_text({**store.policy_of(policy), **values})


def results_of(lines):
    """A search's results, in any order of lines."""
    return {(line["job"], policy_of(line)): (line["status"], line["us"]) for line in lines}


SMALL = ["--search", "--primitives", "copy", "--sizes", "1M,64M", "--jobs", "0"]
NOISE = {"between": 0.002, "within": 0.003}

# ---- the search ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("primitive, strategy, sizes", [("copy", "exhaustive", "64M"),
                                                        ("exclusive_scan", "standard", "1M,64M")])
@pytest.mark.turn
def test_the_best_is_found(tuner, primitive, strategy, sizes):
    model = {"seed": 7, "noise": NOISE}
    tuner.run("--search", "--primitives", primitive, "--sizes", sizes, "--jobs", "0", model=tuner.model(**model))
    source, found, defaults = measure.Synthetic(model), collections.defaultdict(list), collections.Counter()
    for line in tuner.lines("samples"):
        if line["phase"] == "matrix":
            found[store.cell_of(line).text].append(policy_of(line))
    spaces = {}
    for cell, policies in found.items():
        assert policies[0] == "default" and policies.count("default") == 1  # the incumbent always takes part
        assert DEFAULT in policies or primitive != "copy"  # and, as the control, its own policy
        kind = cell.split(" n=")[0]
        if kind not in spaces:
            spaces[kind] = json.loads(subprocess.run([tuner.program, "--space", "--cell", cell], check=True,
                                                     stdout=subprocess.PIPE, text=True).stdout)["policies"]
        best = min(source.expected_us(cell, policy) for policy in spaces[kind])
        assert min(source.expected_us(cell, policy) for policy in policies) <= 1.01 * best, cell
        defaults[source.expected_us(cell, "default") > 1.03 * best] += 1
    assert defaults[True] >= len(found) / 2  # the search had something to find
    coverages, checks = tuner.lines("coverage"), tuner.lines("check")
    assert len(coverages) == len(spaces) and all(line["strategy"] == strategy for line in coverages)
    for line in coverages:
        valid = line["space"] - sum(line["rejected"].values())
        assert line["measured"] == valid if strategy == "exhaustive" else 160 <= line["measured"] < valid / 2
    assert {line["name"] for line in checks} == {"incumbent", "bad", "varies", "echo"}
    assert all(line["passed"] for line in checks) and len(checks) == 4 * len(spaces)
    assert store.read(tuner.store).broken == [] and tuner.lines("run")[-1]["complete"]


@pytest.mark.turn
def test_graphs_are_searched_for(tuner):
    """A group of graphs with hubs and one of grids, of the requested sizes that are neither tiny nor huge: the header's
    side knows their cells, and each class gets its own best policy."""
    slower = [{"cells": "bfs u32 graph=grid", "policy": "cluster=1", "factor": 2.0},
              {"cells": "bfs u32 graph=kronecker", "policy": "cluster=8|16", "factor": 2.0}]
    tuner.run("--search", "--primitives", "bfs,bfs_sources", "--sizes", "4K,1M,16M,1G", "--jobs", "0",
              model=tuner.model(seed=7, noise=NOISE, slower=slower))
    found = collections.defaultdict(dict)
    for line in tuner.lines("samples"):
        if line["phase"] == "matrix":
            cell = store.cell_of(line)
            found[cell.group].setdefault(cell, []).append((min(line["us"]), line["policy"]["cluster"]))
    assert {name: sorted(cell.text.split(" ", 2)[2] for cell in cells) for name, cells in found.items()} == {
        "bfs 4/4/8": ["graph=kronecker:scale=13 n=262144 protocol=back_to_back",
                      "graph=kronecker:scale=17 n=4194304 protocol=back_to_back"],
        "bfs 4/4/0": ["graph=grid:rows=228:columns=228 n=207936 protocol=back_to_back",
                      "graph=grid:rows=915:columns=915 n=3348900 protocol=back_to_back"],
        "bfs_sources 4/4/8": ["graph=kronecker:scale=13 n=262144 protocol=back_to_back",
                              "graph=kronecker:scale=17 n=4194304 protocol=back_to_back"]}
    assert all(min(times)[1] > 1 for times in found["bfs 4/4/0"].values())
    assert all(min(times)[1] == 1 for times in found["bfs 4/4/8"].values())
    for cells in found.values():
        assert {cell.log2 in (20, 24) or cell.log2 in (19, 23) for cell in cells} == {True}
        for cell in cells:
            said = json.loads(subprocess.run([tuner.program, "--space", "--cell", cell.text], check=True,
                                             stdout=subprocess.PIPE, text=True).stdout)["cell"]
            assert said.replace(" at_once=64", "") == cell.text
    assert all(line["passed"] for line in tuner.lines("check"))
    runs = evidence.runs_of(store.read(tuner.store))
    assert set(runs[0].groups) == set(found) and not any(group.problem for group in runs[0].groups.values())


@pytest.mark.turn
def test_equal_seeds_give_equal_jobs(tuner):
    stores = [str(tuner.folder / name) for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for path, seed in zip(stores, "115"):
        tuner.run(*SMALL, "--strategy", "quick", "--seed", seed, "--out", path)
    first, again, other = (sorted(json.dumps(line) for line in tuner.lines("samples", path)) for path in stores)
    assert first == again != other


@pytest.mark.turn
def test_siblings_do_not_depend_on_who_is_faster(tuner):
    strategy = "incumbent 1 100; random 9; screen 1 100 0; siblings 2; screen 1 100 0; keep 1; matrix 1 100"
    stores = [str(tuner.folder / name) for name in ("one.jsonl", "two.jsonl")]
    for path, gpus in zip(stores, ("0", "0,1")):
        tuner.run(*SMALL, "--strategy", strategy, "--gpus", gpus, "--out", path)
    one, two = ({line["job"] for line in tuner.lines("samples", path)} for path in stores)
    assert one == two and all(line["measured"] > 10 for line in tuner.lines("coverage", stores[0]))


@pytest.mark.turn
def test_strategies_are_texts(tuner):
    tuner.run(*SMALL, "--strategy", "incumbent 1 100; random 5; screen 1 100 0; keep 1; matrix 1 100")
    assert [line["measured"] for line in tuner.lines("coverage")] == [6] * 6  # and the one that must lose
    assert "exhaustive" in subprocess.run([tuner.program, "--list-strategies"], stdout=subprocess.PIPE, text=True,
                                          check=True).stdout


@pytest.mark.turn
def test_what_is_near_the_default_is_found(tuner):
    """In a space so large that random points are far away from the header's choice."""
    strategy = "incumbent 1 100; around; screen 1 100 0; keep 1; matrix 1 100"
    tuner.run("--search", "--primitives", "bfs", "--sizes", "16M", "--strategy", strategy, "--jobs", "0",
              model=tuner.model(slower=[{"policy": "small=512", "factor": 0.3}]))
    usual = store.policy_of(measure.GRAPH)
    found = [line for line in tuner.lines("samples") if line["variant"] == "policy" and line["phase"] == "search"]
    differing = [{name for name in usual if line["policy"][name] != usual[name]} for line in found]
    assert len(found) > 20 and all(len(fields) == 1 or "algorithm" in fields for fields in differing)
    assert {"alpha", "beta", "small", "look", "threads", "algorithm"} <= set().union(*differing)
    best = [min((line for line in tuner.lines("samples") if line["phase"] == "matrix" and
                 f"graph={graph}" in line["words"]), key=lambda line: line["us"][0]) for graph in ("kronecker", "grid")]
    assert all(line["policy"]["small"] == 512 for line in best)


@pytest.mark.turn
def test_a_budget_serves_some_primitives_well(tuner):
    """--seconds for a few groups: the first primitives of the list get a search and a matrix, the others are named."""
    words = ["--search", "--primitives", "iota,copy,fill,reduce", "--sizes", "64K,1M,16M", "--jobs", "0", "--seconds"]
    said = tuner.run(*words, "15", model=tuner.model(seconds_per_job=0.01))
    assert "--seconds 15 serves 8 of 18 groups; left out, all groups of: fill, reduce\n" in said
    coverage = tuner.lines("coverage")
    assert [line["group"].split()[0] for line in coverage] == ["iota"] * 2 + ["copy"] * 6
    assert all(line["measured"] > 1 for line in coverage) and tuner.lines("run")[-1]["seconds"] < 25
    cells = {store.cell_of(line) for line in tuner.lines("samples") if line["phase"] == "matrix"}
    assert len(cells) == 8 * 3
    os.remove(tuner.store)
    assert "left out" not in tuner.run(*words, "40", "--strategy", "quick", model=tuner.model())


@pytest.mark.turn
def test_slow_kernels_do_not_starve_others(tuner):
    """One primitive's kernels take the compilers ten times as long: time is shared, and at the end every group has been
    searched as far as its time allowed."""
    model = tuner.model(compilers=[{"cells": "iota", "seconds": 0.3}, {"cells": "fill", "seconds": 0.02}])
    tuner.run("--search", "--primitives", "iota,fill", "--sizes", "64K,1M", "--seconds", "14", "--jobs", "8",
              "--strategy", "incumbent 2 100; random 16; compile; screen 2 100 0; "
              "random 400; compile; screen 2 100 0; keep 2; matrix 3 100",
              "--compiler-command", f"{WORKER} --compiler --synthetic {model}", model=model)
    measured = [(line["group"].split()[0], line["measured"]) for line in tuner.lines("coverage")]
    assert [name for name, _ in measured] == ["iota"] * 2 + ["fill"] * 3
    assert all(count >= (8 if name == "iota" else 48) for name, count in measured), measured
    assert {(line["primitive"], line["in"]) for line in tuner.lines("samples") if line["phase"] == "matrix"} == {
        ("iota", "u32"), ("iota", "u64"), ("fill", "u8"), ("fill", "u32"), ("fill", "u64")}


@pytest.mark.turn
def test_time_that_runs_out_leaves_no_group_without_a_matrix(tuner):
    said = tuner.run(*SMALL, "--seconds", "8", model=tuner.model(seconds_per_job=0.03))
    assert "the time is up" in said and "left out" not in said and not tuner.lines("run")[-1]["complete"]
    assert len({line["in"] for line in tuner.lines("samples") if line["phase"] == "matrix"}) == 6
    assert all(line["measured"] < 960 for line in tuner.lines("coverage"))
    assert tuner.lines("run")[-1]["seconds"] < 12


@pytest.mark.turn
def test_seconds_are_those_of_all_calls(tuner):
    """A continued search has the rest of its time, and a finished one is not repeated."""
    words = [*SMALL, "--seconds", "14"]
    model = tuner.model(seconds_per_job=0.03)
    for _ in range(2):
        process = tuner.start(*words, model=model)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
    spent = sum(line["seconds"] for line in tuner.lines("run"))
    assert 1 < spent < 8 and not any(line["ended"] for line in tuner.lines("run"))
    tuner.run(*words, model=model)
    assert tuner.lines("run")[-1]["ended"] and sum(line["seconds"] for line in tuner.lines("run")) < 20
    assert len({line["in"] for line in tuner.lines("samples") if line["phase"] == "matrix"}) == 6
    before = tuner.lines()
    assert "the store has all measurements" in tuner.run(*words, model=model) and tuner.lines() == before
    tuner.run(*SMALL, "--seconds", "5", model=model)  # another plan: its time is its own
    assert tuner.lines("run")[-1]["ended"] and len({line["asked"] for line in tuner.lines("run")}) == 2


@pytest.mark.turn
def test_a_landscape_is_whole(tuner):
    tuner.run("--landscape", "--primitives", "reduce", "--jobs", "0")
    assert {line["phase"] for line in tuner.lines("samples")} == {"landscape"}
    counts = collections.Counter(store.cell_of(line).text for line in tuner.lines("samples")
                                 if line["variant"] == "policy")
    assert len(counts) == 4 * 6 and set(counts.values()) == {480}


@pytest.mark.turn
def test_two_gpus_share_a_plan(tuner):
    tuner.run(*SMALL, "--strategy", "quick", "--gpus", "0,1")
    environments = {line["id"]: line["bus"] for line in tuner.lines("environment")}
    assert sorted(environments.values()) == ["synthetic:0", "synthetic:1"]
    groups = collections.defaultdict(set)
    for line in tuner.lines("samples"):
        groups[line["in"]].add(line["env"])
    assert all(len(envs) == 1 for envs in groups.values())  # a group stays where it is
    assert collections.Counter(environments[env] for envs in groups.values() for env in envs) == \
        {"synthetic:0": 3, "synthetic:1": 3}
    assert len(tuner.lines("run")) == 2


# ---- compilers -------------------------------------------------------------------------------------------------------


@pytest.mark.turn
def test_what_compilers_say_is_heeded(tuner):
    model = tuner.model(compile=["threads=1024"], spill=["threads=512"], unread_fields=["load"],
                        compiler_crash=["threads=256,vectors=8,blocks_per_sm=8,store=ALL,overlap=1"],
                        compiler_hang=["threads=256,vectors=8,blocks_per_sm=1,load=L2,store=ALL,overlap=1"])
    tuner.run("--search", "--primitives", "iota", "--sizes", "64K", "--jobs", "2", "--watchdog", "3", model=model,
              *["--compiler-command", f"{WORKER} --compiler --synthetic {model}"])
    for line in tuner.lines("coverage"):
        # 960 policies with 240 of each number of threads: 240 do not compile, 3 crash, 1 hangs; 240 spill. Of three
        # that differ only in unread fields one is left, even if one of the three has hung.
        rejected = line["rejected"]
        assert rejected["compile"] == 240 + 3 + 1 and rejected["spill"] == 240, rejected
        assert rejected["same_code"] == 2 * (480 - 6) // 3 + 1, rejected
        # 960 more, of two phases, are for bounds alone.
        assert rejected["invalid"] == 960
        assert line["measured"] == 2 * 960 - sum(rejected.values())
        assert line["compiled"] == 960 - rejected["compile"]
    samples = [line for line in tuner.lines("samples") if line["variant"] == "policy" and line["phase"] == "search"]
    assert {line["policy"]["threads"] for line in samples} == {128, 256}
    assert all(len(line["code"]) == 16 and line["registers"] == 32 for line in samples)


@pytest.mark.turn
def test_more_blocks_than_fit(tuner):
    """128 threads at 2048 a multiprocessor: all of 1, 2, 3, 4, 8 fit; 1024 threads: 2 fit, and 3, 4, 8 equal 2."""
    model = tuner.model()
    tuner.run("--search", "--primitives", "reduce", "--sizes", "64K", "--jobs", "2", "--compiler-command",
              f"{WORKER} --compiler --synthetic {model}", model=model)
    launches = {(line["policy"]["threads"], line["policy"]["blocks_per_sm"]) for line in tuner.lines("samples")
                if line["phase"] == "search" and line["policy"]["algorithm"] == "EVEN_SHARE" and line["in"] == "u32"}
    assert {blocks for threads, blocks in launches if threads == 1024} == {1, 2}
    assert {blocks for threads, blocks in launches if threads == 512} == {1, 2, 3, 4}
    assert {blocks for threads, blocks in launches if threads == 256} == {1, 2, 3, 4, 8}


@pytest.mark.turn
def test_the_real_compiler(tuner):
    """gp_tune --compiler compiles kernels, which a synthetic worker then pretends to run."""
    tuner.environment["GP_TUNE_CACHE"] = str(tuner.folder)
    refused = with_fields(DEFAULT, threads=100)
    ruled = CELL.replace("1048576", "67108864")  # no portable row serves it
    tuner.run("--plan", tuner.plan([ruled, "default", DEFAULT, refused]), "--jobs", "2", model=tuner.model())
    samples = {policy_of(line): line for line in tuner.lines("samples")}
    if samples["default"]["status"] == "compile":
        pytest.skip(f"NVRTC: {samples['default']['message']}; its PyPI package is nvidia-cuda-nvrtc")
    assert samples["default"]["code"] == samples[DEFAULT]["code"] != "" and samples[DEFAULT]["registers"] > 0
    assert samples[refused]["status"] == "invalid" and samples[refused]["us"] == []


@pytest.mark.turn
def test_the_rule_is_named(tuner):
    """A plan marks the policy of the header's own rule, and so does the store. --rule knows it."""
    other = with_fields(DEFAULT, threads=512)
    tuner.run("--plan", tuner.plan([CELL, "default", f"rule:{DEFAULT}", other]), model=tuner.model())
    found = {policy_of(line): line["variant"] for line in tuner.lines("samples")}
    assert found == {"default": "default", DEFAULT: "rule", other: "policy"}


@pytest.mark.turn
def test_the_rule_is_known(program):
    """gp_tune --rule, as used by the plan of a rerun: valid policies that depend on the device."""
    def rules(cells, **device):
        device = {"compute_capability": 90, "multiprocessors": 132, **device}
        return propose.rules_of(program, device, [cell_keys.read(cell)[0] for cell in cells])

    cells = ["reduce SUM u32 n=1024", "copy s16 n=67108864", "top_k u32 k=64 n=1048576",
             "bfs u32 graph=grid:rows=100:columns=100 n=40000"]
    found = rules(cells)
    assert [cell.text.split(" n=")[0] for cell in found] == [cell.split(" n=")[0] for cell in cells]
    for cell, rule in found.items():
        space = subprocess.run([program, "--space", "--cell", cell.text], stdout=subprocess.PIPE, check=True)
        assert rule in json.loads(space.stdout)["policies"]
    assert rules(cells, compute_capability=75) != found
    assert rules(["segmented_sort u32 segments=pareto:64 n=4096"]) and not rules([])
    device, cell = {"compute_capability": 90, "multiprocessors": 132}, cell_keys.read("exclusive_scan SUM u32 n=1M")[0]
    space = json.loads(subprocess.run([program, "--space", "--cell", cell.text], stdout=subprocess.PIPE,
                                      check=True).stdout)["policies"]
    look_back = next(text for text in space if text.startswith("algorithm=LOOK_BACK"))
    points = [re.sub(r"stages=\d+", f"stages={stages}", look_back) for stages in (0, 2, 5)] + \
        [look_back.replace("LOOK_BACK", "EVEN_SHARE"), space[-1]]
    assert propose.resolved(program, device, cell, points) == \
        {**dict.fromkeys(points[:3], look_back), space[-1]: space[-1]}  # it does not read its stages
    done = subprocess.run([program, "--rule"], input=f"{cell.text}\twidth=3\n", stderr=subprocess.PIPE, text=True,
                          check=False)
    assert done.returncode == 2 and "no field width" in done.stderr
    for words, said in ((["--cell", CELL], "no such argument"), (["--multiprocessors", "0"], "no such value")):
        done = subprocess.run([program, "--rule", *words], stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2 and said in done.stderr
    done = subprocess.run([program, "--rule"], input="copy u33 n=1\n", stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and "copy u33 n=1: " in done.stderr


# ---- failures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault, status", [("hang", "timeout"), ("crash", "runtime"), ("runtime", "runtime")])
@pytest.mark.turn
def test_a_fault_costs_one_variant(tuner, fault, status):
    """The worker hangs, dies or reports an error; a fresh one continues with the rest, and a repeated run does not try
    it again."""
    policies = [with_fields(DEFAULT, threads=threads) for threads in (128, 256, 512, 1024)]
    model, start = tuner.model(**{fault: ["threads=512"]}), time.monotonic()
    tuner.measure("default", *policies, arguments=["--watchdog", "0.5"], model=model)
    expected = {"default": "ok", **{policy: "ok" for policy in policies}, policies[2]: status}
    assert tuner.statuses() == expected and time.monotonic() - start < 10
    before = tuner.lines("samples")
    tuner.measure("default", *policies, arguments=["--watchdog", "0.5"], model=model)
    assert tuner.lines("samples") == before and tuner.lines("run")[-1]["jobs"] == 0


@pytest.mark.turn
def test_a_hang_is_not_waited_for_at_every_size(tuner):
    policy, start = with_fields(DEFAULT, threads=512), time.monotonic()
    plan = tuner.plan(*([f"copy u32 n={count} protocol=cold", "default", policy] for count in range(1000, 1020)))
    for _ in range(2):
        tuner.run("--plan", plan, "--jobs", "0", "--watchdog", "0.5", model=tuner.model(hang=["threads=512"]))
        samples = [line for line in tuner.lines("samples") if line["variant"] == "policy"]
        assert collections.Counter(line["status"] for line in samples) == {"timeout": 1, "runtime": 19}
        assert all(line["message"].startswith("not run") for line in samples[1:])
    assert len(tuner.lines("samples")) == 40 and time.monotonic() - start < 10


def test_wrong_output_is_told(tuner):
    bad = with_fields(DEFAULT, vectors=4)
    said = tuner.measure("default", bad, model=tuner.model(wrong=["vectors=4"]), status=1)
    assert tuner.statuses() == {"default": "ok", bad: "wrong"} and "wrong" in said
    assert [line["us"] for line in tuner.lines("samples") if policy_of(line) == bad] == [[]]


@pytest.mark.turn
def test_a_silent_downgrade_is_found(tuner):
    """The machine code echoes another policy than requested: its times belong to something else."""
    model = tuner.model(echo=[{"policy": "vectors=8", "says": "vectors=1"}])
    asked = with_fields(DEFAULT, vectors=8)
    said = tuner.measure("default", asked, model=model, status=1)
    sample = next(line for line in tuner.lines("samples") if policy_of(line) == asked)
    assert sample["status"] == "wrong" and sample["us"] == [] and "vectors=1" in sample["message"] and asked in said
    assert [(line["passed"], line["value"]) for line in tuner.lines("check")] == [(False, 1)]
    tuner.run(*SMALL, "--strategy", "quick", model=model, status=1)
    assert {line["passed"] for line in tuner.lines("check") if line["name"] == "echo"} == {False}


@pytest.mark.parametrize("keys, failed", [
    ({"constant_us": 12.5}, {"varies", "bad"}),
    ({"constant_us": 12.5, "noise": NOISE}, {"bad"}),
    ({"slower": [{"policy": "default", "factor": 1.1}]}, {"incumbent"}),  # it is not what it claims
    ({"wrong": ["default"]}, {"incumbent"}),
])
@pytest.mark.turn
def test_self_checks_find_a_useless_run(tuner, keys, failed):
    tuner.run(*SMALL, "--strategy", "quick", model=tuner.model(**keys), status=1)
    assert {line["name"] for line in tuner.lines("check") if not line["passed"]} >= failed


def test_no_time_at_all_is_no_result(tuner):
    tuner.folder.joinpath("worker.py").write_text(
        "import sys\n"
        "print('ready\\tdevice=x\\tcompute_capability=90\\tmultiprocessors=1\\tsource=synthetic', flush=True)\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('measure'):\n"
        "        job = line.split('\\t')[1]\n"
        "        print(f'variant\\t{job}\\tvariant=0\\tstatus=ok\\tus=0,0\\ndone\\t{job}', flush=True)\n")
    tuner.measure("default", worker=f"{sys.executable} {tuner.folder}/worker.py", status=1)
    assert tuner.statuses() == {"default": "wrong"}


@pytest.mark.turn
def test_the_device_is_gone(tuner):
    model = tuner.model(gone_after_jobs=5)
    said = tuner.run(*SMALL, model=model, status=3)
    assert "the device is gone" in said and "does not answer" in said
    assert len({line["job"] for line in tuner.lines("samples")}) == 5 and not tuner.lines("run")[-1]["complete"]
    tuner.run(*SMALL, "--strategy", "quick", model=tuner.model())  # another worker continues with this store


@pytest.mark.turn
def test_the_device_is_gone_at_once(tuner):
    """No job took any time."""
    tuner.run(*SMALL, model=tuner.model(gone_after_jobs=0), status=3)
    run, = tuner.lines("run")
    assert (run["seconds"], run["busy_seconds"], run["jobs"]) == (0, 0, 0)
    pytest.importorskip("jsonschema_rs")
    assert validate.main([tuner.store]) == 0


@pytest.mark.parametrize("worker, status", [("exit 5;", 4), ("echo fatal\tmessage=none here; exit 3;", 4)])
def test_there_is_no_gpu(tuner, worker, status):
    path = tuner.folder / "worker.sh"
    path.write_text(worker)
    assert "no GPU to measure on" in tuner.measure("default", worker=f"sh {path}", status=status)
    assert not os.path.exists(tuner.store)


@pytest.mark.turn
def test_all_gpus_are_those_that_there_are(tuner):
    path = tuner.folder / "worker.sh"
    path.write_text(f"""[ "$2" -lt 3 ] || {{ printf 'fatal\\tmessage=no such device\\n'; exit 3; }}
exec {WORKER} --synthetic {tuner.model()} "$@"\n""")
    tuner.run(*SMALL, "--strategy", "quick", "--gpus", "all", worker=f"sh {path}")
    assert sorted(line["bus"] for line in tuner.lines("environment")) == [f"synthetic:{k}" for k in range(3)]
    assert len({line["board"] for line in tuner.lines("environment") if len(line["board"]) == 16}) == 3


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


@pytest.mark.turn
def test_two_tuners_on_one_gpu(tuner):
    model = tuner.model(seconds_per_job=0.1)
    first = tuner.start(*SMALL, model=model)
    wait_for(lambda: os.path.exists(tuner.store) and os.path.getsize(tuner.store))
    said = tuner.run(*SMALL, "--out", str(tuner.folder / "other.jsonl"), model=model, status=2)
    assert f"another gp_tune (process {first.pid}) measures on the GPU at bus synthetic:0" in said
    tuner.run(*SMALL, "--strategy", "quick", "--gpus", "1", "--out", str(tuner.folder / "other.jsonl"))
    assert "another gp_tune writes to it" in tuner.run(*SMALL, "--gpus", "1", model=model, status=2)
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=10) == 130


# ---- interruptions and stores ----------------------------------------------------------------------------------------


@pytest.mark.turn
def test_an_interrupted_run_goes_on_where_it_was(tuner):
    strategy = ["--strategy", "incumbent 1 100; random 62; screen 2 100 2; keep 2; matrix 3 100"]
    slow = tuner.model(noise=NOISE, seconds_per_job=0.01)
    process = tuner.start(*SMALL, *strategy, model=slow)
    wait_for(lambda: os.path.exists(tuner.store) and os.path.getsize(tuner.store) > 200000)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=10)[1]
    assert process.returncode == 130 and "continue with the same command" in said
    assert not tuner.lines("run")[-1]["complete"]
    before = tuner.lines("samples")
    tuner.run(*SMALL, *strategy, model=slow)
    after = tuner.lines("samples")
    assert after[:len(before)] == before and len(results_of(after)) == len(after)  # nothing twice
    assert 0 < tuner.lines("run")[0]["jobs"] and tuner.lines("run")[1]["complete"]
    jobs = [line["jobs"] for line in tuner.lines("run")]
    whole = str(tuner.folder / "whole.jsonl")
    tuner.run(*SMALL, *strategy, "--out", whole, model=slow)
    assert results_of(tuner.lines("samples", whole)) == results_of(after)
    assert tuner.lines("run", whole)[0]["jobs"] == sum(jobs)


@pytest.mark.turn
def test_workers_do_not_outlive_gp_tune(tuner):
    path = tuner.folder / "worker.sh"
    path.write_text(r"printf 'ready\tdevice=x\tcompute_capability=90\tmultiprocessors=1\n'; exec sleep 1000")
    process = tuner.start(*SMALL, worker=f"sh {path}")
    wait_for(lambda: os.path.exists(tuner.store) and os.path.getsize(tuner.store))
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(path, encoding="utf-8") as file:
        children = file.read().split()
    assert children
    process.kill()
    process.wait()
    wait_for(lambda: not any(os.path.exists(f"/proc/{child}") for child in children))


@pytest.mark.turn
def test_a_broken_store_is_read_as_far_as_it_goes(tuner):
    tuner.measure("default", DEFAULT)
    with open(tuner.store, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = len(lines) + 1
    with open(tuner.store, "a", encoding="utf-8") as file:
        file.write('{"kind": "samples", "v": 1, "us": [1, }\nnonsense\n{"kind":"run","v":7}\n\n[1]\n' + lines[1][:60])
    said = tuner.measure("default", DEFAULT)
    for number, words in ((0, "broken line"), (1, "broken line"), (2, "schema version 7"), (4, "broken line"),
                          (5, "half-written")):
        assert f"{tuner.store}:{first + number}: " in said and words in said
    with open(tuner.store, encoding="utf-8") as file:
        after = file.read().splitlines()
    assert after[:first + 4] == [*lines, '{"kind": "samples", "v": 1, "us": [1, }', "nonsense",
                                 '{"kind":"run","v":7}', "", "[1]"]
    assert [json.loads(line)["kind"] for line in after[first + 4:]] == ["check", "run"]  # nothing was measured again


def test_a_store_of_another_schema_is_refused(tuner):
    with open(tuner.store, "w", encoding="utf-8") as file:
        file.write('{"kind":"run","v":2}\n')
    assert "another schema version" in tuner.measure("default", status=2)
    with open(tuner.store, encoding="utf-8") as file:
        assert file.read() == '{"kind":"run","v":2}\n'


@pytest.mark.turn
def test_the_disk_is_full(tuner):
    limit = 50000
    said = tuner.run(*SMALL, status=3, limits=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert f"gp_tune: {tuner.store}: File too large" in said
    assert 0 < os.path.getsize(tuner.store) <= limit and tuner.lines("samples")  # every line is whole
    tuner.run(*SMALL, "--strategy", "quick")  # and the store can be used again


@pytest.mark.parametrize("arguments, words", [
    ([], "a mode is missing"),
    (["--tune"], "no mode --tune"),
    (["--search"], "--out STORE is missing"),
    (["--search", "--out", "x.jsonl", "--phase", "confirm"], "this mode has no option --phase"),
    (["--search", "--out", "x.jsonl", "--sizes", "4K,many"], "--sizes 4K,many"),
    (["--search", "--out", "x.jsonl", "--primitives", "quicksort"], "quicksort has no search"),
    (["--search", "--out", "x.jsonl", "--primitives", "inclusive_scan"], "uses the rows of exclusive_scan"),
    (["--search", "--out", "x.jsonl", "--strategy", "fast"], "no step fast"),
    (["--search", "--out", "x.jsonl", "--strategy", "all"], "the first step is: incumbent"),
    (["--search", "--out", "x.jsonl", "--strategy", "incumbent 1 1; screen 3"], "screen takes 3 numbers"),
    (["--search", "--out", "x.jsonl", "--seconds", "soon"], "a number from 1"),
    (["--search", "--out", "x.jsonl", "--jobs", "1.5"], "a whole number"),
    (["--search", "--out", "x.jsonl.gz"], "compressed"),
    (["--search", "--out", "nowhere/x.jsonl"], "No such file"),
    (["--search", "--out", "x.jsonl", "--gpus", "one"], "--gpus one"),
    (["--plan"], "the file is missing"),
    (["--plan", "nowhere", "--out", "x.jsonl"], "nowhere: No such file"),
    (["--plan", "plan", "--out", "x.jsonl", "--phase", "search"], "--phase is"),
])
def test_bad_usage(program, tmp_path, arguments, words):
    done = subprocess.run([program, *arguments], stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2 and words in done.stderr


def test_the_description(program):
    said = subprocess.run([program, "--describe"], stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(said) == cell_keys.description()


@pytest.mark.turn
def test_what_no_policy_serves_is_left_out(tuner):
    """A group stops no other; a search without any group that can be served fails with the reason."""
    said = tuner.run("--search", "--primitives", "merge_sort,copy", "--sizes", "1M", "--strategy", "quick",
                     "--jobs", "0")
    assert "skipped merge_sort 4/0/0: merge_sort f32 n=262144 protocol=graph: a cell without a valid policy" in said
    coverage = {line["group"]: line for line in tuner.lines("coverage")}
    skipped = coverage["merge_sort 8/0/0"]
    assert skipped["strategy"] == "skipped" and not skipped["measured"] and skipped["rejected"]["invalid"] > 0
    assert coverage["copy 4/0/4"]["measured"] and len(coverage) == 9
    said = tuner.run("--search", "--primitives", "merge_sort", "--sizes", "1M", "--jobs", "0", status=2)
    assert "a cell without a valid policy" in said


@pytest.mark.parametrize("line, words", [
    (["copy u32 n=1T protocol=cold", "default"], "n=1T is not a count"),
    (["copy u32 n=1024 protocol=warm", "default"], "protocol=warm"),
    (["quicksort u32 n=1024 protocol=cold", "default"], "no primitive quicksort"),
    (["reduce u32 n=1024 protocol=cold", "default"], "reduce needs an operator"),
    (["copy u33 n=1024 protocol=cold", "default"], "no type u33"),
    (["copy u32 n=1024 protocol=cold in_offset=1", "default"], "no field in_offset"),
    (["copy u32 graph=grid:rows=2:columns=2 n=16 protocol=back_to_back", "default"], "no field graph"),
    (["bfs u32 graph=grid:rows=2:columns=2", "default"], "the count n= is missing"),
    (["copy u32 n=1024 protocol=cold"], "a cell without a policy"),
    (["copy u32 n=1024 protocol=cold", "threads"], "not a policy"),
])
def test_bad_plans(tuner, line, words):
    path = tuner.plan([CELL, "default"], line)
    said = tuner.run("--plan", path, status=2)
    assert f"{path}:2: " in said and words in said


# ---- the sources -----------------------------------------------------------------------------------------------------


@pytest.mark.turn
def test_a_store_replays(tuner):
    """The same plan on a recording gives the same numbers; unrecorded cells are an error."""
    policies = [with_fields(DEFAULT, threads=threads) for threads in (128, 512)]
    tuner.measure("default", *policies, model=tuner.model(noise=NOISE))
    recorded, again = tuner.store, str(tuner.folder / "again.jsonl")
    worker = f"{WORKER} --replay {recorded}"
    tuner.measure("default", *policies, arguments=["--out", again], worker=worker)
    assert results_of(tuner.lines("samples", again)) == results_of(tuner.lines("samples"))
    assert tuner.lines("environment", again)[0]["source"] == "replay"
    said = tuner.measure("default", with_fields(DEFAULT, threads=1024), arguments=["--out", again], worker=worker,
                         status=3)
    assert "no sample of phase confirm" in said and "threads=1024" in said
    assert len(tuner.lines("samples", again)) == 3


@pytest.mark.turn
def test_a_search_replays_as_far_as_it_was_recorded(tuner):
    """Cells that the night had no time for do not end the replay. Their groups fail their self-checks: no row is
    made."""
    quick = ["--search", "--primitives", "copy", "--sizes", "1M", "--strategy", "quick", "--jobs", "0"]
    tuner.run(*quick, model=tuner.model(noise=NOISE))
    again, worker = str(tuner.folder / "again.jsonl"), f"{WORKER} --replay {tuner.store}"
    tuner.run(*quick, "--out", again, worker=worker)
    assert results_of(tuner.lines("samples", again)) == results_of(tuner.lines("samples"))
    more = str(tuner.folder / "more.jsonl")
    tuner.run(*quick[:4], "1M,16M", *quick[5:], "--out", more, worker=worker, status=1)
    missing = [line for line in tuner.lines("samples", more) if line["status"] == "invalid"]
    assert missing and all("has no sample of it" in line["message"] for line in missing)
    assert {line["n"] for line in tuner.lines("samples", more) if line["status"] == "ok"} == \
        {line["n"] for line in tuner.lines("samples")}


def test_sources_are_one_interface(tuner):
    model = tuner.model(noise=NOISE)
    policies = ["default", with_fields(DEFAULT, threads=512)]
    tuner.measure(*policies, model=model)
    live = measure.Live([*WORKER.split(), "--synthetic", model])
    with open(model, encoding="utf-8") as file:
        made_up = measure.Synthetic(json.load(file))
    job = tuner.lines("samples")[0]["job"]
    sources = live, made_up, measure.Replay(tuner.store)
    answers = [source.measure(CELL, policies, 9, 400, job=job) for source in sources]
    live.close()
    assert answers[0] == answers[1] == answers[2]
    assert [answer["status"] for answer in answers[0]] == ["ok", "ok"] and len(answers[0][0]["us"]) == 9


def test_a_throttled_process_says_so():
    source = measure.Synthetic({"noise": {"throttle": [5, 10, 1.5]}})
    first = source.measure(CELL, ["default"], 5, 100)[0]["us"]
    assert source.clocks["throttle"] == 0
    second = source.measure(CELL, ["default"], 5, 100)[0]["us"]
    assert source.clocks["throttle"] == measure.THERMAL_SLOWDOWN and min(second) > 1.4 * max(first)


def test_giving_up_leaves_one_number():
    slow = measure.MODEL["defaults"]["copy"].replace("blocks_per_sm=0", "blocks_per_sm=1").replace("256", "128")
    results = measure.Synthetic({}).measure("copy u32 n=67108864 protocol=cold", ["default", slow], 4, 100, give_up=1.5)
    assert [len(result["us"]) for result in results] == [4, 1]


def test_a_model_with_an_unknown_key_is_refused(tuner):
    assert "unknown key speed" in tuner.measure("default", model=tuner.model(speed=1), status=4)
