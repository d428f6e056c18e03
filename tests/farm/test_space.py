"""The policy space, the compiler process and the reader of machine code (tools/tune/space.c, compiler.c,
tools/gp_cubin.h), without a GPU: against the header's own rules, ptxas, cuobjdump and NVIDIA's occupancy calculator."""
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest
import tune_parts

NVCC = shutil.which("nvcc")
CUOBJDUMP = shutil.which("cuobjdump")
needs_nvcc = pytest.mark.skipif(not NVCC, reason="no nvcc: apt-get install nvidia-cuda-toolkit")
SCAN = "exclusive_scan SUM u32 n=1M"
LOOK_BACK = "algorithm=LOOK_BACK,threads=128,vectors=1"


# ---- the space -------------------------------------------------------------------------------------------------------


def significant(text):
    """The fields of a policy that its algorithm reads (the comment at gp__canonical)."""
    policy = tune_parts.policy_of(text)
    unread = {"PIPELINED": {"load", "store"}, "ONE_SWEEP": set()}.get(policy["algorithm"], {"stages"})
    if policy["algorithm"] in {"ONE_BLOCK", "ONE_CLUSTER"}:
        unread.add("blocks_per_sm")
    return frozenset(item for item in policy.items() if item[0] not in unread)


@pytest.mark.parametrize("cell, compute_capability", [
    ("copy u8 n=1G", 90), ("fill f64 n=3", 80), ("transform2 SUM f16 n=64K", 120), ("reduce SUM u32 n=1M", 75),
    ("reduce MAX f32 n=1M", 103), (SCAN, 90), ("inclusive_scan SUM s12 n=1000000", 86),
    ("exclusive_scan SUM u8 out=u32 n=1M", 100), ("inclusive_scan SUM s16 n=16M", 75),
    ("reduce_by_key SUM u32 n=1M", 90), ("select s16 n=1M", 80), ("unique u8 payload=u64 n=1M", 90),
    ("segmented_exclusive_scan SUM f32 n=1M", 75), ("segmented_reduce SUM u8 segments=mixed n=1M", 90),
    ("histogram_even u8 bins=48K n=1M", 90), ("load_balance u32 n=1M", 100), ("count_if f32 n=1M", 86),
])
@pytest.mark.turn
def test_space_is_what_the_header_allows(program, cell, compute_capability):
    """Every point of the declared fields, passed to the header one by one."""
    found = tune_parts.space(program, cell, "--compute-capability", compute_capability)
    names = [field["name"] for field in found["fields"]]
    points = list(itertools.product(*(field["values"] for field in found["fields"])))
    texts = [",".join(f"{name}={value}" for name, value in zip(names, point)) for point in points]
    answers = tune_parts.run([program, "--resolve", cell, compute_capability], input="\n".join(texts) + "\n").split()
    valid = [answer for answer in answers if answer != "invalid"]
    assert len(answers) == len(points) == found["raw"]
    assert len(set(found["policies"])) == len(found["policies"]) == found["valid"] > 0
    assert set(map(significant, found["policies"])) == set(map(significant, valid))
    assert len(set(map(significant, valid))) == found["valid"]
    assert found["rejected"] == {"invalid": answers.count("invalid"), "same": len(valid) - found["valid"]}
    assert found["not_compiled"] == 0 and found["compute_capability"] == compute_capability
    # The header accepts each listed policy.
    listed = tune_parts.run([program, "--resolve", cell, compute_capability], input="\n".join(found["policies"]) + "\n")
    assert listed.split() == found["policies"]


BY_EDGES = {"CONTRACT_EXPAND", "TWO_PHASE", "HYBRID"}


def significant_search(text):
    """Likewise for searches of graphs."""
    policy = tune_parts.policy_of(text)
    algorithm = policy["algorithm"]
    unread = {"alpha", "beta", "look", "cluster"} if algorithm in BY_EDGES else {"gather", "cull"}
    unread |= {"cluster"} if algorithm == "FUSED_LAUNCHES" else set()
    unread |= {"small"} if algorithm in ("CONTRACT_EXPAND", "TWO_PHASE") else set()
    unread |= {"beta"} if policy["alpha"] == "-1" else set()
    return frozenset(item for item in policy.items() if item[0] not in unread | {"stages"})


