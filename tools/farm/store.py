"""The store: JSON Lines of measurements and decisions (README.md; schema.json has all details).

    python3 -m tools.farm list [STORE...]
    python3 -m tools.farm query [STORE...] FIELD=VALUE...     e.g. primitive=reduce n=1M phase=matrix policy.threads=256
    python3 -m tools.farm merge STORE... --out STORE [--without PHASE]

A store's name ends in .jsonl or .jsonl.gz; none named: all below ci/measurements. Broken lines are reported with their
number, and the rest is used. A line of another schema version stops everything: its fields may have another meaning.
"""
import argparse
import collections
import functools
import gc
import gzip
import hashlib
import json
import math
import os
import re
import sys

from tools import bench
from tools.farm import files
# A store's lines are about cells, so this module also has the names of cells.
from tools.farm.cell_keys import (Cell, StoreError, cell_of, description, fields_of_cell, is_known, primitives,
                                  type_sizes)

ROOT = bench.ROOT
STORES = os.path.join("ci", "measurements")
BASELINES = os.path.join("ci", "baselines")
TABLE = "gpuprims_policies.h"
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.json")
VERSION = 1
REPORTED = 10  # broken lines of a store that are printed one by one

# ---- policies --------------------------------------------------------------------------------------------------------


@functools.cache
def fields():
    """A policy's fields, in the order of texts and rows."""
    return tuple(description()["fields"])


def policy_text(policy):
    return ",".join([f"{name}={policy[name]}" for name in fields() if name in policy]) or \
        ",".join(f"{name}={value}" for name, value in policy.items())


def policy_of(text):
    pairs = (field.split("=", 1) for field in text.split(","))
    return {name: int(value) if re.fullmatch(r"-?\d+", value) else value for name, value in pairs}


# ---- reading ---------------------------------------------------------------------------------------------------------

Line = collections.namedtuple("Line", "number text value")


class Store:
    """lines: the usable ones. broken: (number, reason) of the others. runs: filled by evidence.py."""

    def __init__(self, path):
        self.path, self.lines, self.broken, self.runs = path, [], [], None

    def of(self, kind):
        return [line.value for line in self.lines if line.value["kind"] == kind]

    def complain(self, out=None):
        out = out or sys.stderr
        for number, reason in self.broken[:REPORTED]:
            print(f"{self.path}:{number}: {reason}: left out", file=out)
        if len(self.broken) > REPORTED:
            print(f"{self.path}: and {len(self.broken) - REPORTED} more broken lines", file=out)


def read(path):
    """Reads a store; its broken lines are in .broken."""
    store, collects = Store(path), gc.isenabled()
    gc.disable()  # lines stay: garbage collections would double the time
    try:
        read_lines(store, path)
    finally:
        if collects:
            gc.enable()
    if store.broken and not store.lines:
        store.complain()
        raise StoreError(f"{path}: none of its {len(store.broken)} lines can be used: is it a store of the farm?")
    return store


def read_lines(store, path, take=None):
    """take(store, number, raw) handles a line."""
    take = take or take_line
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            number = 0
            try:
                for number, raw in enumerate(file, 1):
                    take(store, number, raw)
            except (EOFError, gzip.BadGzipFile, gzip.zlib.error) as error:
                store.broken.append((number + 1, f"the compressed data is damaged ({error})"))
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error


def take_line(store, number, raw):
    try:
        text = raw.decode("utf-8").strip()
        if not text:
            return
        value = DECODER.decode(text)
        reason = wrong_with(value, f"{store.path}:{number}")
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        reason = f"no JSON ({error})"
    if reason:
        store.broken.append((number, reason))
    else:
        store.lines.append(Line(number, text, value))


def not_a_number(text):
    raise ValueError(f"{text} is no number")


def number(text):
    """Reads a number with a point or an exponent. The schema takes 3.0 for an integer, so it becomes one."""
    value = float(text)
    if not math.isfinite(value):
        not_a_number(text)
    return int(value) if value.is_integer() and abs(value) < 2 ** 53 else value


DECODER = json.JSONDecoder(parse_constant=not_a_number, parse_float=number)


@functools.cache
def kinds():
    """{kind: a function that returns a line's fault, or None}, from schema.json. Machines that measure may lack
    jsonschema-rs: they read their own lines, and find only missing fields."""
    with open(SCHEMA, encoding="utf-8") as file:
        definitions = json.load(file)["$defs"]
    return {kind: checker(schema, definitions) for kind, schema in definitions.items()
            if "kind" in schema.get("properties", ())}


