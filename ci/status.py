#!/usr/bin/env python3
"""Commit statuses: a night's findings, shown at the measured commit.

    ci/status.py --statuses SITE/status.json --github OWNER/NAME

The dashboard writes status.json; this posts it through gh, whose token needs only to write statuses. Without gh it
prints them.
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import github, steps  # noqa: E402
from tools.farm import files  # noqa: E402

STATES = ("success", "failure")
LONGEST = 140  # longest description


def checked(value):
    """The statuses of a file; raises an error for a bad file."""
    if not isinstance(value, list):
        raise steps.CannotRun("--statuses: not a list of statuses")
    for place, one in enumerate(value):
        fits = isinstance(one, dict) and re.fullmatch(r"[0-9a-f]{40}", str(one.get("sha"))) and \
            one.get("state") in STATES and re.fullmatch(r"night/[\w. -]{1,80}", str(one.get("context"))) and \
            isinstance(one.get("description"), str) and len(one["description"]) <= LONGEST and \
            isinstance(one.get("target_url"), str) and re.match(r"https?://|$", one["target_url"])
        if not fits:
            raise steps.CannotRun(f"--statuses: entry {place} is not a status of a night")
    return value


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/status.py", description="commit statuses of a night")
    parser.add_argument("--statuses", required=True, metavar="FILE")
    parser.add_argument("--github", required=True, metavar="OWNER/NAME")
    args = parser.parse_args(argv)
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", args.github):
        parser.error(f"--github {args.github}: not of the form OWNER/NAME")
    if not os.path.lexists(args.statuses):
        raise steps.CannotRun(f"--statuses {args.statuses}: no such file")
    statuses = checked(steps.read_json(files.path_of(*os.path.split(args.statuses))))
    there = github.is_there()
    for one in statuses:
        print(f"{one['sha'][:12]} {one['context']}: {one['state']}: {one['description']}")
        if there:
            words = [word for name in ("state", "context", "description", "target_url") if one[name]
                     for word in ("-f", f"{name}={one[name]}")]
            github.gh("api", f"repos/{args.github}/statuses/{one['sha']}", *words)
    if statuses and not there:
        print("not posted: gh is missing or not authorised")
    return 0


if __name__ == "__main__":
    sys.exit(steps.main_of("status", main))