@pytest.mark.parametrize("cell, compute_capability, algorithms, clusters", [
    ("bfs u32 graph=kronecker:scale=20", 90, {"EXPAND_CONTRACT", "FUSED_LAUNCHES"} | BY_EDGES, {"1", "8", "16"}),
    ("bfs u64 graph=grid:rows=1000:columns=1000 offsets=u64", 80, {"EXPAND_CONTRACT", "FUSED_LAUNCHES"} | BY_EDGES,
     {"1"}),
    ("bfs_sources u32 graph=uniform:n=256K at_once=32", 90, {"EXPAND_CONTRACT"}, {"1"}),
])
@pytest.mark.turn
def test_space_of_searches(program, cell, compute_capability, algorithms, clusters):
    """The product of all fields has millions of points, most of which differ in fields that their algorithm does not
    read: passes some thousands to the header."""
    found = tune_parts.space(program, cell, "--compute-capability", compute_capability)
    draw = random.Random(1)
    texts = [",".join(f"{field['name']}={draw.choice(field['values'])}" for field in found["fields"])
             for _ in range(5000)]
    answers = tune_parts.run([program, "--resolve", cell, compute_capability], input="\n".join(texts) + "\n").split()
    points = set(map(significant_search, found["policies"]))
    assert found["raw"] == 5443200 and len(points) == len(found["policies"]) == found["valid"] < found["raw"] / 30
    assert {re.match("algorithm=(\\w+),", policy).group(1) for policy in found["policies"]} == algorithms
    assert {re.search("cluster=(\\d+)$", policy).group(1) for policy in found["policies"]} == clusters
    valid = [answer for answer in answers if answer != "invalid"]
    assert len(valid) > 100 and {significant_search(answer) for answer in valid} <= points
    assert found["raw"] == found["valid"] + sum(found["rejected"].values())
    listed = draw.sample(found["policies"], 500)
    again = tune_parts.run([program, "--resolve", cell, compute_capability], input="\n".join(listed) + "\n").split()
    assert again == listed  # the header accepts each listed policy


def doctored(folder, *changes):
    """A program on a copy of the header with (old, new) texts changed."""
    with open(os.path.join(tune_parts.ROOT, "gpuprims.h"), encoding="utf-8") as file:
        text = file.read()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    with open(folder / "gpuprims.h", "w", encoding="utf-8") as file:
        file.write(text)
    return tune_parts.build(str(folder), str(folder))


@pytest.fixture(scope="module")
def longer(tmp_path_factory):
    """A header with another value of a field of reductions, and a longer text before all kernels."""
    fields = "#define GP_POLICY_FIELDS_REDUCE(F)"
    with open(os.path.join(tune_parts.ROOT, "gpuprims.h"), encoding="utf-8") as file:
        block = re.search(re.escape(fields) + r".*?\n\n?#define", file.read(), re.S).group(0)
    changed = block.replace("F(threads, 0, 128,", "F(threads, 0, 96, 128,")
    assert changed != block
    warp = "// >>warp ----"
    return doctored(tmp_path_factory.mktemp("longer"), (block, changed), (warp, "// A longer text before it.\n" + warp))


@pytest.mark.turn
def test_new_value_of_a_field(program, longer):
    """Another value in the header is all that the tools need."""
    cell = "reduce SUM f32 n=1M"
    before = tune_parts.space(program, cell)
    after = tune_parts.space(longer, cell)
    new = set(after["policies"]) - set(before["policies"])
    assert set(before["policies"]) < set(after["policies"])
    assert new == {policy for policy in after["policies"] if ",threads=96," in policy}
    assert 4 * after["raw"] == 5 * before["raw"] and 4 * after["valid"] == 5 * before["valid"]


