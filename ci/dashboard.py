#!/usr/bin/env python3
"""Makes the dashboard's pages from the committed measurements and the kept nights.

    ci/dashboard.py --out SITE [--remote NAME|URL] [--artifacts DIR] [--url URL] [--home URL] [--docs FOLDER]

--artifacts: a night that is not kept yet is drawn, too. --docs: the documentation's site (make docs), which goes to
docs/ below the pages; they link to it.
"""
import argparse
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ci import baseline, keep, steps  # noqa: E402
from tools.farm import store  # noqa: E402


def main(argv):
    parser = argparse.ArgumentParser(prog="ci/dashboard.py", description="the dashboard's pages")
    parser.add_argument("--out", required=True, metavar="SITE")
    parser.add_argument("--store", default=os.path.join(steps.NIGHTS, "store"), metavar="FOLDER",
                        help="where all stores are put together")
    parser.add_argument("--repository", default=steps.ROOT, metavar="FOLDER")
    parser.add_argument("--remote", metavar="NAME|URL")
    parser.add_argument("--artifacts", metavar="DIR")
    parser.add_argument("--url", metavar="URL", help="the repository on the web (default: what origin says)")
    parser.add_argument("--home", metavar="URL", default="", help="where the pages will be")
    parser.add_argument("--docs", metavar="FOLDER", help="the documentation's site")
    args = parser.parse_args(argv)
    if not os.path.isdir(os.path.join(steps.ROOT, "dashboard")):
        raise steps.CannotRun("there is no dashboard in this tree: nothing to build")
    keep.main(["--fetch", args.store, "--repository", args.repository,
               *(["--remote", args.remote] if args.remote else [])])
    for name, data in (keep.files_of(args.artifacts) if args.artifacts else {}).items():
        if keep.is_shown(name):
            store.replace(os.path.join(args.store, name), data)
    command = [sys.executable, "-m", "dashboard", "--out", os.path.abspath(args.out), "--store",
               os.path.abspath(args.store), "--baselines", os.path.join(os.path.abspath(args.repository),
                                                                        baseline.FOLDER),
               "--repository", os.path.abspath(args.repository), "--home", args.home,
               *(["--docs", "docs/index.html"] if args.docs else []),
               *(["--url", args.url] if args.url is not None else [])]
    code = subprocess.run(command, cwd=steps.ROOT, check=False).returncode
    if args.docs and os.path.isdir(args.out):
        shutil.copytree(args.docs, os.path.join(args.out, "docs"))
    return code


if __name__ == "__main__":
    sys.exit(steps.main_of("dashboard", main))
