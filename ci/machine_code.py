#!/usr/bin/env python3
"""Finds kernels whose machine code differs from a base commit's, for chosen architectures. Needs gcc and NVRTC, no GPU.

    ci/machine_code.py --base COMMIT|FOLDER [--head COMMIT|FOLDER] [--architectures 75,90] [--cells FILE] [--out DIR]

gp_tune --compiler compiles each cell's kernels from both commits, on the header's own policy; its hash ignores names
and line numbers. A kernel is `same`, `changed`, `new` (not in the base) or `gone`; a kernel that is the same need not
be measured, and is a control if it is. Equal gpuprims.h files compile nothing. DIR gets machine_code.md and
machine_code.json.

Exit status: 0, whatever changed; 1 a kernel of this tree fails to compile, though the base's compiles; 2 could not run.
"""
import argparse
import collections
import concurrent.futures
import filecmp
import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import steps  # noqa: E402
from tools.farm import measure, regress, standard, store  # noqa: E402

SIZES = (1 << 14, 1 << 26)  # bytes: calls of one block, and of many
ARCHITECTURES = "75,90"
# A compilation: the text of a cell, a compute capability, a policy's text or "default".
Job = collections.namedtuple("Job", "cell capability policy")
# kernels: the hash of each kernel of the call; policy: that of "default", every field named.
Code = collections.namedtuple("Code", "status code message kernels policy", defaults=((), ""))


def tree_of(name, repository=steps.ROOT):
    return regress.tree_of_folder(name) if os.path.isdir(name) else regress.tree_of_commit(name, repository)


def compiler_of(tree, command=None):
    """The command that starts a tree's compiler; {tree} in another command is its folder."""
    if command:
        return ["sh", "-c", f"exec {command.replace('{tree}', shlex.quote(tree.path))}"]
    return [regress.build(tree), "--compiler"]


def codes_of(tree, jobs, command=None, device="", more=None):
    """{Job: Code} for a tree. device: whose rows of the tree's table apply; more: additions to the compiler's
    environment. A tree that cannot be built has no code, but a message."""
    jobs = list(dict.fromkeys(jobs))
    try:
        program = compiler_of(tree, command)
    except regress.CannotBuild as error:
        first = next((line for line in str(error).splitlines() if "error" in line), str(error))
        return {job: Code("unbuilt", "", first.strip()) for job in jobs}
    environment = {**os.environ, "GP_TUNE_CACHE": os.path.join(tree.work, "cache"), "GP_TUNE_DEVICE": device,
                   **(more or {})}
    count = min(len(os.sched_getaffinity(0)), max(1, len(jobs)))
    parts = [jobs[start::count] for start in range(count)]
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        answers = pool.map(lambda part: ask(program, part, environment), parts)
        return {job: code for part in answers for job, code in part.items()}


