"""gp_tune --kernel: users' kernels, on synthetic workers; the real NVRTC, if available, compiles their text."""
import json
import os
import re
import subprocess

import pytest

from test_gp_tune import ROOT, Tuner, program  # noqa: F401  (a fixture)

EXAMPLE = os.path.join("examples", "tuned_kernel.cuh")
DEFAULT = ("NORMALISE_THREADS=256,NORMALISE_PASSES=2,NORMALISE_LOAD=GP_CACHE_ALL,NORMALISE_STORE=GP_CACHE_ALL,"
           "NORMALISE_BLOCKS_PER_SM=0")
QUIET = {"between": 0.001, "within": 0.001}


@pytest.fixture
def tuner(program, tmp_path):  # noqa: F811
    return Tuner(program, tmp_path)


def tune(tuner, *arguments, kernel=EXAMPLE, status=0, **model):
    model = {"defaults": {"kernel": DEFAULT}, "noise": QUIET, **model}
    return tuner.run("--kernel", str(kernel), "--jobs", "0", *arguments, status=status, model=tuner.model(**model))


@pytest.mark.turn
def test_the_best_policy_is_written(tuner, tmp_path):
    header = tmp_path / "policy.h"
    said = tune(tuner, "--sizes", "1M,64M", "--policy-out", str(header), seed=5,
                slower=[{"policy": f"NORMALISE_THREADS={threads}", "factor": 3} for threads in (128, 256, 1024)])
    lines = dict(line.split()[1:] for line in header.read_text().splitlines() if line.startswith("#define"))
    assert set(lines) == {name.split("=")[0] for name in DEFAULT.split(",")} and lines["NORMALISE_THREADS"] == "512"
    assert "kernel normalise: NORMALISE_THREADS=512," in said and "n=67108864" in said
    samples = tuner.lines("samples")
    assert {(line["primitive"], line["op"], line["in"], line["n"]) for line in samples} == \
        {("kernel", "normalise", "", 1 << 20), ("kernel", "normalise", "", 1 << 26)}
    coverage = tuner.lines("coverage")[0]
    assert (coverage["group"], coverage["space"]) == ("kernel normalise", 4 * 2 * 3 * 2 * 4)
    assert all(check["passed"] for check in tuner.lines("check"))
    said = tune(tuner, "--sizes", "1M,64M", seed=5)  # again: all from the store
    assert len(tuner.lines("samples")) == len(samples) and "NORMALISE_THREADS=512," in said


@pytest.mark.turn
def test_the_best_by_energy_is_another_one(tuner, tmp_path):
    """The fastest policy takes the most power, so that each objective has a best policy of its own."""
    header = tmp_path / "policy.h"
    model = {"weight": 0, "spread": 0, "noise": QUIET, "slower": [
        {"policy": "NORMALISE_THREADS=512", "factor": 0.8}, {"policy": "NORMALISE_THREADS=128", "factor": 1.5}],
        "power": [{"policy": f"NORMALISE_THREADS={threads}", "factor": factor}
                  for threads, factor in ((512, 2.0), (128, 0.5), (1024, 0.7))]}
    for objective, threads, words in (("energy", 1024, r"0\.(70|69)\d of the default's energy\b"),
                                      ("edp", 1024, r"0\.(70|69)\d of the default's energy x time")):
        said = tune(tuner, "--sizes", "64M", "--policy-out", str(header), "--objective", objective,
                    "--strategy", "incumbent 3 300; all; screen 3 300 0; keep 3; matrix 9 300", **model)
        assert re.search(words, said) and re.search(r"n=67108864 .*: 0\.(70|69)\d \+- 0\.00\d+\n", said), said
        assert f"#define NORMALISE_THREADS {threads}\n" in header.read_text(), objective
        assert re.search(words, header.read_text())
    assert {line["phase"] for line in tuner.lines("samples")} == {"energy", "edp"}
    assert not tuner.lines("coverage") + tuner.lines("check"), "decisions are of times alone"
    assert tune(tuner, "--sizes", "64M", "--objective", "speed", status=2).count("time, energy or edp") == 1


@pytest.mark.turn
def test_what_is_not_two_per_cent_better_changes_nothing(tuner, tmp_path):
    header = tmp_path / "policy.h"
    said = tune(tuner, "--sizes", "64M", "--policy-out", str(header), weight=0, spread=0)
    assert "nothing is 2 % better" in said and "#define NORMALISE_THREADS 256\n" in header.read_text()


@pytest.mark.turn
def test_the_header_cannot_be_written(tuner):
    said = tune(tuner, "--sizes", "64M", "--policy-out", "/nowhere/policy.h", status=3)
    assert "cannot write /nowhere/policy.h" in said and tuner.lines("run")[-1]["complete"]


HOST = """
#ifdef GP_TUNE_HOST
#include "gp_tune_kernel.h"
static uint64_t bytes(int b, uint64_t n) { return b ? 4 : n; }
static void fill(int b, void *d, uint64_t n) { (void)b; (void)d; (void)n; }
static uint64_t moved(uint64_t n) { return n; }
static int launch(gp_tune_launch *l) { l->blocks = 1; l->threads = (unsigned)l->field[0]; return 1; }
static const char *check(void *const *d, uint64_t n) { (void)d; (void)n; return 0; }
const gp_tune_kernel gp_tune_description = {NAME, BUFFERS, bytes, fill, moved, launch, check};
#endif
"""


def host(name='"mine"', buffers="1"):
    return HOST.replace("NAME", name).replace("BUFFERS", buffers)


def fields(text):
    return f"#define GP_TUNE_FIELDS(F) \\\n  {text}\n\n"


