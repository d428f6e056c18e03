"""Builds the site in processes: reads all files, derives the pages' common data, renders the pages.

The cache keeps slow results by content: a picture by its specification, a file's summary by its bytes, both with the
code that made them. So the same measurements are read and drawn once.
"""
import hashlib
import importlib.metadata
import io
import json
import math
import multiprocessing
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
import traceback

import jinja2
import markupsafe
import numpy as np

from dashboard import cell, figures, finding, model, news, online, pages, programs, quality, read, reports
from tools import bench
from tools.farm import derive, devices, landscape, store

HERE = os.path.dirname(os.path.abspath(__file__))
MARK = ".gpuprims-dashboard"  # marks a folder that may be replaced
BASELINES = os.path.join(bench.ROOT, "ci", "baselines")
MOST_LOOKS = 12  # tune stores used for regret: each takes seconds
KEPT = 7 * 24 * 3600  # seconds that the cache keeps unused entries
SITE = None   # set before the rendering processes fork
CACHE = None


class CannotBuild(Exception):
    """An error message for the user."""


class Progress:
    """A progress bar on standard error; plain lines without a terminal."""

    def __init__(self, quiet):
        self.quiet, self.bar = quiet, sys.stderr.isatty()
        self.title, self.done, self.total, self.told = "", 0, 0, 0

    def start(self, title, total):
        self.title, self.done, self.total, self.told = title, 0, total, -1
        self.show()

    def step(self, name=""):
        self.done += 1
        self.show(name)

    def show(self, name=""):
        if self.quiet:
            return
        share = self.done / max(self.total, 1)
        if self.bar:
            filled = int(30 * share)
            line = f"{self.title:<8} [{'#' * filled}{'.' * (30 - filled)}] {self.done}/{self.total} {name[-40:]:<40}"
            print(f"\r{line}", end="\n" if self.done >= self.total else "", file=sys.stderr, flush=True)
        elif int(4 * share) > self.told:
            self.told = int(4 * share)
            print(f"dashboard: {self.title} {self.done}/{self.total}", file=sys.stderr, flush=True)


# ---- the cache -------------------------------------------------------------------------------------------------------


def code_digest():
    """Hash of all code that affects a summary or a picture."""
    digest = hashlib.sha256()
    for folder in (HERE, *(os.path.join(bench.ROOT, *below) for below in (("tools", "farm"), ("tools",),
                                                                           ("examples", "tuner")))):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".py", ".json")):
                with open(os.path.join(folder, name), "rb") as file:
                    digest.update(file.read())
    for package in ("matplotlib", "numpy"):
        digest.update(importlib.metadata.version(package).encode())
    return digest.hexdigest()


class Cache:
    def __init__(self, folder):
        self.folder, self.code = folder, code_digest()
        os.makedirs(folder, exist_ok=True)

    def path(self, key):
        name = hashlib.sha256(f"{self.code} {key}".encode()).hexdigest()[:32]
        return os.path.join(self.folder, name)

    def get(self, path):
        """A cached file's bytes, or None; a used entry counts as new."""
        try:
            with open(path, "rb") as file:
                data = file.read()
            os.utime(path)
            return data
        except OSError:
            return None

    def put(self, path, data):
        handle, fresh = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(fresh, path)

    def made_of(self, function, paths, *words):
        """function(*words), cached by the bytes of the files that it reads."""
        digest = hashlib.sha256()
        for path in paths:
            digest.update(path.encode() + b"\0")
            try:
                with open(path, "rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
            except OSError as error:
                digest.update(str(error).encode())
        place = self.path(f"{function.__name__} {words} {digest.hexdigest()}") + ".pickle"
        data = self.get(place)
        if data is not None:
            try:
                return pickle.loads(data)
            except Exception:  # a damaged entry counts as missing
                pass
        found = function(*words)
        self.put(place, pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))
        return found

    def forget(self, before):
        """Removes entries that no build has used for a while."""
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if os.stat(path).st_mtime < before:
                os.unlink(path)


# ---- reading, and data derived from all files ------------------------------------------------------------------------