def ask(program, jobs, environment):
    """One compiler process; an unanswered job did not compile."""
    lines = [measure.message("compile", {"id": number, "cell": job.cell, "compute_capability": job.capability,
                                         "policy": job.policy}) for number, job in enumerate(jobs)]
    try:
        done = subprocess.run(program, input="\n".join(lines) + "\n", cwd=steps.ROOT, env=environment, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as error:
        raise steps.CannotRun(f"{program[0]}: {error.strerror}") from error
    found = {job: Code("compile", "", done.stderr.strip()[-300:] or "the compiler did not answer") for job in jobs}
    for line in done.stdout.splitlines():
        word, fields = measure.parse(line)
        if word == "compiled" and fields.get("id", "").isdigit() and int(fields["id"]) < len(jobs):
            found[jobs[int(fields["id"])]] = Code(fields.get("status", ""), fields.get("code", ""),
                                                  fields.get("message", ""),
                                                  tuple(filter(None, fields.get("kernels", "").split(","))),
                                                  fields.get("policy", ""))
    return found


# ---- the difference of two commits -----------------------------------------------------------------------------------


def standard_jobs(capabilities, cells_file=None):
    """Every primitive and type of the regression's list, at two sizes; or the cells of a file."""
    if cells_file:
        texts = list(regress.cells_of(cells_file).values())
    else:
        sizes = store.type_sizes()
        texts = [" ".join(f"{primitive} {operator} {type_} {words} n={size // sizes[type_]} protocol=cold".split())
                 for primitive, (operator, types, words) in standard.CELLS.items() for type_ in types for size in SIZES]
        texts += standard.GRAPH_CELLS
    return [Job(text, capability, "default") for capability in capabilities for text in texts]


def same_text(base, head):
    return filecmp.cmp(os.path.join(base.path, "gpuprims.h"), os.path.join(head.path, "gpuprims.h"), shallow=False)


def compare(base, head, jobs, command=None):
    """[{cell, capability, outcome, base, head, message}]."""
    if same_text(base, head):
        return [{"cell": job.cell, "capability": job.capability, "outcome": "same", "base": "", "head": "",
                 "message": "gpuprims.h is the same"} for job in jobs]
    before, after = codes_of(base, jobs, command), codes_of(head, jobs, command)
    lines = []
    for job in jobs:
        old, new = before[job], after[job]
        if old.status == new.status == "ok":
            outcome = "same" if old.code == new.code else "changed"
        else:
            outcome = {(False, True): "new", (True, False): "gone"}.get((old.status == "ok", new.status == "ok"),
                                                                        "neither compiles")
        lines.append({"cell": job.cell, "capability": job.capability, "outcome": outcome, "base": old.code,
                      "head": new.code, "message": new.message or old.message})
    return lines


ORDER = ("gone", "neither compiles", "changed", "new", "same")


def report(lines, base, head):
    counts = collections.Counter(line["outcome"] for line in lines)
    text = [f"# Machine code: {head} beside {base}", "",
            ", ".join(f"{counts[name]} {name}" for name in ORDER if counts[name]) + f" of {len(lines)} kernels.", ""]
    for name in ORDER:
        found = [line for line in lines if line["outcome"] == name]
        if not found:
            continue
        text += [f"## {name}: {len(found)}", ""]
        if name == "same" and found[0]["message"]:
            text += [f"{found[0]['message']}: nothing had to be compiled.", ""]
            continue
        text += ["| cell | compute capability | base | head |", "|---|---|---|---|"]
        for line in sorted(found, key=lambda line: (line["cell"], line["capability"])):
            words = line["cell"], str(line["capability"]), line["base"] or "-", line["head"] or line["message"]
            text.append(f"| {' | '.join(words)} |")
        text.append("")
    return "\n".join(text)


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/machine_code.py", description="kernels whose machine code changed")
    parser.add_argument("--base", required=True, metavar="COMMIT|FOLDER")
    parser.add_argument("--head", default=steps.ROOT, metavar="COMMIT|FOLDER", help="default: this tree")
    parser.add_argument("--architectures", default=ARCHITECTURES, metavar="75,90")
    parser.add_argument("--cells", metavar="FILE", help="a cell a line")
    parser.add_argument("--out", metavar="DIR")
    parser.add_argument("--compiler-command", metavar="COMMAND", help="another compiler; {tree} is the commit's folder")
    args = parser.parse_args(argv)
    try:
        capabilities = [int(word.removeprefix("sm_")) for word in args.architectures.split(",")]
    except ValueError:
        parser.error(f"--architectures {args.architectures}: numbers such as 75,90")
    try:
        base, head = tree_of(args.base), tree_of(args.head)
        lines = compare(base, head, standard_jobs(capabilities, args.cells), args.compiler_command)
    except regress.CannotRun as error:
        raise steps.CannotRun(error) from error
    text = report(lines, base.commit, head.commit)
    if args.out:
        store.replace(os.path.join(args.out, "machine_code.md"), text.encode())
        steps.write_json(os.path.join(args.out, "machine_code.json"),
                         {"base": base.commit, "head": head.commit, "kernels": lines})
    print(text)
    return 1 if any(line["outcome"] == "gone" for line in lines) else 0


if __name__ == "__main__":
    sys.exit(steps.main_of("machine_code", main))
