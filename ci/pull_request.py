#!/usr/bin/env python3
"""Proposals as pull requests: branch bot/policies-<capability>, updated in place, closed when nothing is left.

    ci/pull_request.py --proposals DIR [--remote NAME|URL] [--pictures URL] [--github OWNER/NAME] [--target main]
                       [--check WORKFLOW]

DIR is what ci/decide.py left. The branch is one commit on the proposal's base: rows, stores, baselines and nothing
else. It is pushed with --force-with-lease, so that a branch that somebody else moved meanwhile is not overwritten. A
night that was not measured to its end closes nothing. Pull requests are opened, updated and closed through gh where it
is there and authorised; otherwise the branch and the body are printed. Nothing here merges. --check starts a workflow
on the branch: what a workflow pushes with its own token starts none by itself.

Without --remote the branch is made in this repository and pushed nowhere.
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import github, steps  # noqa: E402
from tools import bench  # noqa: E402
from tools.farm import store  # noqa: E402

# What a proposal may touch: generated files and the stores that they are generated from.
ALLOWED = re.compile(rf"{re.escape(store.TABLE)}|{re.escape(store.BASELINES)}/[a-z0-9-]+\.jsonl|"
                     rf"{re.escape(store.STORES)}/[a-z0-9-]+/[0-9-]+(\.[0-9]+)?\.(tune|regress)(\.{bench.COMMIT})?"
                     r"(\.[0-9]{1,3})?\.jsonl\.gz")


def percent(value):
    return f"{100 * value:+.1f} %"


def short(policy):
    return f"`{policy}`" if policy else "the header's rule"


def body(found, pictures):
    """The text of the pull request."""
    text = [f"What the night of {found['date']} measured on {', '.join(found['devices'])} changes. Made by "
            "ci/decide.py; tests regenerate the table and the baselines and compare bytes.", ""]
    if found["rows"]:
        text += [f"## Rows: {len(found['rows'])}", "",
                 "| device | group | bytes | was | is | gain | 95 % interval | pairs |",
                 "|---|---|---|---|---|---:|---|---:|"]
        for row in found["rows"]:
            known = row["gain"] is not None
            numbers = f"{percent(row['gain'])} | {percent(row['low'])} to {percent(row['high'])} | {row['pairs']}" \
                if known else f"{row['why']} | | "
            text.append(f"| {row['scope']} | {row['group']} | 2^{row['from']} to 2^{row['to']} | "
                        f"{short(row['before'])} | {short(row['after'])} | {numbers} |")
        text.append("")
        text += [f"![gains with their intervals]({pictures}{name})" for name in found["pictures"]] + [""]
    if found["baselines"]:
        reasons = {}
        for line in found["baselines"]:
            reasons.setdefault(line["reason"], []).append(line)
        text += [f"## Baselines: {len(found['baselines'])} cells", ""]
        for reason, lines in sorted(reasons.items()):
            few = ", ".join(f"`{line['cell']}`" + (f" {line['before']:g} to {line['after']:g} us" if line["before"] else
                                                   f" {line['after']:g} us") for line in lines[:5])
            text.append(f"- {reason}: {few}" + (f", and {len(lines) - 5} more" if len(lines) > 5 else ""))
        text.append("")
    if found["regret"]:
        text += ["## Regret", "", "Time over the best policy's, less 1, over the measured cells:", "", "```",
                 found["regret"], "```", ""]
    text += ["## What it rests on", "", *(f"- {note}" for note in found["notes"]), ""]
    return "\n".join(text)


def title_of(found):
    what = [f"{len(found['rows'])} rows"] * bool(found["rows"]) + \
        [f"{len(found['baselines'])} baselines"] * bool(found["baselines"])
    return f"Policies of sm_{found['capability']}: {', '.join(what)} ({', '.join(found['devices'])})"


def check_branch(name):
    if not re.fullmatch(r"(bot/)?policies-[a-z0-9-]+", name):
        raise steps.CannotRun(f"a proposal must not have branch {name}")


def check_files(names):
    wrong = [name for name in names if not ALLOWED.fullmatch(name)]
    if wrong:
        raise steps.CannotRun(f"a proposal must not touch {', '.join(wrong)}")


def commit_of(repository, found, folder, text):
    """Makes the commit; its name."""
    files, gone = {}, []
    for name in found["files"]:
        path = os.path.join(folder, "tree", name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                files[name] = file.read()
        else:
            gone.append(name)
    tree = steps.tree_with(repository, found["base"], files, gone)
    when = f"{found['date']}T00:00:00Z"  # the same proposal is the same commit
    return steps.git(repository, "commit-tree", tree, "-p", found["base"], data=f"{title_of(found)}\n\n{text}".encode(),
                     env={**steps.BOT, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when})


def tip_of(repository, remote, branch):
    """The commit that the remote's branch is at, "" where there is none."""
    words = ["ls-remote", remote, f"refs/heads/{branch}"] if remote else \
        ["for-each-ref", "--format=%(objectname) %(refname)", f"refs/heads/{branch}"]
    return (steps.git(repository, *words).split() or [""])[0]


