#!/usr/bin/env python3
"""Reports a night's regression runs: a page, and an issue's text for each kernel that became slower.

    ci/regress.py --artifacts DIR [--out DIR] [--expected A,B]

The boards made the verdicts (tools/farm/regress.py: the base commit rerun the same night, controls, alarms confirmed by
fresh processes). This step finds suspects by the machine code of the commits in between, which needs gcc, NVRTC and the
repository, but no GPU. DIR gets regress.md, regress.json and issues/*.md, which ci/issues.py opens.

Exit status: 0; 1 something is SLOW, or fails in this tree only, or more than a few cells are NO DATA; 2 could not run.
"""
import argparse
import collections
import os
import shlex
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import baseline, steps, suspects  # noqa: E402
from tools.farm import regress, store, trust, verdicts  # noqa: E402
from tools.farm.verdicts import FAST, NO_DATA, SAME, SLOW  # noqa: E402


class Side:
    """For one cell: what ran in the base, or in this tree."""

    def __init__(self, samples):
        last = samples[-1] if samples else {}
        self.code = last.get("code", "")
        self.policy = store.policy_text(last["policy"]) if last.get("policy") else ""
        self.source = last.get("policy_source", "")
        self.failed = next((one for one in samples if one["status"] != "ok"), None)


class Found:
    """A board's regression store: its latest verdict of each cell."""

    def __init__(self, board, a_store):
        self.board, self.store = board, a_store
        self.verdicts = list({store.cell_of(line): line for line in a_store.of("verdict")}.values())
        self.environments = {one["id"]: one for one in a_store.of("environment")}
        self.samples = collections.defaultdict(list)
        for sample in a_store.of("samples"):
            if sample["phase"] == "regress" and sample["variant"] == "default":
                self.samples[store.cell_of(sample), sample["env"]].append(sample)
        self.counts = collections.Counter(line["outcome"] for line in self.verdicts)
        self.controls = next((line for line in reversed(a_store.of("check")) if line["name"] == "controls"), None)

    def sides(self, line):
        return tuple(Side(self.samples[store.cell_of(line), line[name]]) for name in ("base", "env"))

    def is_broken(self, line):
        """Cells that fail only in this tree."""
        base, new = self.sides(line)
        return line["outcome"] == NO_DATA and new.failed is not None and base.failed is None

    def commit(self, name, line):
        """Its whole name, if the record has it."""
        short, record = self.environments.get(line[name], {}).get("commit", ""), self.board.record
        known = [record.get("base_commit", ""), *record.get("bases", [])] if name == "base" else [record.get("commit")]
        return next((full for full in known if full and full.startswith(short.rstrip("+"))), short)

    def bad(self):
        return [line for line in self.verdicts if line["outcome"] == SLOW or self.is_broken(line)]


def kernel_of(line):
    return " ".join(word for word in (line["primitive"], line["op"], line["in"] or line["out"],
                                      line.get("words", ""), "first call" * (line["protocol"] == "first_call"))
                    if word)


# ---- an issue's text -------------------------------------------------------------------------------------------------


def issue(found, kernel, lines, repository, command):
    """(title, text)."""
    device = found.board.device
    texts = [store.cell_of(line).text for line in lines]
    base, head = found.commit("base", lines[0]), found.commit("env", lines[0])
    text = [f"On {device} these cells take longer at {head[:12]} than at {base[:12]}, both measured on "
            f"{found.board.record.get('date', 'the same night')[:10]}, interleaved; a pair is a process of either; "
            f"ratios and 95 % intervals are of the fresh pairs alone that confirmed them.", "",
            "| cell | time over the base's | 95 % interval | pairs | machine code, base | here |",
            "|---|---|---|---|---|---|"]
    policies = []
    for line, name in zip(lines, texts):
        old, new = found.sides(line)
        policies.append((old, new))
        if line["outcome"] == SLOW:
            numbers = f"{line['ratio']:.3f} | {line['low']:.3f} to {line['high']:.3f} | {line['pairs']}"
        else:
            numbers = f"fails: {new.failed['status']} {new.failed.get('message', '')[:200]} | | "
        text.append(f"| `{name}` | {numbers} | {old.code or 'not known'} | {new.code or 'not known'} |")
    text += ["", *policy_lines(texts, policies), *controls_lines(found)]
    old, new = policies[0]
    try:
        names, sentence = suspects.find(repository, base.rstrip("+"), head.rstrip("+"), device, texts[0],
                                        found.board.capability, (old.policy, new.policy), command)
    except (steps.CannotRun, regress.CannotRun) as error:
        names, sentence = [], f"the search ended: {error}"
    text += ["", "## Suspects", "", sentence[:1].upper() + sentence[1:] + "."]
    text += [f"- {one.commit[:12]} {one.title} ({one.what})" for one in names]
    plan = " ".join(shlex.quote(name) for name in texts)
    text += ["", "## To reproduce", "", f"On a {device}, at {head[:12]}:", "", "```sh",
             f"printf '%s\\n' {plan} > cells.txt",
             f"make regress BASE={base.rstrip('+')} ARGS='--cells cells.txt'", "```", "",
             "A slowdown that is meant to stay is taken into the baseline by "
             f"`ci/baseline.py --accept '{texts[0]}' --device '{device}' --reason ...`.", ""]
    return f"Slower on {device}: {kernel}", "\n".join(text)


