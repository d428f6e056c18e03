#!/usr/bin/env python3
"""Opens the issues that ci/regress.py wrote, through gh. Without gh it names them.

    ci/issues.py --regress DIR [--github OWNER/NAME]

An issue that is open under the same title gets a comment instead.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import github, steps  # noqa: E402
from tools.farm import files  # noqa: E402


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
    if not issues:
        print("no issue to open")
        return 0
    if not github.is_there():
        print("gh is not there, or not authorised; to be opened by hand:")
        print("".join(f"  {title}: {path}\n" for title, path in issues), end="")
        return 0
    repository = github.in_repository(args.github)
    for title, path in issues:
        number = github.issue_of(title, repository)
        words = ["comment", number] if number else ["create", "--title", title]
        print(github.gh("issue", *words, "--body-file", path, *repository))
    return 0


if __name__ == "__main__":
    sys.exit(steps.main_of("issues", main))
