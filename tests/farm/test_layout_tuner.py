"""The layout tuner (tools/farm/layouts.py) on synthetic workers with known best layouts, and the reader of its trees
(tools/gp_tune_tree.h)."""
import json
import os
import re
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest

from test_gp_tune import ROOT, program  # noqa: F401  (a fixture)

from tools.farm import layouts, store

EXAMPLE = os.path.join("examples", "tuned_layouts.cuh")
SIZES = (1000, 65536, 1 << 20, 1 << 22)
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", "-Itools"]
MODEL = {
    "weight": 0, "spread": 0, "launch_us": 0, "peak_gbs": 40, "noise": {"between": 0.001, "within": 0.001},
    "defaults": {"kernel": "GP_LAYOUT_Particle=GP_AOS,GP_LAYOUT_Body=GP_AOS,STEP_THREADS=256"},
    "slower": [
        # one global layout; then only both parts together; then a gain of each that the other does not affect
        {"cells": "kernel step n=65536 ", "policy": "GP_LAYOUT_Particle=GP_SOA", "factor": 0.6},
        {"cells": "kernel step n=1048576 ", "policy": "GP_LAYOUT_Particle=32,GP_LAYOUT_Body=32", "factor": 0.5},
        {"cells": "kernel step n=4194304 ", "policy": "GP_LAYOUT_Particle=GP_SOA", "factor": 0.7},
        {"cells": "kernel step n=4194304 ", "policy": "GP_LAYOUT_Body=GP_SOA,STEP_THREADS=128", "factor": 0.8}],
    "wrong": ["GP_LAYOUT_Particle=64,STEP_THREADS=64"],
}
WRONG = 4 * len(SIZES)  # layouts of the bodies


class Tuned:
    """A run's outputs."""

    def __init__(self, program, folder, mode):  # noqa: F811
        self.program, self.folder, self.mode = program, folder, mode
        self.store, self.header = str(folder / "store.jsonl"), str(folder / "tree.h")
        (folder / "model.json").write_text(json.dumps(MODEL))
        self.said = self.run(*self.arguments(), status=int(mode == "complete"))  # 1: something was wrong

    def arguments(self, sizes=SIZES, kernel=EXAMPLE, path=None):
        worker = f"{sys.executable} -m tools.farm.measure --synthetic {self.folder / 'model.json'}"
        return [kernel, "--sizes", ",".join(map(str, sizes)), "--store", path or self.store, "--mode", self.mode,
                "--jobs", "0", "--processes", "3", "--worker-command", worker]

    def run(self, *arguments, status=0):
        return run(self.program, *arguments, "--header", self.header, status=status)

    def samples(self):
        with open(self.store, encoding="utf-8") as file:
            return [line for line in map(json.loads, file) if line["kind"] == "samples"]