def table_job(paths):
    """(rows, members of classes, [(device, title, cells, mean, worst, unknown)], notes) of the tune stores."""
    stores, notes = [], []
    for path in paths:
        try:
            stores.append(store.read(path))
        except store.StoreError as error:
            notes.append(str(error))
    decisions, doubts = derive.derive(stores)
    notes += derive.report(doubts)
    found, members = devices.table_of(stores, decisions)
    newest = sorted(stores, key=lambda a_store: max((one["date"] for one in a_store.of("environment")), default=""))
    if len(newest) > MOST_LOOKS:
        notes.append(f"regret is that of the newest {MOST_LOOKS} of {len(newest)} tune stores")
    world, regret = devices.World(newest[-MOST_LOOKS:], decisions=decisions), []
    for device in world.devices:
        for title, values in devices.regrets(world, device).items():
            known = [value for value in values if math.isfinite(value)]
            regret.append((device, title, len(values), sum(known) / len(known) if known else None,
                           max(known, default=None), len(values) - len(known)))
    return found, members, regret, notes


def landscape_job(path, peers_path):
    """The input of pages.landscape_view, or an error text."""
    try:
        found = landscape.landscape_of([line.value for line in store.read(path).lines], path)
        peers = landscape.Peers({}, {})
        if peers_path:
            peers = landscape.peers_of(landscape.records_of(peers_path), peers_path, found.environment["device"],
                                       found.protocols)
        panels, edges = [], np.geomspace(1, 20, 41)
        for name in landscape.PRIMITIVES:
            values = landscape.slowdowns(found, name)
            counts = np.histogram(np.minimum(values, edges[-1]), edges)[0] / max(len(values), 1)
            panels.append({"title": f"{name}, {len(values)} samples",
                           "edges": [round(float(edge), 4) for edge in edges],
                           "counts": [round(float(count), 6) for count in counts]})
        speeds = landscape.map_values(found)
        chart = None
        if speeds:
            columns, rows, speed = speeds
            chart = {"x": columns, "y": rows, "xlabel": landscape.MAP_FIELDS[0], "ylabel": landscape.MAP_FIELDS[1],
                     "title": landscape.map_title(), "values": [
                         [round(float(value), 1) if np.isfinite(value) else None for value in row] for row in speed]}
        return {"environment": found.environment, "left_out": found.left_out, "histogram": panels, "map": chart,
                "tables": {table.name: table for table in landscape.tables_of(found, peers)}}
    except (OSError, ValueError, store.StoreError) as error:
        return str(error).replace(bench.ROOT + os.sep, "")


JOBS = {"read": read.read, "table": table_job, "landscape": landscape_job}


def work(job):
    """(name, result, error) of a job: (name, function's name, files, words)."""
    name, function, paths, words = job
    try:
        return name, CACHE.made_of(JOBS[function], paths, *words), None
    except Exception:  # shown on a page and in the exit status; the build goes on
        return name, None, traceback.format_exc()


def peers_beside(path, found):
    """The run of tools/bench.py for the landscape that lies beside it."""
    date = os.path.basename(path)[:len("2026-01-01")]
    return next((other for other, _, _ in found if os.path.dirname(other) == os.path.dirname(path)
                 and os.path.basename(other).startswith(date) and bench.has_topic(other, "peers")), None)


def gather(folder, baselines, today, pool, progress, **where):
    """The Site of a folder of measurements, and errors on the way."""
    found, stray = read.files_below(folder)
    tunes = [path for path, _, _ in found if store.is_tune(path)]
    jobs = [("table", "table", tunes, (tunes,))]
    for path, device, name in found:
        if bench.has_topic(name, "landscape"):
            peers = peers_beside(path, found)
            jobs.append((("landscape", device, name), "landscape", [path] + [peers] * bool(peers), (path, peers)))
    largest = sorted(found, key=lambda one: -os.path.getsize(one[0]) * (10 if one[0].endswith(".gz") else 1))
    jobs += [(("read", device, name), "read", [path], (path, device, name)) for path, device, name in largest]
    progress.start("reading", len(jobs))
    files, landscapes, problems, table = [], {}, [], ([], [], [], [])
    for name, result, error in pool.imap_unordered(work, jobs):
        progress.step(name if isinstance(name, str) else "/".join(name[1:]))
        if error:
            problems.append((name, error))
        if name == "table":
            table = result or ([], [], [], ["the table could not be derived from the stores"])
        elif name[0] == "landscape":
            landscapes[name[1:]] = result or "could not be evaluated"
        else:
            files.append(result or failed_file(name))
    files.sort(key=lambda file: (file.device, file.night, file.name))
    devices_found = model.devices_of(files)
    accepted, told = read.read_accepted(baselines)
    where["baselines"], more = read.read_baselines(baselines, [device.folder for device in devices_found])
    return pages.Site(devices_found, model.Table(*table), landscapes, stray, accepted, told + more,
                      reports.reports_below(folder), today, folder, **where), problems


