"""Writes docs/teaching.md: Harris's lesson on optimising CUDA for a class, printed numbers of 2007 beside today's, with
questions, exercises and answers. All measured numbers are read from the newest files under ci/measurements.

    build/venv/bin/python tools/teaching.py            writes docs/teaching.md and docs/teaching-sums.svg
    build/venv/bin/python tools/teaching.py --check    exit status 1 if they are not what the measurements say
"""
import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)
from tools import papers  # noqa: E402
from tools.paper import harris, sources  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "teaching.md")
PICTURE = os.path.join(ROOT, "docs", "teaching-sums.svg")
LADDER = "build/examples/ladder/ladder --out build/ladder.json"
COUNTERS = "python3 -m tools.quality.ladder"

QUESTIONS = {
    "reduction": ["How many bytes must a sum read at least? What is then its least time on your GPU?",
                  "Kernel 2 has no divergent warps, kernel 3 no bank conflicts. Which of the two gains more on the "
                  "G80, which on today's GPU, and why?",
                  "Kernel 7 does the same additions as kernel 6. What does it do less of?"],
    "floats": ["Two threads swap their elements. Why did this cost a factor of ten in 2007?",
               "What does a cache line change? Which of the four accesses would still be slow if each thread read a "
               "float from another line?",
               "A struct of 12 bytes went through shared memory in 2007. Would you still write that code?"],
    "transpose": ["Either the loads or the stores of a transpose are neither neighbours nor in one line. Which are "
                  "they in the naive kernel?",
                  "The padded tile has 17 columns of which 16 are used. Which words share a bank with 16, which with "
                  "17?",
                  "The gain of coalescing grows with the matrix. What bounds the small one?"],
    "transfers": ["What is the largest number of bytes a second that an algorithm on the GPU can use, if its data come "
                  "from the host once?",
                  "What would 64 KiB take at the largest speed of the table? Where is the rest of the time?",
                  "An array is copied in chunks, and kernels work on a chunk while the next one is copied. What is the "
                  "least time? Why are more chunks not always faster?"]}
ANSWERS = {
    "reduction": ["Four bytes an element, once. The row `read` is that time, measured.",
                  "The table has both gains: compare steps 2 and 3 with the step before. Warps still run both sides of "
                  "a branch; shared memory waits less where other warps have work.",
                  "It has fewer blocks: fewer trees in shared memory, fewer barriers, fewer partial sums. Additions of "
                  "registers replace them."],
    "floats": ["On a G80 the k-th thread had to read the k-th word of an aligned region. Otherwise each thread's "
               "access was a transaction of its own.",
               "A line serves its words in any order. Threads that read from different lines still move 32 bytes for 4 "
               "that are used.",
               "Compare the last two rows of 2007's experiment: the paragraph above says which is faster today."],
    "transpose": ["The stores: neighbouring threads write a column.",
                  "With 16 columns all words of a column share one bank of 16, or two of 32. With 17 none of 16 "
                  "neighbours do.",
                  "The launch: 16 times the elements hardly take longer at the small end of the tables."],
    "transfers": ["That of the transfer: the row of page-locked memory at the largest size.",
                  "Divide: the rest is the fixed cost of a copy, which small copies pay each time.",
                  "The longer of copying and computing, and the other one's share of a single chunk, which nothing "
                  "hides. Each chunk has its own copy and its own launches, whose cost is fixed."]}
TITLES = {"reduction": "Seven sums", "floats": "Coalescing", "transpose": "Transposes", "transfers": "Transfers"}
EXERCISES = [
    "Write kernel 8: the last warp by `__shfl_down_sync`. Add it to examples/ladder/ladder.cuh, a row to ladder.c's "
    "table, and run `build/examples/ladder/ladder`. The program checks the sum before it times it.",
    "Take the barrier out of kernel 3. Does the result change on your GPU? Run "
    "`python3 tests/run.py --every-turn 'ladder*'`: the emulator's race build names the line, without a GPU.",
    "Give the padded transpose 18 columns, then 24, then 32. Predict the conflicts, then count them: "
    f"`{COUNTERS}`.",
    "Make the kernels of examples/ladder/transfers.c shorter and longer (NEGATIONS, an odd number). When do copies in "
    "chunks gain most? Then enqueue all copies before all kernels in examples/ladder/overlap.h: what changes?",
    "Find the size at which the driver's copy from page-locked memory reaches half of its peak: "
    "`build/examples/ladder/transfers --out build/transfers.json`."]


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def wrapped(text):
    return papers.wrapped(text)


