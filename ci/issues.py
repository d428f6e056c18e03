#!/usr/bin/env python3
"""Opens ci/regress.py's issues, and closes settled ones, through gh. Without gh it names them.

    ci/issues.py --regress DIR [--github OWNER/NAME]

An issue already open under the same title gets a comment instead. It is settled if tonight measured each of its cells
against its base again, and found them SAME, FAST, or SLOW and accepted.
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import github, steps  # noqa: E402
from tools.farm import files  # noqa: E402


# As written by ci/regress.py.
CELL, BASE = re.compile(r"^\| `([^`\n]+)` \|", re.M), re.compile(r"^make regress BASE=(\S+)", re.M)


def settled(issue, boards):
    """Why an open issue can be closed, or None. If two boards of its device measured a cell, both must agree."""
    ours = [one for one in boards if issue["title"].startswith(f"Slower on {one['device']}: ")]
    cells, base = CELL.findall(issue["body"]), BASE.search(issue["body"])
    said = [[one["cells"][cell] for one in ours if cell in one["cells"]] for cell in cells]
    if not base or not said or not all(said):
        return None
    if not all(one["moves"] and one["base"] == base[1] for lines in said for one in lines):
        return None
    what = "its cell" if len(cells) == 1 else f"all its {len(cells)} cells"
    return f"Settled: the night of {ours[0]['date']} at {ours[0]['commit'][:12]} finds {what} no slower than at " \
        f"{base[1][:12]}, or the slowdown is accepted."


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/issues.py", description="opens the issues of a night")
    parser.add_argument("--regress", required=True, metavar="DIR", help="what ci/regress.py left")
    parser.add_argument("--github", metavar="OWNER/NAME", help="the repository of the issues")
    args = parser.parse_args(argv)
    files.check(args.regress)
    boards = steps.read_json(os.path.join(args.regress, "regress.json"))
    if boards is None:
        raise steps.CannotRun(f"{args.regress}: ci/regress.py left nothing there")
    issues = [(line["title"], files.path_of(args.regress, line["path"])) for one in boards for line in one["issues"]]
    if not github.is_there():
        print("gh is not there, or not authorised; to be opened by hand:" if issues else "no issue to open")
        print("".join(f"  {title}: {path}\n" for title, path in issues), end="")
        return 0
    repository = github.in_repository(args.github)
    for title, path in issues:
        number = github.issue_of(title, repository)
        words = ["comment", number] if number else ["create", "--title", title]
        print(github.gh("issue", *words, "--body-file", path, *repository))
    for one in github.issues_of("Slower on", repository):
        reason = settled(one, boards)
        if reason and one["title"] not in dict(issues):
            print(github.gh("issue", "close", str(one["number"]), "--comment", reason, *repository))
    return 0


if __name__ == "__main__":
    sys.exit(steps.main_of("issues", main))
