"""Makes static pages of the measurements; they open from the file system.

    python3 -m dashboard [--out DIR] [--store FOLDER] [--baselines FOLDER]
    python3 -m dashboard --picture DEVICE [--until DATE]      only a heat map: today.svg, today.csv in DEVICE's folder

Each build replaces DIR. FOLDER has a folder a device, in the forms of ci/measurements. Unusable files never stop the
build: the pages name them. Exit status: 0 done; 1 done, but a page failed; 2 nothing was made.
"""
import argparse
import datetime
import os
import sys

from tools import bench
from tools.farm import store


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m dashboard", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", metavar="DIR", default=os.path.join(bench.BUILD, "dashboard"),
                        help="where the site goes (default: build/dashboard)")
    parser.add_argument("--store", metavar="FOLDER", default=os.path.join(bench.ROOT, store.STORES),
                        help="where the measurements are (default: ci/measurements)")
    parser.add_argument("--baselines", metavar="FOLDER", default=os.path.join(bench.ROOT, "ci", "baselines"),
                        help="where accepted.jsonl says which slowdowns are meant to stay (default: ci/baselines)")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one a core)")
    parser.add_argument("--cache", metavar="FOLDER", help="pictures and summaries that were made before (default: "
                        "build/dashboard.cache)")
    parser.add_argument("--today", metavar="DATE", help="ages count from this date, of the form 2026-11-22 (default: "
                        "today, UTC)")
    parser.add_argument("--url", metavar="URL", help="the repository on the web, which commits and pull requests are "
                        "linked to (default: what origin says)")
    parser.add_argument("--home", metavar="URL", default="", help="where these pages will be, for the feed and "
                        "the commit statuses")
    parser.add_argument("--docs", metavar="PATH", default="", help="where the site of the documentation will be, below "
                        "these pages: each links to it (docs/index.html)")
    parser.add_argument("--repository", metavar="FOLDER", default=bench.ROOT,
                        help="the checkout whose commits were measured (default: this one)")
    parser.add_argument("--picture", metavar="DEVICE", help="a folder of the store, such as nvidia-h200")
    parser.add_argument("--until", metavar="DATE", help="of --picture: no night after this one")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    args = parser.parse_args(argv)
    today = args.today or datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    for name, date in (("--today", today), ("--until", args.until or today)):
        try:
            datetime.date.fromisoformat(date)
        except ValueError:
            parser.error(f"{name} {date}: not a date of the form 2026-11-22")
    if args.until and not args.picture:
        parser.error("--until needs --picture")
    for name, url in (("--url", args.url), ("--home", args.home)):
        if url and not url.startswith(("https://", "http://")):
            parser.error(f"{name} {url}: not an address that begins with https://")
    if args.jobs is not None and args.jobs < 1:
        parser.error(f"--jobs {args.jobs}: at least 1")
    try:
        from dashboard import build, commits
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("dashboard", "tools"):
            raise
        print(f"dashboard: {error.name} is missing: `make dashboard` installs it, or pip install -r requirements.txt",
              file=sys.stderr)
        return 2
    try:
        if args.picture:
            for path in build.picture(args.picture, args.store, args.until):
                print(f"written: {os.path.relpath(path)}")
            return 0
        url = commits.web_address(commits.git(args.repository, "remote", "get-url", "origin")) \
            if args.url is None else args.url
        problems = build.build(args.out, args.store, today, args.jobs, args.cache, args.quiet, args.baselines,
                               args.repository, url, args.home, args.docs)
    except (build.CannotBuild, OSError) as error:
        print(f"dashboard: {error}", file=sys.stderr)
        return 2
    for name, text in problems:
        print(f"dashboard: {name}: {text}", file=sys.stderr)
    index = os.path.abspath(os.path.join(args.out, "index.html"))
    print(f"open {os.path.relpath(index)} in a browser: xdg-open {os.path.relpath(index)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