def numbered(texts):
    lines = []
    for place, text in enumerate(texts, 1):
        first, *rest = papers.wrapped(text, 115)
        lines += [f"{place}. {first}", *(f"   {line}" for line in rest)]
    return [*lines, ""]


def not_measured(command):
    return [*wrapped(f"Not measured yet: `{command}` measures it."), ""]


def tables(devices, family, largest=False):
    """The tables with printed times of a family, or the largest of them."""
    found = [(device, table) for device in devices for table in harris.tables_of(device, family)
             if sum(rung["published_us"] > 0 for rung in table["rungs"]) > 1]
    return found[-1:] if largest else found


def steps(devices, family, detail, largest=False):
    lines = []
    for device, table in tables(devices, family, largest):
        lines += [f"{device.title}, {harris.title_of(table).lower()}:", "",
                  *markdown(harris.HEADER, harris.rung_rows(table))]
    if not lines:
        return not_measured(LADDER)
    for text in detail(devices).text:
        lines += [*wrapped(text), ""]
    return lines


def counters(devices):
    """Bank conflicts and partition camping."""
    lines = []
    for device in devices:
        kernels = (device.others.get("ladder_counters") or {}).get("kernels", [])
        if not kernels:
            continue
        rows = [[one["family"], one["name"], f"{one['elements']:,}", shown(one["instructions_an_element"], ".1f"),
                 shown(conflicts_of(one), ",.0f"), shown(one["load_sectors"], ".1f"),
                 shown(one["store_sectors"], ".1f"), shown(one["slices"], ".2f"),
                 shown(one["channels"], ".2f")] for one in kernels]
        lines += [f"{device.title}:", "", *markdown(
            ["family", "step", "elements", "instructions an element", "bank conflicts", "sectors a load",
             "sectors a store", "busiest slice / mean", "busiest channel / mean"], rows)]
        lines += [*wrapped(camping_text(device, kernels)), ""]
    return lines or not_measured(COUNTERS)


def shown(value, form):
    return "-" if value is None else format(value, form)


def conflicts_of(kernel):
    known = [kernel[name] for name in ("conflicts_loads", "conflicts_stores") if kernel.get(name) is not None]
    return sum(known) if known else None


def camping_text(device, kernels):
    """What the counters say of conflicts and camping."""
    own = {(one["family"], one["name"]): one for one in kernels if one["family"] == "reduction"}
    largest = {one["name"]: one for one in sorted((one for one in kernels if one["family"] == "transpose"),
                                                  key=lambda one: one["elements"])}
    text = []
    before, after = (conflicts_of(own.get(("reduction", name), {})) for name in "23")
    if before is not None and after is not None:
        text.append(f"Kernel 2 has {before:,.0f} bank conflicts, kernel 3 {after:,.0f}: "
                    + ("today's banks conflict as those of the G80 did." if before > 2 * after + 100 else
                       "today's banks do not conflict here."))
    uneven = largest.get("naive", {}).get("slices")
    if uneven is not None:
        text.append(f"The naive transpose's busiest slice of the L2 cache has {uneven:.2f} x the mean: "
                    + ("partitions are camped on." if uneven > 1.3 else
                       "addresses are hashed over the slices, and nobody camps on a partition."))
    return f"{device.title}: " + (" ".join(text) or "the counters that show it are missing.")


