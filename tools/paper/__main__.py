"""make paper: one page with every table and figure of the five papers, printed beside measured.

    python3 -m tools.paper [--out FOLDER] [--measurements FOLDER] [--browser PROGRAM] [--no-pdf]

writes FOLDER/index.html (build/paper) from the committed measurements, and FOLDER/papers.pdf where a browser
(chromium, google-chrome) is installed; without one it says so. tools/papers.py has the items, their commands and what
is printed; a paragraph of an item says what still holds, from measured numbers alone. An item without measurements
says so and names its command. Exit status: 0; 2: there is no such folder; 1: the browser failed.
"""
import argparse
import os
import shutil
import subprocess
import sys

from tools import papers
from tools.paper import back40, harris, others, page, sources

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DETAILS = (back40.DETAILS, others.ATUNERT, others.PRO, others.MATOG, harris.DETAILS)
NOTHING_TO_MEASURE = ("a drawing", "code", "XML", "nvprof's names")
LEAD = ("Every table and figure of the five papers that gpuprims follows: the printed numbers, and what the same "
        "experiment gives on today's GPUs. All measured numbers come from files under ci/measurements.",
        "A paragraph says what still holds; it is computed from the measured numbers. What was not measured yet says "
        "so, with the command that measures it.")


def to_do(row, detail):
    """What an item says of missing measurements, or of having none."""
    if row.printed in NOTHING_TO_MEASURE and row.measured != papers.NOT_YET:
        return f"{row.printed[0].upper()}{row.printed[1:]}: there is nothing to measure. Ours: {row.measured}."
    if row.item.startswith("Equation"):
        return "Counted from the programs' lists of layouts, not measured."
    empty = not (detail.text or detail.tables or detail.pictures)
    if row.measured == papers.NOT_YET and empty:
        return f"Not measured yet. {row.command} measures it."
    missing = "not measured yet" in row.measured or any(
        "not measured yet" in str(cell) for _, _, rows in detail.tables for one in rows for cell in one)
    return f"Some numbers are not measured yet. {row.command} measures them." if missing else ""


def items_of(paper, details, devices):
    """The HTML of a paper's items. An item with several rows shows its detail with the first."""
    items, shown = [], set()
    for row in paper.rows:
        make = details.get(row.item)
        detail = make(devices) if make and row.item not in shown else page.NOTHING
        shown.add(row.item)
        items.append(page.item_html(row, detail, to_do(row, detail)))
    return items


def page_of(measurements):
    papers.MEASUREMENTS = measurements
    devices = sources.devices_of(measurements)
    lead = [*LEAD, "Devices measured: " + ("; ".join(device.title for device in devices) or "none") + "."]
    damaged = [f"{os.path.basename(device.folder)}/{text}" for device in devices for text in device.damaged]
    return page.whole("The five papers, measured again", lead, [
        (paper.title, paper.note, items_of(paper, details, devices))
        for paper, details in zip(papers.papers(), DETAILS)], damaged)


def browser_of(name=None):
    """The path of a browser, or None."""
    return next((path for one in ([name] if name else BROWSERS) if (path := shutil.which(one))), None)


def write_pdf(browser, source, target):
    """None, or why there is no PDF."""
    command = [browser, "--headless", "--disable-gpu", "--no-sandbox", "--no-pdf-header-footer",
               f"--print-to-pdf={target}", f"file://{os.path.abspath(source)}"]
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode or not os.path.exists(target):
        return done.stderr.decode(errors="replace").strip()[-300:] or f"exit status {done.returncode}"
    return None


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.paper", description=__doc__.split("\n")[0])
    parser.add_argument("--out", metavar="FOLDER", default=os.path.join(papers.ROOT, "build", "paper"))
    parser.add_argument("--measurements", metavar="FOLDER", default=papers.MEASUREMENTS)
    parser.add_argument("--browser", metavar="PROGRAM")
    parser.add_argument("--no-pdf", action="store_true")
    arguments = parser.parse_args(argv)
    if not os.path.isdir(arguments.measurements):
        print(f"paper: --measurements: there is no folder {arguments.measurements}", file=sys.stderr)
        return 2
    path, pdf = (os.path.join(arguments.out, name) for name in ("index.html", "papers.pdf"))
    page.write(path, page_of(arguments.measurements))
    print(os.path.relpath(path))
    if arguments.no_pdf:
        return 0
    browser = browser_of(arguments.browser)
    if not browser:
        print(f"no PDF: {arguments.browser or 'chromium'} was not found (apt-get install chromium)")
        return 0
    if os.path.exists(pdf):
        os.remove(pdf)
    why = write_pdf(browser, path, os.path.abspath(pdf))
    print(f"no PDF: {browser}: {why}" if why else os.path.relpath(pdf), file=sys.stderr if why else sys.stdout)
    return int(bool(why))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