@pytest.mark.parametrize("text, words", [
    ("int x;\n", "it declares no fields"),
    (fields(""), "declares no field"),
    (fields("F(A)"), ":2: a field is F(MACRO, default, values...)"),
    (fields("F(A, 1)"), "its default 1 is not one of its values"),
    (fields("F(A, 1, 2, 3)"), ":2: A: its default 1 is not one of its values"),
    (fields("F(A, 1, 1, 2.5)"), "a ) is missing after its values"),
    (fields("F(A, 1, 1, twice)"), "twice is neither a whole number nor one of GP_CACHE_..."),
    (fields("F(A, 1, 1, 2, 2)"), "2 is listed twice"),
    (fields("F(A, 1, 1, 2) \\\n  F(A, 1, 1, 2)"), ":3: A is declared twice"),
    (fields("F(A, 1, 1, 2"), "a ) is missing after its values"),
    (fields(" ".join(f"F(A{i}, 1, 1, 2)" for i in range(17))), "more than 16 fields"),
    (fields("F(A, 1, 1, 2)"), "no gp_tune_description"),
    (fields("F(A, 1, 1, 2)") + "this is no C\n", "cc could not compile its host part"),
    (fields("F(A, 1, 1, 2)") + host(name="0"), "leaves out a field"),
    (fields("F(A, 1, 1, 2)") + host(buffers="9"), "more than 8 buffers"),
])
@pytest.mark.turn
def test_a_bad_file_is_refused_by_line(tuner, tmp_path, text, words):
    kernel = tmp_path / "mine.cuh"
    kernel.write_text(text)
    said = tune(tuner, kernel=kernel, status=2)
    assert words in said and str(kernel) in said and not os.path.exists(tuner.store)


def test_a_missing_file_and_missing_options(program):  # noqa: F811
    for arguments, words in ((["--kernel"], "the file is missing"),
                             (["--kernel", "nowhere.cuh", "--out", "x.jsonl"], "nowhere.cuh: No such file"),
                             (["--kernel", EXAMPLE], "--out STORE is missing"),
                             (["--kernel", EXAMPLE, "--out", "x.jsonl", "--primitives", "copy"], "no option")):
        done = subprocess.run([program, *arguments], stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def test_values_by_name_and_negative_numbers(tuner, tmp_path):
    kernel = tmp_path / "mine.cuh"
    kernel.write_text(fields("F(SIGN, -1, -1, 1) F(LOAD, GP_CACHE_L2, GP_CACHE_ALL, GP_CACHE_L2) F(SIZE, 32, 32, 0x40)")
                      + host())
    tune(tuner, "--sizes", "64M", kernel=kernel, defaults={"kernel": "SIGN=-1,LOAD=GP_CACHE_L2,SIZE=32"})
    measured = {json.dumps(line["policy"]) for line in tuner.lines("samples")}
    assert len(measured) == 8 and tuner.lines("coverage")[0]["space"] == 8


@pytest.mark.turn
def test_the_example_compiles_for_every_policy_asked(program, tmp_path):  # noqa: F811
    environment = {**os.environ, "GP_TUNE_KERNEL": EXAMPLE, "GP_TUNE_CACHE": str(tmp_path)}
    policies = ["default", DEFAULT.replace("THREADS=256", "THREADS=1024").replace("PASSES=2", "PASSES=1"),
                DEFAULT.replace("THREADS=256", "THREADS=7"), "NORMALISE_THREADS=128", "threads=1"]
    asked = "".join(f"compile\tid={i}\tcell=kernel normalise n=4096 protocol=cold\tcompute_capability=90\t"
                    f"policy={one}\n" for i, one in enumerate(policies))
    said = subprocess.run([program, "--compiler"], input=asked + "quit\n", stdout=subprocess.PIPE, text=True, cwd=ROOT,
                          env=environment, check=True).stdout.splitlines()
    answers = [dict(field.split("=", 1) for field in line.split("\t")[1:]) for line in said]
    if "NVRTC cannot be opened" in answers[0]["message"]:
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc")
    assert [answer["status"] for answer in answers] == ["ok", "ok", "invalid", "invalid", "invalid"]
    assert answers[0]["code"] != answers[1]["code"] and int(answers[0]["registers"]) > 8
    assert "the policy lacks" in answers[3]["message"] and "has no field threads" in answers[4]["message"]


AUTHORS = """
struct storage {
  gp_tile_exchange_storage<MY_THREADS, 4, float> exchange;
  gp_tile_merge_sort_storage<MY_THREADS, 4, float> sort;
};
extern "C" __global__ void mine(float *data, unsigned long long n) {
  GP_SHARED(storage, s);
  float x[4];
  gp_tile_load_transposed<MY_THREADS>(x, data, n, 0.0f, s.exchange);
  gp_tile_merge_sort<MY_THREADS>(x, [](float a, float b) { return b < a; }, s.sort);
  gp_tile_store_direct(x, data, n);
}
"""


@pytest.mark.turn
def test_a_kernel_of_the_section_for_authors_compiles(program, tmp_path):  # noqa: F811
    """The library does not embed section >>authors: gp_tune reads it from the header."""
    kernel = tmp_path / "mine.cuh"
    kernel.write_text(fields("F(MY_THREADS, 64, 64, 128)") + AUTHORS + host())
    environment = {**os.environ, "GP_TUNE_KERNEL": str(kernel), "GP_TUNE_CACHE": str(tmp_path)}
    asked = "compile\tid=1\tcell=kernel mine n=4096 protocol=cold\tcompute_capability=90\tpolicy=MY_THREADS=128\n"
    said = subprocess.run([program, "--compiler"], input=asked + "quit\n", stdout=subprocess.PIPE, text=True, cwd=ROOT,
                          env=environment, check=True).stdout.splitlines()
    if "NVRTC cannot be opened" in said[0]:
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc")
    assert "status=ok" in said[0].split("\t"), said[0]