def transfers(devices):
    detail = harris.transfers(devices)
    if not detail.tables:
        return not_measured(harris.MEASURES_TRANSFERS)
    lines = []
    for title, header, rows in detail.tables:
        lines += [title, "", *markdown(header, rows)]
    for text in detail.text:
        lines += [*wrapped(text), ""]
    return lines


def asked(family):
    return ["Questions:", "", *numbered(QUESTIONS[family])]


def page(devices):
    lines = ["# A lesson: optimising CUDA, 2007 and today", "", *wrapped(
        "Mark Harris's tutorial (SC07, with Optimizing Parallel Reduction in CUDA) has taught a generation to find the "
        "bottleneck, remove it, and measure again. This page is for a class of two times 45 minutes: each step has the "
        "number that the slides print for a G80, the number of a GPU of today from the same kernel, and questions. "
        "tools/teaching.py writes the page from committed measurements."), "", *wrapped(
        "The kernels are in [ladder.cuh](../examples/ladder/ladder.cuh): plain CUDA, one page a step. Your class's GPU "
        "gives its own numbers:"), "", "```sh", "make examples", LADDER,
        "build/venv/bin/python examples/ladder/ladder.py build/ladder.json --out build/ladder", "```", "", *wrapped(
        "A column `gain` is the first step's time over the step's; `of the roof` is the time of reading or copying "
        "the bytes over the step's. Printed GB/s of the transposes and of floats are the bytes over the printed time."),
        "", "## 1. Seven sums", "", *wrapped(
            "Before the first kernel: a sum reads each byte once and adds once. Let the class compute the least time "
            "from the memory's bandwidth. Then show the steps one by one, and let them guess each gain."), "",
        *steps(devices, "reduction", harris.reduction)]
    if tables(devices, "reduction"):
        lines += ["![GB/s of the seven sums, printed and measured](teaching-sums.svg)", ""]
    lines += [*asked("reduction"), "## 2. Who reads what: coalescing", "",
              *steps(devices, "floats", harris.floats), *asked("floats"), "## 3. Transposes", "",
              *steps(devices, "transpose", harris.transposes), *asked("transpose"),
              "## 4. Bank conflicts and partition camping, by counters", "", *wrapped(
                  "A time shows that a step is slow; a counter shows why. Conflicts are accesses to shared memory that "
                  "had to wait for another of the same instruction. The busiest slice of the L2 cache by the mean is 1 "
                  "where addresses are spread evenly: on GPUs of that time a transpose could keep one memory "
                  "partition busy and the others idle."), "", *counters(devices),
              "## 5. Transfers", "", *transfers(devices), *asked("transfers"), "## Exercises", "",
              *numbered(EXERCISES), "## Answers for the teacher", "",
              *(line for family, texts in ANSWERS.items()
                for line in [f"{TITLES[family]}:", "", *numbered(texts)]), "## Where the library stands", "", *wrapped(
                  "The last rows of each table are the library's own calls beside the roof. What they do beyond kernel "
                  "7 (one launch, 16 bytes a load, the last block folds) is in [the notes on reduce](notes/reduce.md). "
                  "All tables and figures of the slides are in [the five papers](papers.md).")]
    return "\n".join(lines) + "\n"


def picture(devices):
    shown_ = next((picture_ for device in devices if (picture_ := harris.ladder_picture(device, "reduction"))), None)
    return shown_[0] if shown_ else None


def main(argv):
    parser = argparse.ArgumentParser(description="writes docs/teaching.md")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args(argv)
    devices = sources.devices_of(papers.MEASUREMENTS, ("ladder", "ladder_counters", "transfers"))
    text, svg = page(devices), picture(devices)
    if arguments.check:
        with open(PAGE, encoding="utf-8") as file:
            same = file.read() == text
        print("docs/teaching.md is current" if same else
              "docs/teaching.md is not what tools/teaching.py says: run build/venv/bin/python tools/teaching.py")
        return int(not same)
    for path, content in ((PAGE, text), (PICTURE, svg)):
        if content:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            print(os.path.relpath(path, ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
