#!/usr/bin/env python3
"""operators.py: runs the compiled machine code of the built-in operators without a GPU, against NumPy.

    operators.py                        a sample, by turn, and patterns that were wrong once; the machine's own NVRTC
    operators.py --long                 every operator, transform, input, accumulator and output type
    operators.py --nvrtc FILE...        libnvrtc of other versions (nvidia-cuda-nvrtc, -cu12, -cu11 of PyPI)
    operators.py --architectures 90,100 compute capabilities; by default 90 and another by turn, all in the long run
    operators.py --header FILE          another gpuprims.h

The kernels are the library's own folds, scans and maps of a few elements, in one thread. NVRTC compiles them, nvdisasm
disassembles them, sass.py runs the result. A library call has the same code around barriers and loops. An instruction
unknown to sass.py is a failure. Integers only: tests on a GPU compare floats.

Prints a line for each wrong pattern, and closes with "N passed, N failed, N skipped".
"""
import argparse
import collections
import concurrent.futures
import ctypes
import glob
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "unit"), os.path.dirname(__file__),
                os.path.join(ROOT, "tools")]
import amalgamate  # noqa: E402
import oracle  # noqa: E402
import sass  # noqa: E402
from gpuprims_ctypes import DTYPES, SIZES  # noqa: E402
from turn import turn  # noqa: E402

LONG = int(os.environ.get("GPUPRIMS_LONG", "0") or 0)
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
SAMPLE = 64      # the short run takes one case in this many
BATCH = 96       # kernels of a program
LANES = 48       # inputs of a kernel
IN_BYTES, OUT_BYTES, SECOND = 64, 256, 32  # of a lane; start of the second operand's elements
TYPES = {"i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short", "i32": "int",
         "u32": "unsigned int", "i64": "long long", "u64": "unsigned long long"}
COMPARISONS = {"EQUAL": np.equal, "NOT_EQUAL": np.not_equal, "LESS": np.less, "LESS_EQUAL": np.less_equal,
               "GREATER": np.greater, "GREATER_EQUAL": np.greater_equal}

# a: of the input; b: of the second input, or the accumulator; r: of the output
Case = collections.namedtuple("Case", "shape op transform a b r")

PROGRAM = """#include "gpuprims.h"
template <class A> struct amount { static const int items = gp__vec_group<A>::items * (sizeof(A) == 8 ? 2 : 1); };
template <class Op, class F, class A, class C, class R> GP_DEVICE void fold(const void *in, void *out) {
  const unsigned char *chunk = static_cast<const unsigned char *>(in);
  *static_cast<R *>(out) = gp_convert<C, R>()(gp__chunk_fold<amount<A>::items, Op, gp__load<A, C, F>, C, A>(chunk, 0));
}
template <class Op, class F, class A, class C, class R> GP_DEVICE void chain(const void *in, void *out) {
  const gp_vector *from = static_cast<const gp_vector *>(in);
  gp__vec_group<A> p[2];
  C sum = Op::identity();
  GP__UNROLL
  for (int k = 0; k < amount<A>::items / gp__vec_group<A>::items; ++k) p[k] = gp__vec_group<A>(from + k);
  GP__UNROLL
  for (int i = 0; i < amount<A>::items; ++i)
    sum = Op()(sum, Op::prepare(gp__load<A, C, F>()(p[i / p->items].item[i % p->items], i)));
  *static_cast<R *>(out) = gp_convert<C, R>()(sum);
}
template <class Op, class F, class A, class C, class R> GP_DEVICE void scan(const void *in, void *out) {
  gp_carry<C> carry;
  carry.has = false;
  gp__chunk_scan<amount<A>::items, false, Op, gp__load<A, C, F>, R, A>(
      static_cast<unsigned char *>(out), static_cast<const unsigned char *>(in), 0, carry);
}
template <class F, class A, class B, class R> GP_DEVICE void map(const void *in, void *out) {
  const int SIZE_AB = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B),
            SIZE = SIZE_AB > int(sizeof(R)) ? SIZE_AB : int(sizeof(R)), V = 16 % SIZE == 0 ? 16 / SIZE : 1;
  gp__vector_access<A, V> a;
  gp__vector_access<B, V> b;
  gp__vector_access<R, V> q;
  a.template load<GP_CACHE_ALL>(static_cast<const A *>(in), 0, false);
  b.template load<GP_CACHE_ALL>(reinterpret_cast<const B *>(static_cast<const char *>(in) + SECOND), 0, false);
  GP__UNROLL
  for (int j = 0; j < V; ++j)
    q.item[j] = gp__element<F, A, B, R>::at(a, b, j, j, *static_cast<const gp__map_args *>(in));
  q.template store<GP_CACHE_ALL>(static_cast<R *>(out));
}
template <class L, class A> GP_DEVICE void compare(const void *in, void *out) {
  const A *a = static_cast<const A *>(in), *b = reinterpret_cast<const A *>(static_cast<const char *>(in) + SECOND);
  unsigned char *to = static_cast<unsigned char *>(out);
  GP__UNROLL
  for (int j = 0; j < gp__vec_group<A>::items; ++j) to[j] = L()(a[j], b[j]) ? 1 : 0;
}
""".replace("SECOND", str(SECOND))