def move(repository, remote, branch, old, new):
    """Moves the branch from where we saw it; new: "" to remove it."""
    if remote:
        steps.git(repository, "push", "--quiet", f"--force-with-lease=refs/heads/{branch}:{old}", remote,
                  f"{new}:refs/heads/{branch}")
    elif new:
        steps.git(repository, "update-ref", f"refs/heads/{branch}", new, old)
    else:
        steps.git(repository, "update-ref", "-d", f"refs/heads/{branch}", old)


def close(args, found, old, with_gh):
    """Nothing is left to propose."""
    branch = found["branch"]
    if not old:
        return f"{branch}: nothing to propose"
    if not found["complete"]:
        return f"{branch}: nothing from this night, which was not measured to its end; the open proposal stays"
    if with_gh:
        number = github.pull_request_of(branch, github.in_repository(args.github))
        if number:
            github.gh("pr", "close", number, "--comment", f"The night of {found['date']} leaves nothing to propose.",
                      *github.in_repository(args.github))
    move(args.repository, args.remote, branch, old, "")
    return f"{branch}: closed: nothing is left to propose"


def open_or_update(args, found, old, folder, with_gh):
    branch, text = found["branch"], body(found, args.pictures)
    check_files(found["files"])
    new = commit_of(args.repository, found, folder, text)
    if old != new:
        move(args.repository, args.remote, branch, old, new)
    store.replace(os.path.join(folder, "body.md"), text.encode())
    if not with_gh:
        print(f"branch: {branch} at {new[:12]}\ntitle: {title_of(found)}\n\n{text}")
        return f"{branch}: {'updated' if old else 'made'}; gh is not there or not authorised: open it by hand"
    repository, path = github.in_repository(args.github), os.path.join(folder, "body.md")
    number = github.pull_request_of(branch, repository)
    words = ["edit", number] if number else ["create", "--head", branch, "--base", args.target]
    github.gh("pr", *words, "--title", title_of(found), "--body-file", path, *repository)
    if args.check and old != new:
        github.gh("workflow", "run", args.check, "--ref", branch, *repository)
    return f"{branch}: pull request {'updated' if number else 'opened'}"


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/pull_request.py", description="proposals as pull requests")
    parser.add_argument("--proposals", required=True, metavar="DIR", help="what ci/decide.py left")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    parser.add_argument("--remote", metavar="NAME|URL", help="where the branch is pushed")
    parser.add_argument("--target", default="main", metavar="BRANCH", help="what the pull request is made to")
    parser.add_argument("--pictures", default="", metavar="URL", help="where the pictures will be found")
    parser.add_argument("--github", metavar="OWNER/NAME", help="the repository of the pull request")
    parser.add_argument("--check", metavar="WORKFLOW", help="run it on a branch that is new or moved, such as ci.yml")
    args = parser.parse_args(argv)
    proposals, night = steps.proposals_in(args.proposals) or (None, None)
    if not night:
        raise steps.CannotRun(f"{args.proposals}: ci/decide.py left nothing there")
    with_gh, failed = bool(args.remote) and github.is_there(), []
    for capability, (folder, found) in proposals.items():
        if not found:
            print(f"{capability}: no proposal.json there")
            continue
        try:
            check_branch(found["branch"])
            old = tip_of(args.repository, args.remote, found["branch"])
            print((open_or_update(args, found, old, folder, with_gh) if found["files"] else
                   close(args, found, old, with_gh)))
        except steps.CannotRun as error:  # the others' proposals are made all the same
            failed.append(f"{found['branch']}: {error}")
    for name in night["silent"]:
        print(f"{name}: NO DATA; what it proposed before stays")
    if failed:
        raise steps.CannotRun("; ".join(failed))
    return 0


if __name__ == "__main__":
    sys.exit(steps.main_of("pull_request", main))
