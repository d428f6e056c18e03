"""Checks the claims of stores as far as possible without measuring again.

    python3 -m tools.farm validate [STORE...] [--stores FOLDER]         none named: all below FOLDER

Each line must obey schema.json; each group's samples must be possible (evidence.cannot_be); each decision in force must
follow from them (derive.py). Named stores are judged beside the tunes below FOLDER (ci/measurements), whose rows came
before them.
"""
import argparse
import gzip
import os

from tools.farm import derive, evidence, files, store


def stores_below(folder):
    """Paths of all stores below a folder: files whose first line has a schema version, or that are named as stores.
    StoreError if one is not a plain file."""
    found, refused = files.below(folder)
    for name, reason in refused:
        raise store.StoreError(f"{os.path.join(folder, name)}: refused: {reason}")
    return [path for path in (os.path.join(folder, name) for name in found)
            if store.is_tune(path) or path.endswith((".jsonl", ".jsonl.gz")) and is_store(path)]


def is_store(path):
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            value = store.DECODER.decode(file.readline(1 << 20).decode())
    except (OSError, EOFError, ValueError, RecursionError, gzip.zlib.error):
        return False
    return isinstance(value, dict) and "v" in value


def wrong_with(stores, others=()):
    """[line of text]: faults of stores, given the others whose decisions came before. The reader of the stores names
    their broken lines."""
    found, paths = [], {a_store.path for a_store in stores}
    for a_store in stores:
        found += [f"{a_store.path}:{number}: {reason}" for number, reason in a_store.broken]
        for run in evidence.runs_of(a_store):
            found += [f"{a_store.path}: {group.impossible}" for group in run.groups.values() if group.impossible]
        found += [f"{a_store.path}: a program's {cell.all_words()} cannot be: {reason}"
                  for cell, _, reason in evidence.learned(a_store) if reason]
    _, doubts = derive.derive([*others, *stores])
    return found + derive.report([doubt for doubt in doubts if doubt.path in paths])


def judge(paths, folder):
    """(lines of stores, [line of text]: their faults, beside the tunes below a folder)."""
    try:
        import jsonschema_rs  # noqa: F401
    except ImportError as error:
        raise store.StoreError("validate needs jsonschema-rs: pip install jsonschema-rs") from error
    stores = [store.read(path) for path in paths]
    named = set(map(os.path.realpath, paths))
    tunes = [path for path in store.paths_under(folder) if os.path.realpath(path) not in named]
    others = store.read_all(tunes) if any(a_store.of("decision") for a_store in stores) else []
    return sum(len(a_store.lines) + len(a_store.broken) for a_store in stores), wrong_with(stores, others)


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm validate", description="every line against "
                                     "schema.json, samples that cannot be, decisions that do not follow from samples")
    parser.add_argument("stores", nargs="*")
    parser.add_argument("--stores", dest="folder", default=os.path.join(store.ROOT, store.STORES), metavar="FOLDER",
                        help="all stores; their decisions stand (default: ci/measurements)")
    args = parser.parse_args(argv)
    count, wrong = judge(args.stores or stores_below(args.folder), args.folder)
    for line in wrong:
        print(line)
    print(f"{count} lines, {len(wrong)} wrong")
    return 1 if wrong else 0
