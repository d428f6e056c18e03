#!/usr/bin/env python3
"""Compares this tree's kernels with a base commit's: for reviews of changes that only move text.

    make same-code BASE=COMMIT                  a sample: each primitive, small and large, one type and architecture
    make same-code BASE=COMMIT ARGS=--all       4 types, 4 architectures, every policy that sizes and rows choose
    make same-code BASE=COMMIT ARGS='--primitives scan,sort --types u32 --architectures 90'
    make same-code BASE=COMMIT ARGS=--policies  the base compiles this tree's policies, for a base with fewer tuned rows

--policies fixes the policy of the call. Calls inside it choose by their own tree's rows: after a tune of reduce_by_key
an otherwise unchanged group_by counts as changed.

Needs gcc and NVRTC, no GPU. A kernel is identified by (primitive, type, size, architecture, position in the call). The
hash of its machine code and constants is compared, and the header's policy for the call; names, line numbers and
comments do not count. Sizes choose among the portable policies; with --all, the rows of each device of the tuned table
choose too. Compiled kernels stay in build/same-code.

NVRTC 13.0 orders some instructions by the addresses of its own data, so equal source can give unequal code (pipelined
scans do, most of all). A kernel that differs is therefore compiled again from both texts, behind declarations that
move those addresses:

    same      the code is the same, or base and tree have a code in common
    unsteady  they have none in common, but the base differs from itself too: nothing is shown
    changed   the base is always the same, and the tree is something else
    policy    the header chooses another policy for the call
    gone      the tree does not compile it, the base does; new: the other way round

Exit status: 0 all same or unsteady; 1 something else; 2 could not run.
"""
import argparse
import collections
import filecmp
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import machine_code, steps  # noqa: E402
from tools.farm import regress, standard, store  # noqa: E402

TYPES = ("u8", "u32", "f32", "u64")
ARCHITECTURES = (75, 80, 90, 120)
FEW_SIZES = (14, 26)  # log2 of bytes
ALL_SIZES = tuple(range(10, 33, 2))
MOVES = (1, 5, 30, 200, 1000, 3000)  # declarations before a recompiled text
FOLDER = os.path.join("build", "same-code")
ORDER = ("gone", "changed", "policy", "new", "unsteady", "same")
# The compiler program reads the header's text from GP_TUNE_HEADER; optimising it does not pay.
FLAGS = '-O0 -DGPUPRIMS_NO_EMBED -DGPUPRIMS_SOURCE=getenv("GP_TUNE_HEADER")'
# NVRTC gets this part of the device text with every kernel; older headers lack the text, so NVRTC gets them whole.
FIRST_PART = b'\n#line 1 "device/vocabulary.cuh"\n'
Line = collections.namedtuple("Line", "outcome job device position base head policy")


def cells(types, sizes, few):
    """[(number of the primitive, cell)]. few: one type each, not always the same."""
    bytes_of, found = store.type_sizes(), []
    for number, (primitive, (operator, usual, words)) in enumerate(standard.CELLS.items()):
        chosen = [name for name in usual if name in types] or list(usual)
        for type_ in [chosen[number % len(chosen)]] if few else dict.fromkeys((*types, *usual)):
            found += [(number, " ".join(f"{primitive} {operator} {type_} {words} protocol=cold "
                                        f"n={max((1 << size) // bytes_of[type_] // 256, 1) << 8}".split()))
                      for size in sizes]
    for text in dict.fromkeys(text.split()[0] for text in standard.GRAPH_CELLS) if few else standard.GRAPH_CELLS:
        graphs = [cell for cell in standard.GRAPH_CELLS if cell.startswith(text)][:1] if few else [text]
        found += [(len(found), cell) for cell in graphs]
        if not few:
            found += [(len(found), cell.replace(" u32 ", " u64 ")) for cell in graphs if "u64" in types]
    return found


def jobs_of(options):
    few = not options.all
    found = cells(options.types, options.sizes, few)
    if options.primitives:
        found = [one for one in found if any(name in one[1].split()[0] for name in options.primitives)]
    spread = few and not options.given_architectures
    return [machine_code.Job(cell, capability, "default") for number, cell in found
            for k, capability in enumerate(options.architectures)
            if not spread or k == (number + (len(cell))) % len(options.architectures)]


def devices_of(tree):
    try:
        with open(os.path.join(tree.path, store.TABLE), encoding="utf-8") as file:
            return sorted(set(re.findall(r'\bROW\("([^"]+)"', file.read())) - {"portable"})
    except OSError:
        return []


def behind(tree, count):
    """The path of the tree's header, with this many declarations before its text."""
    if not count:
        return os.path.join(tree.path, "gpuprims.h")
    with open(os.path.join(tree.path, "gpuprims.h"), "rb") as file:
        text = file.read()
    moved = "".join(f"struct gp__moved_{i} {{ int member; }};\n" for i in range(count)).encode()
    first = text.find(FIRST_PART) + len(FIRST_PART) if FIRST_PART in text else 0
    text = text[:first] + moved + text[first:]
    path = os.path.join(tree.work, f"behind-{count}.h")
    store.replace(path, text)
    return path


def codes(tree, jobs, device, move=0):
    more = {"GP_TUNE_HEADER": os.path.abspath(behind(tree, move)),
            "GP_TUNE_CACHE": os.path.abspath(os.path.join(FOLDER, "cache"))}
    return machine_code.codes_of(tree, jobs, device=device, more=more)


def kernels_of(code):
    """Older results do not tell a call's kernels apart: their common hash."""
    return code.kernels or ((code.code,) if code.code else ())