def run(program, *arguments, status):  # noqa: F811
    done = subprocess.run([sys.executable, "-m", "tools.farm", "layouts", *arguments, "--gp-tune", program], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def complete(program, tmp_path_factory):  # noqa: F811
    return Tuned(program, tmp_path_factory.mktemp("complete"), "complete")


@pytest.fixture(scope="module")
def small(program, tmp_path_factory):  # noqa: F811
    return Tuned(program, tmp_path_factory.mktemp("small"), "small")


READER = """
#include <stdlib.h>
#include "gp_tune_tree.h"
#include TREE
int main(int count, char **arguments) {
  uint64_t fixed[STEP_FIELDS], values[STEP_FIELDS];
  gp_array array = {0, 0, 0, {0, 0, 0, 0}, 0, 0, 0};
  int i, k;
  for (i = 1; i + 1 < count; i += 2) {
    char option[80];
    gp_tune_nothing_fixed(&step_tree, fixed);
    array.base = *arguments[i + 1] == '-' ? 0 : fixed;
    array.layout = strtoull(arguments[i + 1], 0, 10);
    fixed[STEP_GP_LAYOUT_PARTICLE] = gp_tune_fixed(&array);
    printf("%d", gp_tune_choose(&step_tree, strtoull(arguments[i], 0, 10), fixed, values));
    for (k = 0; k < STEP_FIELDS; ++k) {
      if (gp_tune_option(&step_tree, values, k, option, sizeof option) >= sizeof option) return 1;
      printf(" %s", option);
    }
    printf("\\n");
  }
  return 0;
}
"""


def read(tuned, folder, questions, compiler=("gcc", "-std=c99")):
    """[(was it measured, layout of the particles, layout of the bodies, threads)] for (size, fixed layout or "-")."""
    source = folder / "reader.c"
    source.write_text(READER)
    reader = str(folder / "reader")
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"no {compiler[0]}")
    subprocess.run([*compiler, *STRICT, f'-DTREE="{tuned.header}"', str(source), "-o", reader], cwd=ROOT, check=True)
    said = subprocess.run([reader, *(str(word) for question in questions for word in question)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    line = r"([01]) -DGP_LAYOUT_Particle=GP_USE\((\d+)ull\) -DGP_LAYOUT_Body=GP_USE\((\d+)ull\) -DSTEP_THREADS=(\d+)"
    return [tuple(map(int, re.fullmatch(line, one).groups())) for one in said.splitlines()]


BASELINE = (0, 1, 1, 256)


@pytest.mark.parametrize("compiler", [("gcc", "-std=c99"), ("g++", "-std=c++11", "-x", "c++")])
@pytest.mark.turn
def test_the_tree_finds_the_best_of_each_size_and_its_thresholds_are_midpoints(complete, tmp_path, compiler):
    middle = [(a + b) // 2 for a, b in zip(SIZES, SIZES[1:])]
    soa, both, last = (1, 0, 1, 256), (1, 32, 32, 256), (1, 0, 0, 128)
    expected = [(1, BASELINE), (999, BASELINE), (1000, BASELINE), (middle[0] - 1, BASELINE), (middle[0], soa),
                (65536, soa), (middle[1] - 1, soa), (middle[1], both), (1 << 20, both), (middle[2] - 1, both),
                (middle[2], last), (1 << 22, last), ((1 << 22) + 1, BASELINE), (2**64 - 1, BASELINE)]
    assert read(complete, tmp_path, [(n, "-") for n, _ in expected], compiler) == [one for _, one in expected]


@pytest.mark.turn
def test_a_layout_that_is_fixed_stays_and_the_rest_is_the_best_beside_it(complete, tmp_path):
    assert read(complete, tmp_path, [(65536, 1), (65536, 32), (1 << 20, 32), (1 << 20, 0), (1 << 22, 1),
                                     (1 << 22, 32), (1 << 22, 64), (1 << 23, 0)]) == \
        [(0, 1, 1, 256), (0, 32, 1, 256), (1, 32, 32, 256), (0, 0, 1, 256), (1, 1, 0, 128),
         (1, 32, 0, 128), (0, 64, 1, 256), (0, 0, 1, 256)]


@pytest.mark.turn
def test_the_report_of_complete_mode(complete):
    said = complete.said
    assert "complete mode: 5 global layouts, 16 of the rest, 80 combinations" in said
    assert "optimal choices (within 2 % of the best that was measured): 4 of 4" in said
    assert f"runs: complete {80 * 4}, small" in said and f"status wrong {WRONG}" in said
    off = {int(n): float(share) for n, share in re.findall(r"n=(\d+):.*small mode is ([\d.]+) % off", said)}
    assert set(off) == set(SIZES) and all(off[n] < 1 for n in SIZES if n != 1 << 20) and 98 < off[1 << 20] < 102
    speed_up = float(re.search(r"speed-up over the baseline: ([\d.]+)", said).group(1))
    assert speed_up == pytest.approx((1 / 0.6 * 2 / (0.7 * 0.8)) ** 0.25, rel=0.01)


@pytest.mark.turn
def test_small_mode_finds_what_does_not_interact_in_fewer_runs(small, complete, tmp_path):
    assert read(small, tmp_path, [(n, "-") for n in SIZES]) == [BASELINE, (1, 0, 1, 256), BASELINE, (1, 0, 0, 128)]
    matrix = [{store.policy_text(line["policy"]) for line in tuned.samples() if (line["phase"], line["n"]) ==
               ("matrix", SIZES[-1])} for tuned in (small, complete)]
    assert len(matrix[0]) == 5 + 16 - 1 + 1 and len(matrix[1]) == 80
    match = re.search(r"n=4194304: the best of both parts together takes ([+-][\d.]+) %", small.said)
    assert abs(float(match.group(1))) < 1


@pytest.mark.turn
def test_the_same_command_measures_nothing_again(small):
    before = open(small.store, "rb").read()
    header = open(small.header, "rb").read()
    small.run(*small.arguments())
    samples = [line for line in open(small.store, "rb").read()[len(before):].splitlines() if b'"samples"' in line]
    assert not samples and open(small.header, "rb").read() == header
    said = small.run(*small.arguments(), "--from-store")
    assert "speed-up" in said and open(small.header, "rb").read() == header
    assert store.read(small.store).broken == []


@pytest.mark.turn
def test_what_is_not_there_is_said(complete, tmp_path):
    missing = complete.run(*complete.arguments((1000, 2000)), "--from-store", status=2)
    assert "nothing is measured of step, as its file is now, at n=2000" in missing
    other = tmp_path / "other.cuh"
    other.write_text(open(os.path.join(ROOT, EXAMPLE), encoding="utf-8").read() + "// changed\n")
    assert "at n=1000" in complete.run(*complete.arguments(kernel=str(other)), "--from-store", status=2)
    assert "nothing is measured" in complete.run(*complete.arguments(path=str(tmp_path / "none.jsonl")),
                                                 "--from-store", status=2)
    lines = open(complete.store, encoding="utf-8").read().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if '"phase": "matrix"' in line.replace('":"', '": "')
              and json.loads(line)["policy"] == {"GP_LAYOUT_Particle": 32, "GP_LAYOUT_Body": "GP_SOA",
                                                 "STEP_THREADS": 512})
    lines[at] = lines[at][:40] + "\n"
    broken = tmp_path / "broken.jsonl"
    broken.write_text("".join(lines))
    said = complete.run(*complete.arguments(path=str(broken)), "--from-store", status=2)
    assert f"{broken}:{at + 1}: no JSON" in said
    assert "1 of 80 combinations are not measured at n=" in said and \
        "GP_LAYOUT_Particle=32,GP_LAYOUT_Body=GP_SOA,STEP_THREADS=512" in said


@pytest.mark.parametrize("arguments, words", [
    (["--sizes", "1K,12Q", "--store", "x.jsonl"], "'12Q' is not a size"),
    (["--sizes", "1K,1024", "--store", "x.jsonl"], "a size is listed twice"),
    (["--sizes", "0", "--store", "x.jsonl"], "'0' is not a size"),
    (["--sizes", "1K"], "--store is missing"),
    ([], "--sizes is missing"),
    (["--sizes", "1K", "--store", "x.jsonl", "--gpus", "0,1"], "a tree is of one"),
    (["--sizes", "1K", "--store", "x.jsonl", "--processes", "2"], "fewer than 3 confirm nothing"),
    (["--sizes", "1K", "--store", "x.jsonl", "--mode", "large"], "invalid choice"),
])
@pytest.mark.turn
def test_bad_arguments(program, arguments, words):  # noqa: F811
    assert words in run(program, EXAMPLE, *arguments, status=2)


@pytest.mark.parametrize("layout", ["24", "8", "1", "GP_AOSOA", "32+GP_X", "GP_SOA+", "+GP_TRANSPOSED", "-16",
                                    "GP_SOA+GP_TEXTURE", "32+GP_AXES_0012", "GP_AOS+GP_AXES_013", "1048576",
                                    "GP_SOA+GP_AXES_1023+GP_TRANSPOSED", "GP_SOA+GP_READ_ONLY+GP_READ_ONLY"])
@pytest.mark.turn
def test_an_unknown_layout_is_refused_by_line(program, tmp_path, layout):  # noqa: F811
    kernel = tmp_path / "mine.cuh"
    kernel.write_text(f"#define GP_TUNE_FIELDS(F) \\\n  F(GP_LAYOUT_P, GP_AOS, GP_AOS, {layout})\n\n")
    said = run(program, str(kernel), "--header", str(tmp_path / "tree.h"), status=2)
    assert f"{kernel}:2: " in said and not os.path.exists(tmp_path / "tree.h")
    assert "is not a layout: GP_AOS, GP_SOA, or a multiple of 16" in said or "GP_LAYOUT_P: from 1 to 32 values" in said


HOST = """
#include "gpuprims.h"
#define POINT(F) F(float, x) F(unsigned char, kind)
GP_LAYOUT(Point, POINT)
#define GP_TUNE_FIELDS(F) \\
  F(GP_LAYOUT_Point, GP_AOS, GP_AOS, GP_SOA+GP_TRANSPOSED, 32+GP_TRANSPOSED, \\
    GP_SOA+GP_AXES_2013+GP_READ_ONLY, 48+GP_READ_ONLY) \\
  F(GP_LAYOUT_Kept, GP_SOA, GP_AOS, GP_SOA) F(SIGN, -1, -1, 1)

#ifdef GP_TUNE_HOST
#include "gp_tune_kernel.h"
static void array(int b, uint64_t n, const int *field, gp_array *a) {
  if (b == 1) *a = GP_ARRAY_OF(Point, gp_tune_layout(field[0]), n, 3, 1);
}
static uint64_t bytes(int b, uint64_t n) { (void)b; return n; }
static void fill(int b, void *d, uint64_t n) { (void)b; (void)d; (void)n; }
static uint64_t moved(uint64_t n) { return n; }
static int launch(gp_tune_launch *l) { l->blocks = l->threads = 32; return 1; }
static const char *check(void *const *d, uint64_t n) { (void)d; (void)n; return 0; }
const gp_tune_kernel gp_tune_description = {"mine", 2, bytes, fill, moved, launch, check, array};
#endif
"""


@pytest.mark.turn
def test_transposed_arrays_and_what_is_global(program, tmp_path):  # noqa: F811
    kernel = tmp_path / "mine.cuh"
    kernel.write_text(HOST)
    space = layouts.space_of(program, str(kernel), [100])
    assert [(field.name, field.kind) for field in space.fields] == \
        [("GP_LAYOUT_Point", "global"), ("GP_LAYOUT_Kept", "staged"), ("SIGN", "")]
    axes = sum((axis ^ place) << 40 + 2 * place for place, axis in enumerate((2, 0, 1, 3)))
    assert space.fields[0].numbers == (1, 1 << 63, 32 | 1 << 63, axes | 1 << 32, 48 | 1 << 32)
    assert space.fields[2].numbers == (-1, 1)
    assert space.usual == ("GP_AOS", "GP_SOA", "-1") and space.cells == {100: "kernel mine n=100 protocol=graph"}
    said = run(program, str(kernel), "--header", str(tmp_path / "tree.h"), status=0)
    assert "tree: " in said and "0xffffffffffffffffull" in (tmp_path / "tree.h").read_text()


# ---- without gp_tune -------------------------------------------------------------------------------------------------


def space_of(globals_, rest):
    def field(name, kind, count):
        return layouts.Field(name, kind, "0", tuple(map(str, range(count))), tuple(range(count)))

    return layouts.Space("made_up", [field("GP_LAYOUT_A", "global", globals_), field("GP_LAYOUT_B", "staged", rest),
                                     field("THREADS", "", 2)])


@pytest.mark.parametrize("seed", range(20))
def test_without_interaction_small_mode_finds_the_optimum(seed):
    rng = np.random.default_rng(seed)
    space = space_of(*rng.integers(1, 6, 2))
    costs = [{value: rng.uniform(0.5, 2) for value in field.values} for field in space.fields[:1]]
    rest = {}
    ratio = {point: costs[0][point[0]] * rest.setdefault(point[1:], rng.uniform(0.5, 2)) for point in space.points()}
    measured = layouts.measured_by(space, "small", ratio)
    assert min(ratio[point] for point in measured) == min(ratio.values())
    assert set(layouts.asked_of(space, "small")) <= set(measured) <= set(space.points())
    count = len(space.global_points()) + len(space.rest_points()) - 1
    assert count <= len(measured) <= count + 1


def test_equal_leaves_are_one_and_the_smallest_change_is_tried_first():
    leaf = [layouts.Leaf(n, ("1",), 0, 0, 0, (row,)) for n, row in ((10, ("1",)), (20, ("1",)), (31, ("2",)))]
    assert [(first, last, one.rows) for first, last, one in layouts.intervals(leaf)] == \
        [(10, 25, (("1",),)), (26, 31, (("2",),))]  # the midpoint of 20 and 31 is 25.5
    base, one, two = ("0", "0", "0"), ("1", "0", "0"), ("1", "2", "1")
    assert layouts.candidates({base: 1.0, one: 0.503, two: 0.5}, base) == [one, two]
    assert layouts.candidates({base: 1.0, one: 0.6, two: 0.5}, base) == [two]
    assert layouts.candidates({base: 1.0, one: 0.985, two: 0.99}, base) == []


def test_what_does_not_gain_in_every_process_is_the_baselines():
    space = space_of(2, 1)
    base, other = ("0", "0", "0"), ("1", "0", "0")
    for logs, choice in (([0.0, -0.1, 0.3], base), ([-0.3, -0.31, -0.3], other), ([-0.01, -0.01, -0.01], base),
                         ([-0.3, -0.3], base)):
        measured = types.SimpleNamespace(pairs=lambda n, a, b, logs=logs: ([0.0, 0.001, 0.0][:len(logs)], logs))
        assert layouts.leaf_of(space, measured, 5, [(base, (other,))]).choice == choice


@pytest.mark.turn
def test_the_worker_hands_arrays_of_every_layout_to_a_kernel(tmp_path):
    worker = str(tmp_path / "own_kernel_worker")
    sources = [os.path.join("tests", "farm", "own_kernel_worker.c"), os.path.join("tools", "tune", "kernel.c")]
    subprocess.run([os.environ.get("CC", "gcc"), "-O0", "-std=gnu11", "-D_GNU_SOURCE", *STRICT[:3], "-I.", *sources,
                    "-o", worker, "-ldl", "-lpthread", "-lm"], cwd=ROOT, check=True)
    done = subprocess.run([worker, EXAMPLE], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    assert done.returncode == 0 and " 0 failed" in done.stdout, done.stdout


@pytest.mark.turn
def test_the_example_compiles_for_layouts_in_memory_and_shared_memory(program, tmp_path):  # noqa: F811
    environment = {**os.environ, "GP_TUNE_KERNEL": EXAMPLE, "GP_TUNE_CACHE": str(tmp_path)}
    policies = ["default", *(f"GP_LAYOUT_Particle={a},GP_LAYOUT_Body={b},STEP_THREADS=128"
                             for a, b in (("GP_SOA", "GP_AOS"), ("GP_SOA", "GP_SOA"), ("32", "16")))]
    asked = "".join(f"compile\tid={i}\tcell=kernel step n=4096 protocol=cold\tcompute_capability={capability}\t"
                    f"policy={one}\n" for i, one in enumerate(policies) for capability in (75, 90))
    said = subprocess.run([program, "--compiler"], input=asked + "quit\n", stdout=subprocess.PIPE, text=True, cwd=ROOT,
                          env=environment, check=True).stdout.splitlines()
    answers = [dict(field.split("=", 1) for field in line.split("\t")[1:]) for line in said]
    if "NVRTC cannot be opened" in answers[0]["message"]:
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc")
    assert all((answer["status"], answer["local_bytes"]) == ("ok", "0") for answer in answers), answers
    assert len({answer["code"] for answer in answers}) == len(answers)