def kernel(case, name):
    a, b, r = TYPES[case.a], TYPES.get(case.b, case.b), TYPES.get(case.r, case.r)
    op, transform = f"gp_{case.op.lower()}", f"gp_{case.transform.lower()}"
    if case.shape == "arg":
        body = f"fold<{op}<{b}>, {transform}<{a}, {b}>, {a}, gp_arg<{b}>, gp_arg<{b}>>"
    elif case.shape == "map":
        body = f"map<{transform}<{a}, {r}>, {a}, gp__none, {r}>"
    elif case.shape == "map2":
        body = f"map<gp__binary<{op}<{r}>, {a}, {b}, {r}>, {a}, {b}, {r}>"
    elif case.shape == "compare":
        body = f"compare<{op}<{a}>, {a}>"
    else:
        body = f"{case.shape}<{op}<{b}>, {transform}<{a}, {b}>, {a}, {b}, {r}>"
    return f'extern "C" __global__ void {name}(const void *in, void *out) {{ {body}(in, out); }}\n'


def cases():
    """Every operator, transform, input and accumulator type; the output has the accumulator's type, and another type in
    turn."""
    names, found = list(TYPES), []
    for number, (shape, op, transform, a, c) in enumerate(
            itertools.product(("fold", "chain", "scan"), oracle.BINARY, oracle.UNARY, names, names)):
        found.append(Case(shape, op, transform, a, c, c))
        found.append(Case(shape, op, transform, a, c, names[(names.index(c) + 1 + number // 8 % 7) % 8]))
    found += [Case("arg", op, transform, a, c, c) for op, transform, a, c in
              itertools.product(("ARGMIN", "ARGMAX"), oracle.UNARY, names, names)]
    found += [Case("map", "", transform, a, "gp__none", r) for transform, a, r in
              itertools.product(oracle.UNARY, names, names)]
    found += [Case("map2", op, "", a, b, r) for op, a, b, r in
              itertools.product([*oracle.BINARY, "SUB"], names, names, names)]
    found += [Case("compare", op, "", a, a, "u8") for op, a in itertools.product(COMPARISONS, names)]
    return found


# One of each kind that a compiler once got wrong: every run has them.
ONCE_WRONG = [Case("fold", "MAX", "NEGATE", "i32", "i32", "i32"), Case("chain", "MIN", "NEGATE", "i16", "i32", "i32"),
              Case("scan", "MAX", "NEGATE", "u8", "i32", "i32"), Case("fold", "MIN", "NEGATE", "u16", "i32", "i64"),
              Case("scan", "MAX", "ABS", "i8", "i8", "i8"), Case("fold", "MAX", "NEGATE", "i8", "i8", "i8"),
              Case("chain", "MAX", "ABS", "i16", "i8", "i8")]

# ---- expected results ------------------------------------------------------------------------------------------------


def inputs(case, seed):
    """Rows of bytes: edge values, near ones, equal ones, few nonzero ones, anything."""
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, (LANES, IN_BYTES), np.uint8)

    def fill(first, type_):
        dtype, limits = DTYPES[type_], np.iinfo(DTYPES[type_])
        width = IN_BYTES // 2 // SIZES[type_]
        edges = np.array([limits.min, limits.min + 1, 0, 1, 2, 3, limits.max // 2, limits.max // 2 + 1, limits.max - 1,
                          limits.max] + [x for x in (-1, -2, -3, -127, -128, -129, -32768, -32769, 127, 128, 129, 255,
                                                     256, 32767, 32768, 65535, 65536) if limits.min <= x <= limits.max],
                         dtype)
        part = rng.choice(edges, (LANES, width))
        small = rng.integers(0, 5, (LANES, width)).astype(dtype)
        if limits.min < 0:
            small = small - dtype(2)
        part[8:16] = small[8:16]
        part[16] = 0
        part[17:20] = np.where(small[17:20] == 0, part[17:20], dtype(0))
        part[20:24] = edges[:4, None]
        part[24:28] = np.sort(part[24:28], axis=1)
        part[28:32] = np.sort(part[28:32], axis=1)[:, ::-1]
        bytes_ = np.ascontiguousarray(part).view(np.uint8)
        data[:32, first:first + IN_BYTES // 2] = bytes_[:32]

    fill(0, case.a)
    fill(SECOND, case.b if case.shape in ("map2", "compare") else case.a)
    return data


def elements(data, type_, count, first=0):
    size = SIZES[type_]
    return np.ascontiguousarray(data[:, first:first + count * size]).view(DTYPES[type_])


def expected(case, data):
    """The output's first bytes, a row a lane."""
    with np.errstate(all="ignore"):
        if case.shape == "map":
            items = 16 // max(SIZES[case.a], SIZES[case.r])
            return oracle.unary(case.transform, elements(data, case.a, items), case.a, case.r)
        if case.shape == "map2":
            items = 16 // max(SIZES[case.a], SIZES[case.b], SIZES[case.r])
            x, y = (oracle.convert(elements(data, t, items, first), t, case.r)
                    for t, first in ((case.a, 0), (case.b, SECOND)))
            return oracle.binary(case.op, x, y, case.r)
        items = 16 // SIZES[case.a] * (2 if SIZES[case.a] == 8 else 1)
        x = elements(data, case.a, items)
        if case.shape == "compare":
            items = 16 // SIZES[case.a]
            y = elements(data, case.a, items, SECOND)
            return COMPARISONS[case.op](x[:, :items], y).astype(np.uint8)
        x = oracle.unary(case.transform, x, case.a, case.b)
        if case.shape == "arg":
            index = (np.argmin if case.op == "ARGMIN" else np.argmax)(x, axis=1)
            result = np.zeros((len(x), 16), np.uint8)
            result[:, :SIZES[case.b]] = np.take_along_axis(x, index[:, None], 1).view(np.uint8)
            result[:, 8:] = index.astype(np.int64)[:, None].view(np.uint8)
            return result
        if case.op in ("AND", "OR"):
            x = oracle.truth(x, case.b)
        sums = [x[:, 0]]
        for i in range(1, items):
            sums.append(oracle.binary(case.op, sums[-1], x[:, i], case.b))
        result = np.stack(sums, axis=1) if case.shape == "scan" else sums[-1][:, None]
        return oracle.convert(result, case.b, case.r)


# ---- compilers -------------------------------------------------------------------------------------------------------


class Nvrtc:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self.call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"
        self.call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        known = (ctypes.c_int * count.value)()
        self.call("nvrtcGetSupportedArchs", known)
        self.architectures = set(known)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            raise RuntimeError(f"{name} failed with code {code}")

    def compile(self, text, header, architecture):
        """The machine code, compiled as by the library."""
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        options = [f"--gpu-architecture=sm_{architecture}".encode(), b"-std=c++17", b"-default-device"]
        self.call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), b"operators.cu", 1,
                  (ctypes.c_char_p * 1)(header), (ctypes.c_char_p * 1)(b"gpuprims.h"))
        try:
            try:
                self.call("nvrtcCompileProgram", program, len(options),
                          (ctypes.c_char_p * len(options))(*options))
            except RuntimeError as error:
                self.call("nvrtcGetProgramLogSize", program, ctypes.byref(size))
                log = ctypes.create_string_buffer(size.value + 1)
                self.call("nvrtcGetProgramLog", program, log)
                raise RuntimeError(f"{error}: {log.value.decode(errors='replace').strip()[:600]}") from None
            self.call("nvrtcGetCUBINSize", program, ctypes.byref(size))
            image = ctypes.create_string_buffer(size.value)
            self.call("nvrtcGetCUBIN", program, image)
            return image.raw
        finally:
            self.library.nvrtcDestroyProgram(ctypes.byref(program))


def find_nvdisasm():
    places = [os.path.join(folder, "nvidia", "cu13", "bin", "nvdisasm") for folder in sys.path]
    places += glob.glob("/usr/local/cuda*/bin/nvdisasm")
    return os.environ.get("NVDISASM") or shutil.which("nvdisasm") or next(filter(os.path.exists, places), None)


def disassemble(nvdisasm, cubin):
    if not os.access(nvdisasm, os.X_OK):  # (a wheel unpacked by a tool that keeps no modes)
        os.chmod(nvdisasm, 0o755)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([nvdisasm, "-c", file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"nvdisasm: {done.stderr.strip()}")
    return done.stdout


# ---- a batch ---------------------------------------------------------------------------------------------------------

Job = collections.namedtuple("Job", "library header architecture cases nvdisasm")
Wrong = collections.namedtuple("Wrong", "case why")


def hexadecimal(row):
    return row.tobytes().hex()


def examine(case, code, labels, constants, seed):
    """A kernel's fault, or None."""
    data = inputs(case, seed)
    want = np.ascontiguousarray(expected(case, data))
    want = want.reshape(LANES, -1).view(np.uint8)
    try:
        got = sass.run(code, labels, constants, data, OUT_BYTES)
    except sass.Unknown as error:
        return f"sass.py cannot run it: {error}"
    if (got[:, want.shape[1]:] != 0xA5).any():
        return "wrote behind its output"
    lanes = np.nonzero((got[:, :want.shape[1]] != want).any(axis=1))[0]
    if not len(lanes):
        return None
    lane = lanes[0]
    return (f"{len(lanes)} of {LANES} inputs: of {hexadecimal(data[lane])} comes "
            f"{hexadecimal(got[lane, :want.shape[1]])}, not {hexadecimal(want[lane])}")


def work(job):
    """(The wrong ones, the error that ended it or None)."""
    try:
        nvrtc, header = Nvrtc(job.library), amalgamate.device_text(job.header)
        text = PROGRAM + "".join(kernel(case, f"k{i}") for i, case in enumerate(job.cases))
        cubin = nvrtc.compile(text, header, job.architecture)
        found, parts, wrong = sass.kernels(disassemble(job.nvdisasm, cubin)), sass.sections(cubin), []
    except (OSError, RuntimeError) as error:
        return [], str(error)
    for i, case in enumerate(job.cases):
        name = f"k{i}"
        why = "no such kernel"
        if name in found:
            why = examine(case, *found[name], sass.constants_of(parts, name, job.architecture), i)
        if why:
            wrong.append(Wrong(case, why))
    return wrong, None


# ---- the interpreter itself ------------------------------------------------------------------------------------------

# (Instruction, R1, R2, R3, R0): the machine's known results, so that a wrong interpreter does not look like a wrong
# compiler.
SAYS = [
    ("VIMNMX3 R0, R1, R2, R3, !PT", 5, 0xFFFFFFFE, 7, 7), ("VIMNMX3 R0, R1, -R2, R3, !PT", 5, 0xFFFFFFF0, 7, 16),
    ("VIMNMX3 R0, R1, R2, -R3, PT", 5, 9, 7, 0xFFFFFFF9), ("VIMNMX3.U32 R0, R1, R2, R3, PT", 0xFFFFFFFF, 9, 8, 8),
    ("VIMNMX3.S16x2 R0, R1, R2, R3, !PT", 0x0001FFFF, 0x80000002, 0x00020001, 0x00020002),
    ("VIMNMX.U16x2 R0, R1, R2, PT", 0xFFFF0001, 0x0001FFFF, 0, 0x00010001),
    ("VIMNMX R0, R1, -R2, PT", 5, 9, 0, 0xFFFFFFF7), ("VIADDMNMX R0, R1, R2, R3, !PT", 5, 0xFFFFFFF0, 1, 1),
    ("IADD3 R0, -R1, R2, R3", 5, 9, 1, 5), ("IMAD.MOV R0, RZ, RZ, -R1", 5, 0, 0, 0xFFFFFFFB),
    ("PRMT R0, R1, 0x9910, RZ", 0x1234FFFE, 0, 0, 0xFFFFFFFE), ("PRMT R0, R1, 0x8880, RZ", 0x80, 0, 0, 0xFFFFFF80),
    ("LOP3.LUT R0, R1, R2, R3, 0xf8, !PT", 1, 6, 3, 3), ("SGXT R0, R1, 0x8", 0x180, 0, 0, 0xFFFFFF80),
    ("SHF.R.S32.HI R0, RZ, 0x4, R1", 0x80000000, 0, 0, 0xF8000000), ("IABS R0, R1", 0x80000000, 0, 0, 0x80000000),
    ("IMAD R0, R1, R2, R3", 3, 0xFFFFFFFF, 1, 0xFFFFFFFE), ("LEA.HI.SX32 R0, R1, R2, 0x8", 0xFF000000, 3, 0, 2),
    ("IDP.4A.U8.U8 R0, R1, R2, R3", 0x01020304, 0x01010101, 5, 15),
    ("IADD3 R0, R1, R2, R3, R4, R5", 0, 0, 0, None), ("FFMA R0, R1, R2, R3", 0, 0, 0, None),
    ("VIMNMX3.RELU R0, R1, R2, R3, PT", 0, 0, 0, None), ("SEL R0, R1, R2, P3", 0, 0, 0, None),
]


def check_interpreter():
    failures = []
    for text, *values, want in SAYS:
        machine = sass.Machine(np.zeros((1, IN_BYTES), np.uint8), OUT_BYTES, {})
        for i, value in enumerate(values):
            machine.registers["R", str(i + 1)] = sass.word(value)
        try:
            machine.run([(0, text), (16, "EXIT")], {})
            got = int(machine.registers["R", "0"][0])
        except sass.Unknown:
            got = None
        if got != want:
            failures.append(f"FAILED sass.py: {text} of {values} is {got}, not {want}")
    return failures


# ---- main ------------------------------------------------------------------------------------------------------------


def parse():
    parser = argparse.ArgumentParser(prog="operators.py", description="machine code of built-in operators")
    parser.add_argument("--nvrtc", nargs="+", metavar="FILE",
                        default=["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"])
    parser.add_argument("--architectures", metavar="90,100")
    parser.add_argument("--header", default=os.path.join(ROOT, "gpuprims.h"))
    parser.add_argument("--long", action="store_true", default=bool(LONG))
    parser.add_argument("--sample", type=int, help="each so manieth case")
    parser.add_argument("--show", type=int, default=12, help="so many failures of a compiler and an architecture")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def version_of(path):
    """(Version, its architectures), read by a separate process: two versions are never in one."""
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        return pool.submit(about, path).result()


def about(path):
    try:
        nvrtc = Nvrtc(path)
        return nvrtc.version, nvrtc.architectures
    except OSError:
        return None


def libraries(args):
    """[(path, version, architectures)]; of the default names the first one found."""
    found = [(path, *known) for path in args.nvrtc for known in [version_of(path)] if known]
    defaults = not any(os.path.sep in path for path in args.nvrtc)
    if not defaults and len(found) < len(args.nvrtc):
        sys.exit("operators.py: a library of --nvrtc cannot be opened")
    return found[:1] if defaults else found


def architectures(args, known):
    if args.architectures:
        wanted = [int(word) for word in args.architectures.split(",")]
    elif args.long:
        wanted = ARCHITECTURES
    else:
        others = [x for x in ARCHITECTURES if x != 90 and x in known]
        wanted = [90, others[turn(len(others))]]
        if os.environ.get("GPUPRIMS_TURN"):  # one at a time
            place = turn(2 * len(others))
            wanted = [[90, others[place // 2]][place % 2]]
    return [x for x in wanted if x in known]


def main():
    args = parse()
    failures, nvdisasm = check_interpreter(), find_nvdisasm()
    print("\n".join(failures), end="\n" * bool(failures))
    passed, failed, skipped = len(SAYS) - len(failures), len(failures), 0
    found = libraries(args) if nvdisasm else []
    if not nvdisasm:
        print("skipped: machine code of operators: no nvdisasm: pip install nvidia-cuda-nvdisasm")
        skipped += 1
    elif not found:
        print("skipped: machine code of operators: no NVRTC: pip install nvidia-cuda-nvrtc, and LD_LIBRARY_PATH to it")
        skipped += 1
    step = args.sample or (1 if args.long else SAMPLE)
    mixed = cases()
    random.Random(0).shuffle(mixed)
    chosen = [*dict.fromkeys(ONCE_WRONG + mixed[turn(step)::step])]
    for path, version, known in found:
        for architecture in architectures(args, known):
            jobs = [Job(path, args.header, architecture, chosen[i:i + BATCH], nvdisasm)
                    for i in range(0, len(chosen), BATCH)]
            with concurrent.futures.ProcessPoolExecutor(min(args.jobs, len(jobs))) as pool:
                answers = list(pool.map(work, jobs))
            wrong = [each for some, _ in answers for each in some]
            errors = [error for _, error in answers if error]
            bad = len(wrong) + sum(len(job.cases) for job, (_, error) in zip(jobs, answers) if error)
            passed, failed = passed + len(chosen) - bad, failed + bad
            for error in errors[:1]:
                print(f"FAILED NVRTC {version} sm_{architecture}: {len(errors)} of {len(jobs)} programs: {error}")
            if not bad:
                continue
            print(f"FAILED NVRTC {version} sm_{architecture}: {bad} of {len(chosen)} kernels")
            for each in wrong[:args.show]:
                c = each.case
                print(f"  {c.shape} {c.op} {c.transform} {c.a} > {c.b} > {c.r}: {each.why}")
            groups = collections.Counter((w.case.shape, w.case.op, w.case.transform) for w in wrong)
            print("  " + ", ".join(f"{' '.join(filter(None, g))}: {n}" for g, n in groups.most_common()), flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