def checker(schema, definitions):
    try:
        import jsonschema_rs
    except ImportError:
        return lambda value: next((f"it has no {name}" for name in schema["required"] if name not in value), None)
    validator = jsonschema_rs.Draft202012Validator({**schema, "$defs": definitions})

    def check(value):
        if validator.is_valid(value):
            return None
        error = next(validator.iter_errors(value))
        place = ".".join(map(str, error.instance_path))
        return f"{place}: {shown(error.message)}" if place else shown(error.message)
    return check


def wrong_with(value, where):
    """Why a line is unusable, or None."""
    if not isinstance(value, dict):
        return "no object"
    if "v" not in value or "kind" not in value:
        return "not a line of a store: it has no kind or no schema version"
    if value["v"] != VERSION:
        raise StoreError(f"{where}: schema version {shown(value['v'])}; this farm reads version {VERSION}")
    if type(value["kind"]) is not str or value["kind"] not in kinds():
        return f"unknown kind {shown(value['kind'])}"
    reason = kinds()[value["kind"]](value)
    return f"{value['kind']}: {reason}" if reason else None


def shown(value):
    """A stranger's value in a message: one line of printable characters, shortened."""
    try:
        text = value if isinstance(value, str) and value.isascii() and value.isprintable() else ascii(value)
    except ValueError:  # Python refuses to print an integer of so many digits
        text = "a number of thousands of digits"
    return text if len(text) <= 200 else f"{text[:197]}..."


def is_tune(path):
    """Is this a store of a tune, by its name? The table is made of those."""
    return bench.has_topic(path, "tune")


def paths_under(folder):
    """The stores below a folder of devices; files of the bench are there too, and are not stores."""
    found, refused = files.below(folder)
    for name, reason in refused:
        if is_tune(name) or os.sep not in name:  # a device's folder that is a link
            raise StoreError(f"{os.path.join(folder, name)}: refused: {reason}")
    return [os.path.join(folder, name) for name in found if is_tune(name) and name.count(os.sep) == 1]


def read_all(paths):
    """Reads stores and reports their broken lines. Reads a file named twice only once."""
    stores = {}
    for path in paths:
        if os.path.realpath(path) not in stores:
            stores[os.path.realpath(path)] = read(path)
    for store in stores.values():
        store.complain()
    return list(stores.values())


# ---- writing ---------------------------------------------------------------------------------------------------------


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)


def accepted_files(folder):
    """Files of accepted slowdowns below ci/baselines: accepted.jsonl, and those of the folder accepted, one each, so
    that they never conflict. Also the refused files there, as files.below names them."""
    found, refused = files.below(folder)
    return [os.path.join(folder, name) for name in found
            if name == "accepted.jsonl" or re.fullmatch(r"accepted/[^/]+\.jsonl", name)], refused


def append(path, values):
    """Appends whole lines, or nothing if that fails."""
    data = "".join(f"{dump(value)}\n" for value in values).encode()
    if path.endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # members of a .gz follow one another
    try:
        with open(path, "ab", buffering=0) as file:
            before = file.seek(0, os.SEEK_END)
            try:
                if file.write(data) != len(data):
                    raise OSError(None, "the disk is full")
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}: nothing was appended") from error


def replace(path, data):
    """Writes a file atomically: the whole new text, or the old file stays."""
    import tempfile  # imported here: workers start often and write no files
    folder = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(folder, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(path)}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(fresh, 0o644)
            os.replace(fresh, path)
        except BaseException:
            os.unlink(fresh)
            raise
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}: nothing was written") from error


# ---- commands --------------------------------------------------------------------------------------------------------


def named(paths):
    found = paths or paths_under(os.path.join(ROOT, STORES))
    if not found:
        raise StoreError(f"no store below {STORES}: `make tune` makes one")
    return found


def counted(values):
    return ", ".join(f"{name} {count}" for name, count in sorted(collections.Counter(values).items()))


def list_main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm list", description="what stores hold")
    parser.add_argument("stores", nargs="*")
    for store in read_all(named(parser.parse_args(argv).stores)):
        print(os.path.relpath(store.path))
        environments = {}
        for value in store.of("environment"):
            environments.setdefault(value["id"], value)
        for name, environment in environments.items():
            parts = collections.defaultdict(list)
            for line in store.lines:
                if line.value.get("env") == name:
                    parts[line.value["kind"]].append(line.value)
            list_environment(environment, parts)
    return 0