def failed_file(name):
    file = read.File("", name[1], name[2])
    file.say("bad", "could not be read: a fault of the dashboard, which its output names")
    return file


# ---- pages -----------------------------------------------------------------------------------------------------------

PAGES = {"index.html": ("today.html", pages.today, "Today"),
         "primitives.html": ("primitives.html", pages.primitives, "Primitives"),
         "regressions.html": ("regressions.html", pages.regressions, "Regressions"),
         "compare.html": ("compare.html", finding.compare, "Compare"),
         "commits.html": ("commits.html", pages.commits_page, "Commits"),
         "noise.html": ("noise.html", pages.noise, "Noise"),
         "landscape.html": ("landscape.html", pages.landscape_page, "Landscape"),
         "online.html": ("online.html", online.online_page, "Online"),
         "programs.html": ("programs.html", programs.programs_page, "Programs"),
         "quality.html": ("quality.html", quality.quality_page, "Quality"),
         "table.html": ("table.html", pages.table, "Table"),
         "reports.html": ("reports.html", pages.reports_page, "Reports"),
         "data.html": ("data.html", pages.data, "Data")}
SEARCH = ("search.html", "search.html", "Search", finding.search, ())  # every page has its field


class Shelf:
    """A folder for the pictures and number files of pages."""

    def __init__(self, out):
        self.out, self.drawn, self.kept = out, 0, 0

    def text(self, path, text):
        with open(os.path.join(self.out, path), "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def picture(self, name, spec):
        """Writes the picture; returns its size in CSS pixels."""
        place = CACHE.path(json.dumps(spec, sort_keys=True)) + ".svg"
        svg = CACHE.get(place)
        if svg is None:
            svg = figures.render(spec).encode()
            CACHE.put(place, svg)
            self.drawn += 1
        else:
            self.kept += 1
        with open(os.path.join(self.out, "img", f"{name}.svg"), "wb") as file:
            file.write(svg)
        width, height = re.search(rb'width="([\d.]+)pt" height="([\d.]+)pt"', svg).groups()
        return round(float(width) * 4 / 3), round(float(height) * 4 / 3)


def environment():
    found = jinja2.Environment(loader=jinja2.FileSystemLoader(os.path.join(HERE, "templates")), autoescape=True,
                               trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    for name in ("percent", "times", "speed", "number"):  # pages show the text of each pair of value and text
        found.filters[name] = lambda *words, form=getattr(pages, name): form(*words)[1]
    found.filters["slug"] = model.slug
    found.filters["in_script"] = lambda text: markupsafe.Markup(text.replace("<", "\\u003c"))  # in JSON: no tag ends it
    found.globals.update(file_text=pages.file_text, cell_text=model.cell_text, commits_of=pages.commits_of,
                         nav=[(path, title) for path, (_, _, title) in PAGES.items()],
                         NO_DATA=pages.NO_DATA, version=version())
    return found


def version():
    with open(os.path.join(bench.ROOT, "src", "api", "version.h"), encoding="utf-8") as file:
        return re.search(r'#define GPUPRIMS_VERSION "(.*?)"', file.read()).group(1)


TEMPLATES = None


def render(job, out):
    """Writes a page; returns (path, pictures drawn, pictures from the cache, error). job: (path, template, title,
    function, words)."""
    global TEMPLATES
    path, template, title, function, words = job
    TEMPLATES = TEMPLATES or environment()
    shelf, error = Shelf(out), None
    page = pages.Page(SITE, path, shelf)
    common = {"site": SITE, "root": page.root, "path": path, "title": title, "link_to_commit": page.commit}
    try:
        text = TEMPLATES.get_template(template).render(**common, **function(page, *words))
    except Exception as failure:
        error = traceback.format_exc()
        text = TEMPLATES.get_template("broken.html").render(**common, failure=f"{type(failure).__name__}: {failure}")
    text = re.sub(r"\n\s*\n+", "\n", text)
    os.makedirs(os.path.dirname(os.path.join(out, path)), exist_ok=True)
    with open(os.path.join(out, path), "w", encoding="utf-8") as file:
        file.write(text)
    return path, shelf.drawn, shelf.kept, error


def page_jobs(site):
    """Batches of pages for processes, longest first: a primitive's page and its cells'."""
    groups = []
    for device in site.devices:
        for name in device.primitives():
            group = [(pages.primitive_path(device, name), "primitive.html", name.replace("_", " "), pages.primitive,
                      (device, name))]
            group += [(pages.cell_path(device, key), "cell.html", device.latest(key).measure.text, cell.cell,
                       (device, key)) for key in device.cells(name)]
            groups.append(group)
    groups.sort(key=len, reverse=True)
    common = [[(path, template, title, function, ())] for path, (template, function, title) in PAGES.items()]
    diffs = [[(site.commits.path_of(*pair), "diff.html", f"{pair[0]} to {pair[1]}", pages.diff_page, pair)]
             for pair in site.commits.pairs]
    return groups[:2] + common + [[SEARCH]] + groups[2:] + diffs


def render_numbered(number):
    return [render(job, OUT) for job in QUEUE[number]]


QUEUE, OUT = [], ""


def build(out, folder, today, jobs=None, cache=None, quiet=False, baselines=BASELINES, repository=bench.ROOT, url="",
          home="", docs=""):
    """Writes the site to a folder; the list of what went wrong (empty: nothing)."""
    global SITE, CACHE, QUEUE, OUT
    began = time.time()
    out = os.path.abspath(out)
    check_target(out)
    if not os.path.isdir(folder):
        raise CannotBuild(f"--store {folder}: no such folder")
    CACHE = Cache(cache or os.path.join(bench.BUILD, "dashboard.cache"))
    jobs = jobs or len(os.sched_getaffinity(0))
    progress = Progress(quiet)
    fork = multiprocessing.get_context("fork")
    with fork.Pool(jobs) as pool:
        SITE, problems = gather(folder, baselines, today, pool, progress, repository=repository, url=url, home=home,
                                docs=docs)
    fresh = f"{out}.{os.getpid()}.new"
    for name in ("img", "csv", "json"):
        os.makedirs(os.path.join(fresh, name))
    try:
        copy_static(fresh)
        news.write(SITE, fresh)
        QUEUE, OUT = page_jobs(SITE), fresh
        count = sum(map(len, QUEUE))
        progress.start("pages", count)
        drawn = kept = 0
        with fork.Pool(jobs) as pool:  # forked now, so that SITE is inherited, not sent
            for done in pool.imap_unordered(render_numbered, range(len(QUEUE))):
                for path, new, old, error in done:
                    drawn, kept = drawn + new, kept + old
                    progress.step(path)
                    if error:
                        problems.append((path, error))
        replace(fresh, out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    CACHE.forget(began - KEPT)
    if not quiet:
        print(f"dashboard: {count} pages, {drawn} pictures drawn, {kept} from the cache, "
              f"{time.time() - began:.1f} s", file=sys.stderr)
    return problems


def picture(name, folder, until=None):
    """Writes a device's heat map to today.svg and its numbers to today.csv in the device's folder; returns the paths.
    The first line of the numbers is the command that remakes them; until: the last night."""
    files = [read.read(*one) for one in read.files_below(folder)[0]
             if one[1] == name and not bench.has_topic(one[0], "tune", "regress", "landscape", "kernel")]
    files = [file for file in files if file.kind == "bench" and (until is None or file.night <= until)]
    found = model.devices_of(files)
    if not found or not found[0].history:
        raise CannotBuild(f"--picture {name}: no run of tools/bench.py in {os.path.join(folder, name)}"
                          + (f" up to {until}" if until else ""))
    device, out = found[0], io.StringIO()
    spec, (columns, rows) = pages.map_of(device)
    out.write(f"# python3 -m dashboard --picture {name} --until {until or device.last_night}\n")
    pages.write_csv(out, columns, [[pages.plain(entry) for entry in row] for row in rows])
    targets = [os.path.join(folder, name, f"today.{ending}") for ending in ("csv", "svg")]
    store.replace(targets[0], out.getvalue().encode())
    store.replace(targets[1], figures.render(spec).encode())
    return targets


def check_target(out):
    if os.path.exists(out) and not os.path.isdir(out):
        raise CannotBuild(f"--out {out}: it is a file, not a folder")
    if os.path.isdir(out) and os.listdir(out) and not os.path.exists(os.path.join(out, MARK)):
        raise CannotBuild(f"--out {out}: the folder is not empty and not a dashboard: nothing is written")


def copy_static(fresh):
    static = os.path.join(HERE, "static")
    shutil.copytree(static, fresh, dirs_exist_ok=True)
    with open(os.path.join(fresh, MARK), "w", encoding="utf-8") as file:
        file.write("made by python3 -m dashboard; the next build replaces this folder\n")


def replace(fresh, out):
    """Keeps the old site until the new one is complete."""
    old = f"{fresh}.old"
    if os.path.isdir(out):
        os.rename(out, old)
    os.rename(fresh, out)
    shutil.rmtree(old, ignore_errors=True)