def policy_lines(texts, policies):
    for name, (old, new) in zip(texts, policies):
        if old.policy != new.policy or old.source != new.source:
            yield f"`{name}` ran on `{old.policy}` ({old.source or 'not known'}), and now runs on `{new.policy}` " \
                f"({new.source or 'not known'})."


def controls_lines(found):
    for one in trust.of(found.store)[:1]:
        yield "; ".join(one.lines()) + "."
    if found.controls:
        yield f"Controls (unchanged machine code) with p below {found.controls['limit']:g}: " \
            f"{100 * found.controls['value']:.1f} %" + ("." if found.controls["passed"] else
                                                        ": more than promised; that was added to every error.")
    else:
        yield "Too few controls to measure the rate of false alarms."


# ---- a night ---------------------------------------------------------------------------------------------------------


def look(board, args, out):
    """A board's part of regress.json, as a dictionary."""
    a_store = board.store(steps.REGRESS)
    said = {"board": board.name, "device": board.device, "outcomes": {}, "slow": [], "accepted": [], "issues": [],
            "drift": [], "problems": [], "step": board.said("regress"), "no_data": False,
            "date": board.date, "commit": board.record.get("commit", ""), "cells": {}}
    if a_store is None or not a_store.of("verdict"):
        said["problems"] = board.problems + [f"NO DATA: the regression run {board.said('regress')}"]
        return said
    found = Found(board, a_store)
    said["outcomes"] = dict(found.counts)
    accepted = baseline.accepted_of(args.repository)
    kernels = collections.defaultdict(list)
    for line in found.bad():
        text = store.cell_of(line).text
        base, new = (found.environments.get(line[side], {}).get("commit", "") for side in ("base", "env"))
        if line["outcome"] == SLOW and any(verdicts.accepts(one, board.device, text, base, new, line["low"])
                                           for one in accepted):
            said["accepted"].append(text)
        else:
            said["slow"].append({"cell": text, "ratio": line["ratio"], "low": line["low"], "high": line["high"]})
            kernels[kernel_of(line), line["base"]].append(line)
    for (kernel, _), lines in sorted(kernels.items()):
        title, text = issue(found, kernel, lines, args.repository, args.compiler_command)
        path = os.path.join("issues", f"{steps.slug(f'{board.device} {kernel}')}.md")
        if os.path.exists(os.path.join(out, path)):  # the same kernel is also slower than another base
            path = path.replace(".md", f".{found.commit('base', lines[0])[:12]}.md")
        store.replace(os.path.join(out, path), f"# {title}\n\n{text}".encode())
        said["issues"].append({"title": title, "path": path})
    said["drift"] = [{"cell": cell, "ratio": round(ratio, 3), "since": line["date"], "commit": line["commit"]}
                     for cell, ratio, line in baseline.drift(a_store, baseline.lines_of(args.repository, board.device))]
    said["problems"] = board.problems + ([] if board.is_done("regress") else [f"regress: {board.said('regress')}"])
    missing, all_of_them = found.counts[NO_DATA], len(found.verdicts)
    said["no_data"] = missing > steps.FEW * all_of_them
    if said["no_data"]:
        said["problems"] = [f"{missing} of {all_of_them} cells are NO DATA: the night fails, and no cell's base "
                            "moves"] + said["problems"]
    for line in found.verdicts:
        text = store.cell_of(line).text
        good = line["outcome"] in (SAME, FAST) or text in said["accepted"]
        said["cells"][text] = {"base": found.commit("base", line), "moves": good and not said["no_data"]}
    return said


def page(boards):
    text = ["# Regressions of the night", ""]
    for one in boards:
        counts = ", ".join(f"{count} {name}" for name, count in sorted(one["outcomes"].items())) or "NO DATA"
        text += [f"## {one['device'] or one['board']}", "", f"{counts}.", ""]
        text += [f"- SLOW `{line['cell']}`: " + (f"{line['ratio']:.3f} ({line['low']:.3f} to {line['high']:.3f})"
                                                if line["ratio"] else "fails here only") for line in one["slow"]]
        text += [f"- accepted: `{cell}`" for cell in one["accepted"]]
        text += [f"- {title['title']}: {title['path']}" for title in one["issues"]]
        text += [f"- {line['ratio']:.3f} times its baseline of {line['since']} ({line['commit']}), another night's, so "
                 f"no proof: `{line['cell']}`" for line in one["drift"]]
        text += [f"- {problem}" for problem in one["problems"]] + [""]
    return "\n".join(text)


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/regress.py", description="what the regression runs of a night say")
    parser.add_argument("--artifacts", required=True, metavar="DIR")
    parser.add_argument("--out", metavar="DIR", help="default: DIR/regress")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    parser.add_argument("--expected", default="", metavar="A,B", help="boards that have to be there")
    parser.add_argument("--compiler-command", metavar="COMMAND", help="another compiler; {tree}: a commit's folder")
    args = parser.parse_args(argv)
    out = args.out or os.path.join(args.artifacts, "regress")
    boards = steps.boards_of(args.artifacts, args.expected.split(","))
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    found = [look(board, args, out) for board in boards]
    text = page(found)
    store.replace(os.path.join(out, "regress.md"), text.encode())
    steps.write_json(os.path.join(out, "regress.json"), found)
    print(text)
    return steps.FOUND_SLOW if any(one["slow"] or one["no_data"] for one in found) else 0


if __name__ == "__main__":
    sys.exit(steps.main_of("regress", main))