def list_environment(environment, parts):
    print(f"  {environment['device']}, {environment['date']}, commit {environment['commit'] or '(none)'}, driver "
          f"{environment['driver']}, NVRTC {environment['nvrtc']}, {environment['source']}, {environment['id']}")
    for run in parts["run"]:
        busy = 100 * run["busy_seconds"] / run["seconds"] if run["seconds"] else 0
        print(f"    run        {run['seconds']:.0f} s, GPU busy {busy:.1f} %, {run['jobs']} jobs, "
              f"{'complete' if run['complete'] else 'not complete'}")
    samples = parts["samples"]
    if samples:
        print(f"    samples    {counted(sample['phase'] for sample in samples)}; "
              f"{counted(sample['status'] for sample in samples)}")
    checks = parts["check"]
    if checks:
        print(f"    checks     {counted(check['name'] for check in checks)}; failed: " +
              (", ".join(f"{check['name']} {check['group']}" for check in checks if not check["passed"]) or "none"))
    decisions = parts["decision"]
    if decisions:
        print(f"    decisions  {counted(decision['verdict'] for decision in decisions)}")
    if parts["verdict"]:
        print(f"    verdicts   {counted(verdict['outcome'] for verdict in parts['verdict'])}")
    if parts["coverage"]:
        print(f"    {'coverage':<28}{'strategy':<14}{'space':>8}{'compiled':>10}{'measured':>10}  accepted")
    for coverage in parts["coverage"]:
        rows = sum(decision["verdict"] == "accepted" and decision["group"] == coverage["group"]
                   for decision in decisions)
        print(f"    {coverage['group']:<28}{coverage['strategy']:<14}{coverage['space']:>8}{coverage['compiled']:>10}"
              f"{coverage['measured']:>10}  {rows}")


def field_of(value, name):
    """A field, or a field of a field (policy.threads); None: it has none."""
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def means(text, value):
    """Compares as users write: sizes may take K, M, G."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return text == (str(value).lower() if isinstance(value, bool) else str(value))
    match = re.fullmatch(r"([-+.\de]+)([KMG]?)", text)
    try:
        return bool(match) and float(match.group(1)) * 1024 ** " KMG".index(match.group(2) or " ") == value
    except ValueError:
        return False


def query_main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm query", description="lines whose fields are these")
    parser.add_argument("words", nargs="+", metavar="STORE or FIELD=VALUE")
    words = parser.parse_args(argv).words
    wanted = dict(word.split("=", 1) for word in words if "=" in word)
    stores = read_all(named([word for word in words if "=" not in word]))
    for name in wanted:
        if not any(field_of(line.value, name) is not None for store in stores for line in store.lines):
            raise StoreError(f"no line has a field {name}")
    found = 0
    for store in stores:
        for line in store.lines:
            values = ((text, field_of(line.value, name)) for name, text in wanted.items())
            if all(value is not None and means(text, value) for text, value in values):
                print(line.text)
                found += 1
    print(f"{found} lines", file=sys.stderr)
    return 0 if found else 1


def merge_main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm merge", description="several stores to one: each line "
                                     "once, in the order in which it comes first")
    parser.add_argument("stores", nargs="+")
    parser.add_argument("--out", required=True, metavar="STORE")
    parser.add_argument("--without", action="append", default=[], metavar="PHASE",
                        help="leave this phase's samples out")
    parser.add_argument("--without-primitive", action="append", default=[], metavar="NAME",
                        help="leave out the lines of this primitive, whose kernels have changed since")
    args = parser.parse_args(argv)
    stores, lines, began = read_all(args.stores), {}, {}
    for store in stores:
        other = renamed(store, began)
        for line in store.lines:
            value, text = line.value, line.text
            if other and (value.get("env") in other or value.get("id") in other):
                value = {name: other.get(field, field) if name in ("env", "id", "base") else field
                         for name, field in value.items()}
                text = dump(value)
            primitive = value.get("primitive") or value.get("group", "").split(" ")[0]
            if value.get("phase") not in args.without and primitive not in args.without_primitive:
                lines.setdefault(json.dumps(value, sort_keys=True), text)
    data = "".join(f"{text}\n" for text in lines.values()).encode()
    replace(args.out, gzip.compress(data, mtime=0) if args.out.endswith(".gz") else data)
    broken = sum(len(store.broken) for store in stores)
    print(f"{args.out}: {len(lines)} lines of {sum(len(store.lines) for store in stores)}"
          f"{f'; {broken} broken lines are not in it' if broken else ''}", file=sys.stderr)
    return 1 if broken else 0


def renamed(store, began):
    """{id: new id} for a store's environments that another store has from another time. Two tunes of a tree on one day
    share an environment; a merge must keep them apart. began: {id: date} of those seen before."""
    dates = {}
    for value in store.of("environment"):
        dates[value["id"]] = min(value["date"], dates.get(value["id"], value["date"]))
    return {name: hashlib.sha256(f"{name} {date}".encode()).hexdigest()[:16] for name, date in dates.items()
            if began.setdefault(name, date) != date}