@pytest.mark.parametrize("arguments, says", [
    ((), "usage"), (("--cell", "copy"), "a cell is"), (("--cell", "copy u32 n=0"), "count"),
    (("--cell", "sorted u32 n=4"), "no primitive sorted"), (("--cell", "transform SUM f32 n=4"), "unary"),
    (("--cell", "bfs u32 n=4"), "graph=KIND"), (("--cell", "bfs u32 graph=tree:n=9"), "no field graph=tree:n=9"),
    (("--cell", "bfs u32 graph=kronecker:scale=4 n=100"), "n must be twice"),
    (("--cell", "bfs f32 graph=kronecker:scale=4"), "vertices and offsets must be u32 or u64"),
    (("--cell", "bfs u32 graph=kronecker:scale=27"), "offsets=u64"),
    (("--cell", "bfs u32 graph=kronecker:scale=4 protocol=cold"), "protocol=back_to_back"),
    (("--cell", SCAN, "--compute-capability", "70"), "75 and later"), (("--cell", SCAN, "--all"), "--all"),
    (("--cell", SCAN, "--resources-limit"), "--resources-limit"), (("--cell", SCAN, "--resources-limit", "x"), "x"),
])
def test_space_says_what_is_wrong(program, arguments, says):
    done = subprocess.run([program, "--space", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and not done.stdout and says in done.stderr


@pytest.mark.turn
def test_resources(program, architectures, tmp_path):
    """A sample: the numbers add up, policies that ask for more blocks than fit are rejected, and a rerun gives the
    same."""
    sample = 24
    arguments = (program, "reduce SUM u8 n=1M", "--compute-capability", 90, "--resources-limit", sample)
    plain = tune_parts.space(*arguments[:4])
    found = tune_parts.space(*arguments, env=tune_parts.environment(tmp_path))
    assert found["raw"] == found["valid"] + found["not_compiled"] + sum(found["rejected"].values()) == plain["raw"]
    assert found["not_compiled"] == plain["valid"] - sample
    assert found["rejected"]["compile"] == 0 and found["rejected"]["blocks_per_sm"] > 0 < found["valid"]
    assert [entry["policy"] for entry in found["resources"]] == found["policies"]
    assert set(found["policies"]) < set(plain["policies"])
    for entry in found["resources"]:
        policy = tune_parts.policy_of(entry["policy"])
        most = min(2048 // int(policy["threads"]), 32)
        assert 0 < entry["registers"] <= 255 and entry["shared_bytes"] > 0 < entry["occupancy"] <= most
        assert policy["algorithm"] == "ONE_BLOCK" or int(policy["blocks_per_sm"]) <= entry["occupancy"]
        assert re.fullmatch(r"[0-9a-f]{16}", entry["code"])
    assert tune_parts.space(*arguments, env=tune_parts.environment(tmp_path)) == found


@pytest.mark.turn
def test_resources_reject_spills(architectures, tmp_path):
    """On a header that leaves a thread 32 registers, long vectors spill; on one with a mistake nothing compiles."""
    old = 'gp__add(t, "extern \\"C\\" __global__ void __launch_bounds__(%u", q->block_threads);'
    new = old.replace('"extern', 'getenv("BROKEN") ? "extern __golbal__ %u" : "extern').replace("(%u",
                                                                                                "(1024, 2 + 0 * %u")
    program = doctored(tmp_path, (old, new))
    cell, environment = "transform2 SUM f64 n=1M", tune_parts.environment()
    found = tune_parts.space(program, cell, "--resources-limit", 16, env=environment)
    assert found["rejected"]["spills"] > 0 < found["valid"] and found["rejected"]["compile"] == 0
    assert not any(",vectors=8," in policy for policy in found["policies"])
    environment["BROKEN"] = "1"
    found = tune_parts.space(program, cell, "--resources-limit", 3, stderr=subprocess.PIPE, env=environment)
    assert found["rejected"]["compile"] == 3 and found["valid"] == 0 == len(found["policies"])


# ---- the compiler process --------------------------------------------------------------------------------------------


def processor_seconds():
    """For the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ask(program, text, cache="", **options):
    """The compiler process's output for the text: its messages, and the finished process."""
    done = subprocess.run([program, "--compiler"], input=text, capture_output=True, text=True, check=False, timeout=60,
                          env=tune_parts.environment(cache), **options)
    answers = [tune_parts.message(line) for line in done.stdout.splitlines()]
    assert all(word == "compiled" for word, _ in answers)
    return [fields for _, fields in answers], done


def compile_line(id_, cell, compute_capability, policy):
    return f"compile\tid={id_}\tcell={cell}\tcompute_capability={compute_capability}\tpolicy={policy}\n"


@pytest.mark.turn
def test_protocol(program, architectures, tmp_path):
    cells = [("scan", SCAN, 90, LOOK_BACK), ("usual", "copy u32 n=1M", 75, "default"),
             ("three sweeps", SCAN, 90, "algorithm=THREE_SWEEP,threads=128,vectors=1")]
    text = "".join(compile_line(*cell) for cell in cells)
    before = processor_seconds()
    first, done = ask(program, text + "quit\n" + text, tmp_path)
    compiling = processor_seconds() - before
    assert done.returncode == 0 and not done.stderr
    assert [answer["id"] for answer in first] == [cell[0] for cell in cells]
    assert [len(answer["kernels"].split(",")) for answer in first] == [1, 1, 3]
    assert [answer["policy"].split(",")[0] for answer in first] == [f"algorithm={name}" for name in
                                                                    ("LOOK_BACK", "DIRECT", "THREE_SWEEP")]
    for answer in first:
        assert list(answer) == ["id", "status", "code", "registers", "local_bytes", "shared_bytes", "occupancy",
                                "image_bytes", "ms", "kernels", "policy", "message"]
        assert answer["status"] == "ok" and re.fullmatch(r"[0-9a-f]{16}", answer["code"]) and not answer["message"]
        assert answer["registers"] > 0 < answer["occupancy"] and answer["image_bytes"] > 1000
    assert first[0]["shared_bytes"] >= 128 * 16 and first[1]["shared_bytes"] == 0
    # The cache has five kernels now; the second time nothing is compiled, and the output is the same.
    images = {path.name: path.read_bytes() for path in tmp_path.glob("*.kernel")}
    reading = []
    for _ in range(3):
        before = processor_seconds()
        second, _ = ask(program, text, tmp_path)
        reading.append(processor_seconds() - before)
    assert len(images) == 5 and images == {path.name: path.read_bytes() for path in tmp_path.glob("*.kernel")}
    for old, new in zip(first, second):
        assert {**old, "ms": 0} == {**new, "ms": 0}
    assert min(reading) < compiling / 4, (reading, compiling)  # processor time, which a busy machine changes least


@pytest.mark.parametrize("line, status, says", [
    (compile_line(1, SCAN, 90, "threads=100"), "invalid", "policy.threads = 100"),
    (compile_line(1, SCAN, 75, "algorithm=PIPELINED"), "invalid", "algorithm = 7"),
    (compile_line(1, SCAN, 90, "colour=red"), "invalid", "no field colour"),
    (compile_line(1, SCAN, 90, "threads"), "invalid", "threads has no value"),
    (compile_line(1, "copy", 90, "default"), "invalid", "a cell is"),
    (compile_line(1, "transform SUM f32 n=4", 90, "default"), "invalid", "unary"),
    (compile_line(1, "x" * 9000, 90, "default"), "invalid", "longer than"),
    (compile_line(1, SCAN, "9.0", "default"), "invalid", "9.0"),
    (compile_line(1, SCAN, -90, "default"), "invalid", "-90"),
    (compile_line(1, SCAN, 70, "default"), "compile", "75 is the oldest"),
    ("compile\tid=1\n", "invalid", "not a compute capability"),
])
def test_protocol_bad_jobs(program, line, status, says):
    """Each gets an answer with its reason; the next one is served."""
    answers, done = ask(program, line + compile_line(2, SCAN, 90, "threads=100"))
    assert done.returncode == 0 and [answer["id"] for answer in answers] == ["1", "2"]
    assert answers[0]["status"] == status and says in answers[0]["message"] and not answers[0]["code"]


def test_protocol_unknown_architecture(program, architectures):
    answers, _ = ask(program, compile_line(1, SCAN, 999, "default"))
    assert answers[0]["status"] == "compile" and "99.9" in answers[0]["message"]


def test_protocol_nonsense(program):
    """Bad messages are reported on standard error; a truncated line is not a job."""
    answers, done = ask(program, "\n\t\t=\nbonjour\tid=1\n\x01\x02\n" + compile_line(1, SCAN, 90, "default")[:-9])
    assert not answers and done.returncode == 0 and "bonjour" in done.stderr
    answers, done = ask(program, "")
    assert not answers and done.returncode == 0 and not done.stderr


def test_compilation_that_dies(program, architectures, tmp_path):
    """A killed compilation (here because it may write no file) is answered by its process, which continues."""
    answers, done = ask(program, compile_line(1, "copy u32 n=1M", 90, "default") + compile_line(2, SCAN, 90, "x=1"),
                        tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert done.returncode == 0 and [answer["id"] for answer in answers] == ["1", "2"]
    assert answers[0]["status"] == "compile"
    assert answers[0]["message"].endswith(f"without an answer: signal {int(signal.SIGXFSZ)}")
    assert answers[1]["status"] == "invalid"


def child_of(pid):
    while True:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            found = file.read().split()
        if found:
            return int(found[0])


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_killed_process_leaves_nobody_behind(program, architectures, tmp_path):
    """The current compilation ends with it, before it has written anything."""
    with subprocess.Popen([program, "--compiler"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=tune_parts.environment(tmp_path)) as process:
        process.stdin.write(compile_line(1, SCAN, 90, "default"))
        process.stdin.flush()
        child = child_of(process.pid)
        process.kill()
        assert not process.stdout.read()
    end = time.monotonic() + 30
    while runs(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not runs(child) and not list(tmp_path.glob("*.kernel"))


def addresses_can_be_fixed():
    """Whether the system allows a process to ask for fixed addresses."""
    script = "import ctypes; exit(ctypes.CDLL(None).personality(0x0040000) < 0)"
    return subprocess.run([shutil.which("python3"), "-c", script], check=False).returncode == 0


@pytest.mark.turn
def test_equal_source_is_equal_code(program, longer, architectures, tmp_path):
    """Policies with different machine code have different hashes; a recompiled kernel has the same one."""
    policies = ["threads=256,blocks_per_sm=1", "threads=256,blocks_per_sm=2", "threads=128,blocks_per_sm=1"]
    answers, _ = ask(program, "".join(compile_line(1, "fill u32 n=1M", 90, policy) for policy in policies))
    assert answers[0]["code"] == answers[1]["code"] != answers[2]["code"]
    if addresses_can_be_fixed():
        line = compile_line(1, "exclusive_scan SUM f64 n=4M", 90, "default")
        jobs = [(program, line + line), (program, line, tmp_path / ("long" * 30)), (longer, line, tmp_path / "cache")]
        answers = [answer for answers, _ in tune_parts.in_parallel(ask, jobs) for answer in answers]
        assert {answer["status"] for answer in answers} == {"ok"} and len({answer["code"] for answer in answers}) == 1


# ---- reading machine code --------------------------------------------------------------------------------------------

# A kernel for each property: nothing; static shared memory; a local array; spills; named barriers.
KERNELS = r"""
extern "C" __global__ void nothing(float *p, int n) { p[threadIdx.x] = n; }
extern "C" __global__ void shared(float *p, int n) {
  __shared__ float s[100];
  extern __shared__ float dynamic[];
  s[threadIdx.x] = dynamic[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x ^ 1] + dynamic[n];
}
extern "C" __global__ void array(float *p, int n) {
  float local[20];
  for (int i = 0; i < 20; i++) local[i * n % 20] = p[i];
  p[threadIdx.x] = local[n];
}
extern "C" __global__ void __launch_bounds__(1024, 2) spills(double *p, int n) {
  double x[40];
  for (int i = 0; i < 40; i++) x[i] = p[i * n + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 40; i++) p[i * n + threadIdx.x] = x[39 - i] * x[i];
}
extern "C" __global__ void barriers(float *p, int n) {
  asm volatile("bar.sync 3, 64;" ::: "memory");
  p[threadIdx.x] = n;
}
"""
NAMES = ["nothing", "shared", "array", "spills", "barriers"]
ARCHITECTURES = [75, 80, 86, 90, 100, 120]


def cubin_of(program, path, kernel):
    return json.loads(tune_parts.run([program, "--cubin", path, kernel]))


def assemble(folder, name, source, *flags):
    """A cubin, and ptxas's report: {kernel: {"registers", "barriers", "smem", "stack"}}."""
    path = folder / f"{name}.cubin"
    (folder / f"{name}.cu").write_text(source)
    done = subprocess.run([NVCC, "-cubin", "-Xptxas", "-v", *flags, "-o", path, folder / f"{name}.cu"], check=True,
                          capture_output=True, text=True)
    said = {}
    for part in done.stderr.split("Compiling entry function '")[1:]:
        numbers = {word: re.search(rf"(\d+) {text}", part) for word, text in
                   (("registers", "registers"), ("barriers", "barriers"), ("smem", "bytes smem"),
                    ("stack", "bytes stack frame"))}
        said[part.split("'")[0]] = {word: int(match.group(1)) if match else 0 for word, match in numbers.items()}
    return path, said


@pytest.fixture(scope="module")
def assembled(tmp_path_factory):
    """{architecture: (cubin, ptxas's report)}"""
    folder = tmp_path_factory.mktemp("cubins")
    made = tune_parts.in_parallel(assemble, [(folder, f"sm_{n}", KERNELS, f"-arch=sm_{n}") for n in ARCHITECTURES])
    return dict(zip(ARCHITECTURES, made))


@needs_nvcc
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.turn
def test_resources_are_those_of_ptxas(program, assembled, architecture):
    path, said = assembled[architecture]
    assert list(sorted(said)) == sorted(NAMES)
    for name in NAMES:
        read = cubin_of(program, path, name)
        assert read["compute_capability"] == architecture and read["code_bytes"] > 0
        assert {"registers": read["registers"], "barriers": read["barriers"], "smem": read["shared_bytes"],
                "stack": read["local_bytes"]} == said[name], name
    assert said["spills"]["stack"] > 0 < said["array"]["stack"] and said["shared"]["smem"] == 400
    assert said["barriers"]["barriers"] > 1 and said["nothing"]["stack"] == said["nothing"]["smem"] == 0


def resource_usage(path):
    """cuobjdump's report: {function: {"REG", "STACK", "SHARED"}}."""
    text = tune_parts.run([CUOBJDUMP, "-res-usage", path])
    found = re.findall(r"Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)", text)
    return {name: {"REG": int(registers), "STACK": int(stack), "SHARED": int(shared)}
            for name, registers, stack, shared in found}


def cached_image(path):
    """The image in a file of the library's disk cache (struct gp__cache_head)."""
    data = path.read_bytes()
    key, image = (int.from_bytes(data[at:at + 8], "little") for at in (8, 16))
    return data[56 + key:56 + key + image]


@pytest.mark.skipif(not CUOBJDUMP, reason="no cuobjdump: pip install nvidia-cuda-cuobjdump, and put it into PATH")
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_resources_are_those_of_cuobjdump(program, architectures, tmp_path, architecture):
    """On the library's kernels. From 9.0 on its SHARED includes the reserved kilobyte, if there is any shared
    memory."""
    for cell, policy in ((SCAN, LOOK_BACK), ("reduce SUM f64 n=1M", "default"), ("copy u8 n=1M", "default")):
        cache = tmp_path / cell.split()[0]
        tune_parts.compile_one(program, cell, architecture, policy, cache)
        image = tmp_path / "image.cubin"
        image.write_bytes(cached_image(next(cache.glob("*.kernel"))))
        read = cubin_of(program, image, "gp__entry")
        reserved = 1024 if architecture >= 90 and read["shared_bytes"] else 0
        assert resource_usage(image)["gp__entry"] == {
            "REG": read["registers"], "STACK": read["local_bytes"], "SHARED": read["shared_bytes"] + reserved}


@needs_nvcc
@pytest.mark.turn
def test_hash_is_of_the_machine_code(program, tmp_path):
    """The hash ignores names, debug information and initialised variables, but not code and constants."""
    kernel = """__device__ int echo[2] = {%d, 2};
    __constant__ float table[2] = {%d, 2};
    extern "C" __global__ void %s(float *p, int n) { p[threadIdx.x] = table[n] + echo[n] %s 3; }
    """
    variants = {"first": (1, 1, "one", "+"), "named": (1, 1, "another_name", "+"), "lines": (1, 1, "one", "+"),
                "echo": (7, 1, "one", "+"), "table": (1, 7, "one", "+"), "code": (1, 1, "one", "*")}
    codes = {}
    for name, values in variants.items():
        flags = ["-lineinfo"] if name == "lines" else []
        path, _ = assemble(tmp_path, name, kernel % values, "-arch=sm_90", *flags)
        codes[name] = cubin_of(program, path, values[2])["code"]
    assert codes["first"] == codes["named"] == codes["lines"] == codes["echo"]
    assert len({codes["first"], codes["table"], codes["code"]}) == 3


FUZZ = r"""
#define GPUPRIMS_IMPLEMENTATION
#define GPUPRIMS_STATIC
#include "gpuprims.h"
#include "tools/gp_cubin.h"

static const char *whole;
static size_t bytes;
static int counts[2], fits; // read, refused

// Reads `size` bytes of the image in memory of just that size, `with` in place of those at `at`.
static void try(size_t size, size_t at, const void *with, size_t changed, size_t at2, const void *with2,
                size_t changed2) {
  char *image = (char *)malloc(size ? size : 1);
  gp_cubin c;
  memcpy(image, whole, size);
  memcpy(image + at, with, changed);
  memcpy(image + at2, with2, changed2);
  const char *why = gp_cubin_read(image, size, "shared", &c);
  counts[why != NULL]++;
  if (!why) fits += gp_cubin_occupancy(&c, 128, 1024) > 0;
  free(image);
}

int main(int count, char **arguments) { // the image of a kernel named shared
  static const uint64_t wild[] = {0, 1, 0x7fffffff, 0x80000000u, ~7ull, ~0ull, 1ull << 63};
  static const unsigned char attribute[12] = {4, GP_CUBIN_REGISTERS, 8, 0};
  FILE *file = fopen(arguments[count - 1], "rb");
  uint64_t random = 88172645463325252u;
  Elf64_Ehdr head;
  Elf64_Shdr s;
  size_t size, i, j, k;
  whole = gp__read_file(file, &bytes);
  memcpy(&head, whole, sizeof head);
  for (size = 0; size <= bytes; size += size < 4096 || size + 1024 > bytes ? 1 : 977) try(size, 0, "", 0, 0, "", 0);
  if (counts[0] < 1 || counts[1] < 1000) return 1;
  // Every section somewhere else: at the end, with an attribute that is cut off; and out of this world.
  for (i = 0; i < head.e_shnum; i++) {
    const size_t at = head.e_shoff + i * sizeof s;
    for (k = 0; k <= sizeof attribute; k++) {
      memcpy(&s, whole + at, sizeof s);
      s.sh_offset = bytes - k;
      s.sh_size = k;
      try(bytes, at, &s, sizeof s, bytes - k, attribute, at + sizeof s > bytes - k ? 0 : k);
    }
    for (j = 0; j < sizeof wild / sizeof *wild; j++)
      for (k = 0; k < sizeof wild / sizeof *wild; k++) {
        memcpy(&s, whole + at, sizeof s);
        s.sh_offset = wild[j];
        s.sh_size = wild[k];
        s.sh_name = (Elf64_Word)(k ? s.sh_name : wild[j]);
        try(bytes, at, &s, sizeof s, 0, "", 0);
      }
  }
  for (i = 0; i < sizeof head; i++)
    for (j = 0; j < sizeof wild / sizeof *wild; j++)
      try(bytes, i, &wild[j], i + 8 > sizeof head ? sizeof head - i : 8, 0, "", 0);
  for (i = 0; i < 4000; i++) { // and bytes at random
    size_t at[2];
    for (j = 0; j < 2; j++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      at[j] = j ? (random >> 8) % bytes : head.e_shoff + (random >> 8) % (head.e_shnum * sizeof s);
    }
    try(bytes, at[0], &random, 1, at[1], (char *)&random + 1, 1);
  }
  printf("%d read, %d refused, %d fit\n", counts[0], counts[1], fits);
  free((void *)whole);
  fclose(file);
  return counts[0] < 1000 || counts[1] < 1000 || fits < 1000;
}
"""


@needs_nvcc
@pytest.mark.turn
def test_damaged_images_are_refused(program, assembled, tmp_path):
    (tmp_path / "fuzz.c").write_text(FUZZ)
    tune_parts.run([tune_parts.CC, "-O1", "-g", "-std=gnu11", "-fsanitize=address,undefined", "-fno-sanitize-recover",
                    "-I.", tmp_path / "fuzz.c", "-o", tmp_path / "fuzz", "-ldl", "-lpthread", "-lm"])
    small = next(part for part in KERNELS.split("\nextern") if "void shared" in part)
    for architecture in (75, 120):
        path, _ = assemble(tmp_path, "small", f"extern {small}", f"-arch=sm_{architecture}")
        print(tune_parts.run([tmp_path / "fuzz", path]))
    for path, says in ((program, "machine"), (tmp_path / "fuzz.c", "ELF"), (os.devnull, "short"),
                       (assembled[90][0], "not in it")):
        assert says in cubin_of(program, path, "gp__entry")["why"]


OCCUPANCY = r"""
#define GPUPRIMS_IMPLEMENTATION
#define GPUPRIMS_STATIC
#include "gpuprims.h"
#include "tools/gp_cubin.h"
#include <cuda_occupancy.h>

int main(void) {
  static const int threads[] = {1, 32, 96, 128, 224, 256, 320, 352, 384, 416, 512, 608, 992, 1024};
  const int rows = sizeof GP_MULTIPROCESSORS / sizeof *GP_MULTIPROCESSORS;
  int row, registers, i, shared, barriers, checked = 0, wrong = 0;
  for (row = 0; row < rows; row++) {
    const gp_multiprocessor *m = &GP_MULTIPROCESSORS[row];
    cudaOccDeviceProp p;
    cudaOccDeviceState state;
    memset(&p, 0, sizeof p);
    memset(&state, 0, sizeof state);
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    p.computeMajor = m->compute_capability / 10;
    p.computeMinor = m->compute_capability % 10;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = m->threads;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.numSms = 1;
    p.reservedSharedMemPerBlock = m->compute_capability >= 80 ? 1024 : 0;
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerMultiprocessor = (size_t)m->shared_kib * 1024;
    p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor - p.reservedSharedMemPerBlock;
    for (registers = 1; registers <= 255; registers += 1 + registers % 5)
      for (i = 0; i < (int)(sizeof threads / sizeof *threads); i++)
        for (shared = 0; shared <= 232 * 1024; shared += 1 + shared / 3 + shared % 1000)
          for (barriers = 0; barriers <= 16; barriers += 1 + barriers) {
            const gp_cubin c = {m->compute_capability, registers, 0, shared / 4, barriers, 0, ""};
            cudaOccFuncAttributes f;
            cudaOccResult result;
            memset(&f, 0, sizeof f);
            f.maxThreadsPerBlock = 1024;
            f.numRegs = registers;
            f.sharedSizeBytes = (size_t)(shared / 4);
            f.maxDynamicSharedSizeBytes = (size_t)(shared - shared / 4);
            f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
            f.numBlockBarriers = barriers;
            result.activeBlocksPerMultiprocessor = -1;
            if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &p, &f, &state, threads[i],
                                                        f.maxDynamicSharedSizeBytes))
              result.activeBlocksPerMultiprocessor = -1;
            checked++;
            if (result.activeBlocksPerMultiprocessor != gp_cubin_occupancy(&c, threads[i], shared - shared / 4) &&
                ++wrong < 20)
              printf("%d: %d threads, %d registers, %d shared, %d barriers: %d, not %d\n", m->compute_capability,
                     threads[i], registers, shared, barriers, gp_cubin_occupancy(&c, threads[i], shared - shared / 4),
                     result.activeBlocksPerMultiprocessor);
          }
  }
  printf("%d checked, %d wrong\n", checked, wrong);
  return wrong || checked < 100000;
}
"""


@needs_nvcc
@pytest.mark.turn
def test_occupancy_is_that_of_nvidias_calculator(tmp_path):
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(NVCC))), "include")
    if not os.path.exists(os.path.join(folder, "cuda_occupancy.h")):
        pytest.skip("no cuda_occupancy.h beside nvcc: install the headers of NVIDIA's CUDA toolkit")
    (tmp_path / "occupancy.c").write_text(OCCUPANCY)
    tune_parts.run([tune_parts.CC, "-O1", "-std=gnu11", "-I.", "-isystem", folder, tmp_path / "occupancy.c", "-o",
                    tmp_path / "occupancy", "-ldl", "-lpthread", "-lm"])
    tune_parts.run([tmp_path / "occupancy"])
