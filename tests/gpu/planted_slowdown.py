#!/usr/bin/env python3
"""Tests that nights find a slowdown of 5 %, name its commit, and close their issue after its revert.

    tests/gpu/planted_slowdown.py [--out DIR] [options of ci/night.py, such as --seconds 240]

In a clone of this repository's HEAD, with a bare repository beside it, three commits change the reduction: a comment; a
wait of 1/20 of the time of the block's share; another comment. The first night compares that with HEAD. Then the second
commit is reverted, and the second night compares each cell with its own base.
In the first night the large reductions, and only they, must be slower. The issue must name the second commit and no
other, and be settled after the second night.

Needs a GPU, git, gcc, NVRTC, Python with NumPy and SciPy. Some four minutes. The last line is "N passed, N failed, N
skipped"; DIR keeps both nights.
"""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from ci import issues, steps  # noqa: E402
from tools.farm import cell_keys, standard  # noqa: E402

LARGE = 64 << 20  # bytes far above caches: a call takes as long as its bytes
OTHERS = 40       # cells of other primitives: their machine code is unchanged
SERVED = ("reduce", "segmented_reduce", "count_if")  # by kernels of the part below
MOST_MISSED = 0.1
PART = os.path.join("src", "reduce", "kernels.cuh")
FIRST_LINE = "template<int THREADS, class Acc> struct gp__reduce_storage {\n"
BEGIN = """  const unsigned misaligned = gp__misalignment(in, 16);
  Acc sum = Op::identity();
  if (Op::commutative) {
    typedef gp__vec_group<In> Pack;
"""
END = "  sum = gp_tile_reduce<T>(sum, Op(), s.reduce); // its barrier shows the ticket to all\n"
STARTED = "  const long long begin = clock64();\n"
WAIT = "  for (long long spent = clock64() - begin; clock64() - begin < spent + spent / 20;) {}\n"


def git(folder, *words):
    return steps.git(folder, "-c", "user.name=gpuprims", "-c", "user.email=gpuprims@example.org", *words)


def commit(tree, title, changes):
    path = os.path.join(tree, PART)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for before, after in changes.items():
        if text.count(before) != 1:
            raise steps.CannotRun(f"{title}: the reduction is not what this test knows: it has {text.count(before)} "
                                  f"times {before!r}")
        text = text.replace(before, after)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([sys.executable, os.path.join("tools", "amalgamate.py")], cwd=tree, check=True)
    git(tree, "commit", "--quiet", "--all", "--message", title)
    return steps.git(tree, "rev-parse", "HEAD")


def choose_cells():
    """(large reductions, cells of other primitives) of the standard list."""
    cells = {text: cell for text, cell in ((text, cell_keys.read(text)[0]) for text in standard.cells())
             if cell.protocol != "first_call" and cell.bytes <= 4 * LARGE}
    large = [text for text, cell in cells.items() if cell.primitive == "reduce" and cell.bytes >= LARGE]
    others = [text for text, cell in cells.items() if not cell.primitive.startswith(SERVED + ("bfs",))]
    return large, others[::max(1, len(others) // OTHERS)][:OTHERS]


def night(tree, name, words):
    """The boards in its regress.json."""
    status = subprocess.run([sys.executable, os.path.join("ci", "night.py"), "--out", name, "--steps", "regress",
                             "--no-dashboard", *words], cwd=tree, check=False).returncode
    boards = steps.read_json(os.path.join(name, "regress", "regress.json"))
    if status > 1 or not boards:
        raise steps.CannotRun(f"{name}: the night ended with status {status}")
    return boards


def main(argv):
    parser = argparse.ArgumentParser(description="Are slowdowns of 5 % found, named, and closed?")
    parser.add_argument("--out", metavar="DIR")
    args, rest = parser.parse_known_args(argv)
    out = os.path.abspath(args.out) if args.out else tempfile.mkdtemp(prefix="planted_slowdown_")
    tree, remote = os.path.join(out, "tree"), os.path.join(out, "remote.git")
    os.makedirs(out, exist_ok=True)
    git(out, "clone", "--quiet", ROOT, tree)
    git(out, "clone", "--quiet", "--bare", ROOT, remote)
    base = steps.git(tree, "rev-parse", "HEAD")
    commit(tree, "A comment", {FIRST_LINE: f"// Of a block.\n{FIRST_LINE}"})
    slow = commit(tree, "Reductions wait", {BEGIN: STARTED + BEGIN, END: END + WAIT})
    commit(tree, "Another comment", {f"// Of a block.\n{FIRST_LINE}": f"// What a block shares.\n{FIRST_LINE}"})
    large, others = choose_cells()
    cells = os.path.join(out, "cells.txt")
    with open(cells, "w", encoding="utf-8") as file:
        file.writelines(f"{text}\n" for text in large + others)
    words = ["--cells", cells, "--remote", remote, *rest]
    first, = night(tree, os.path.join(out, "first"), ["--base", base, *words])
    git(tree, "revert", "--no-edit", slow)
    second, = night(tree, os.path.join(out, "second"), ["--base", "good", *words])

    found = {line["cell"]: line["ratio"] for line in first["slow"]}
    for cell in large:
        print(f"{cell:<50} {found.get(cell) or 'not found'}")
    texts = []
    for line in first["issues"]:
        with open(os.path.join(out, "first", "regress", line["path"]), encoding="utf-8") as file:
            texts.append({"title": line["title"], "body": file.read()})
    suspects = [{word for line in text["body"].splitlines() if line.startswith("- ") for word in line.split()[1:2]}
                for text in texts]
    checks = {
        f"{len(found)} of {len(large)} cells are slower":
            len(set(large) - set(found)) <= MOST_MISSED * len(large),
        "nothing else is found": set(found) <= set(large),
        f"{len(texts)} issues name {slow[:12]} and no other": texts and all(one == {slow[:12]} for one in suspects),
        "what is slower keeps its base": not any(first["cells"][cell]["moves"] for cell in found),
        "taken back, nothing is slower": not second["slow"],
        "against the base before": all(second["cells"][cell]["base"] == base for cell in found),
        "every issue is settled": all(issues.settled(text, [second]) for text in texts)}
    for text, good in checks.items():
        print(f"{'passed' if good else 'FAILED'}: {text}")
    passed = sum(map(bool, checks.values()))
    print(f"{passed} passed, {len(checks) - passed} failed, 0 skipped")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except steps.CannotRun as error:
        print(f"planted_slowdown: {error}", file=sys.stderr)
        print("0 passed, 1 failed, 0 skipped")
        sys.exit(2)