def with_policies(jobs, found):
    """{job: the job for the base}, with the policies that this tree chose."""
    return {job: job._replace(policy=found[job].policy or job.policy) for job in jobs}


def compare(base, head, jobs, device, policies=False):
    """[Line] of every kernel of the jobs, except those that no call needs. policies: the base compiles the tree's
    choices."""
    after = codes(head, jobs, device)
    asked = with_policies(jobs, after) if policies else {job: job for job in jobs}
    before = codes(base, asked.values(), device)
    before = {job: before[asked[job]] for job in jobs}
    lines, doubtful = [], []
    for job in jobs:
        old, new = before[job], after[job]
        line = lambda outcome, position=0, a="", b="": Line(outcome, job, device, position, a or old.message,
                                                            b or new.message, new.policy or old.policy)
        if "unbuilt" in (old.status, new.status):
            raise steps.CannotRun(f"gp_tune cannot be built: {old.message or new.message}")
        if old.status != "ok" and new.status != "ok":
            if "compile" in (old.status, new.status):
                lines.append(line("gone"))
        elif old.status != "ok" or new.status != "ok":
            lines.append(line("new" if new.status == "ok" else "gone"))
        elif old.policy and old.policy != new.policy:
            lines.append(line("policy", 0, old.policy, new.policy))
        elif len(kernels_of(old)) != len(kernels_of(new)):
            lines.append(line("changed", 0, f"{len(kernels_of(old))} kernels", f"{len(kernels_of(new))} kernels"))
        else:
            pairs = list(enumerate(zip(kernels_of(old), kernels_of(new))))
            lines += [line("same", position, a, b) for position, (a, b) in pairs if a == b]
            differ = [line("changed", position, a, b) for position, (a, b) in pairs if a != b]
            doubtful += differ
    return lines + settle(base, head, doubtful, device, asked)


def settle(base, head, doubtful, device, asked):
    """Recompiles kernels that differ, with both texts moved."""
    jobs = list(dict.fromkeys(line.job for line in doubtful))
    if not jobs:
        return []
    print(f"same_code: {len(jobs)} calls differ; compiling them again", file=sys.stderr, flush=True)
    seen = {line: ({line.base}, {line.head}) for line in doubtful}
    for move in MOVES:
        for side, tree in enumerate((base, head)):
            as_asked = {job: job if side else asked[job] for job in jobs}
            moved = codes(tree, as_asked.values(), device, move)
            for line in doubtful:
                found = kernels_of(moved[as_asked[line.job]])
                if line.position < len(found):
                    seen[line][side].add(found[line.position])
    outcomes = {line: "same" if old & new else "unsteady" if len(old) > 1 else "changed"
                for line, (old, new) in seen.items()}
    return [line._replace(outcome=outcomes[line]) for line in doubtful]


def report(lines, base, head, seconds):
    counts = collections.Counter(line.outcome for line in lines)
    settled = sum(line.outcome == "same" and line.base != line.head for line in lines)
    for name in ORDER:
        for line in lines:
            if line.outcome == name and name != "same":
                rows = f" (rows of {line.device})" if line.device else ""
                print(f"{name}: {line.job.cell}, sm_{line.job.capability}{rows}, kernel {line.position}: {line.base} "
                      f"-> {line.head}; {line.policy}")
    calls = len({(line.job, line.device) for line in lines})
    print(f"{head} beside {base}: {len(lines)} kernels of {calls} calls in {seconds:.0f} s: " +
          ", ".join(f"{counts[name]} {name}" for name in ORDER if counts[name] or name == "same") +
          (f" ({settled} of these after the text was moved)" if settled else ""))
    return 0 if counts["same"] + counts["unsteady"] == len(lines) else 1


def main(argv):
    parser = argparse.ArgumentParser(prog="tools/same_code.py", description="are the kernels those of a base commit?")
    parser.add_argument("--base", required=True, metavar="COMMIT|FOLDER")
    parser.add_argument("--head", default=steps.ROOT, metavar="COMMIT|FOLDER", help="default: this tree")
    parser.add_argument("--all", action="store_true", help="everything; hours")
    parser.add_argument("--primitives", type=lambda text: text.split(","), metavar="A,B", help="parts of their names")
    parser.add_argument("--types", type=lambda text: tuple(text.split(",")), default=TYPES, metavar="A,B")
    parser.add_argument("--architectures", metavar="75,90")
    parser.add_argument("--policies", action="store_true", help="the base compiles the policies of this tree")
    args = parser.parse_args(argv)
    args.given_architectures = args.architectures is not None
    try:
        args.architectures = [int(word) for word in args.architectures.split(",")] if args.architectures \
            else list(ARCHITECTURES)
    except ValueError:
        parser.error(f"--architectures {args.architectures}: numbers such as 75,90")
    args.sizes = ALL_SIZES if args.all else FEW_SIZES
    os.environ["CFLAGS"] = FLAGS
    start = time.monotonic()
    try:
        base, head = machine_code.tree_of(args.base), machine_code.tree_of(args.head)
        if all(filecmp.cmp(os.path.join(base.path, name), os.path.join(head.path, name), shallow=False)
               for name in ("gpuprims.h", store.TABLE)):
            print(f"{head.commit} beside {base.commit}: gpuprims.h and {store.TABLE} are the same bytes")
            return 0
        lines = []
        for device in ["", *(devices_of(head) if args.all else [])]:
            lines += compare(base, head, jobs_of(args), device, args.policies)
    except regress.CannotRun as error:
        raise steps.CannotRun(error) from error
    return report(lines, base.commit, head.commit, time.monotonic() - start)


if __name__ == "__main__":
    sys.exit(steps.main_of("same_code", main))
