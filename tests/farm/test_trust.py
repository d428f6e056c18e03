"""Nobody is trusted: strangers' stores with hostile values in every place, forged decisions, invented samples. The
table is C in other people's programs: it has only what honest samples lead to, or there is a clear refusal."""
import copy
import gzip
import json
import os
import re
import subprocess

import pytest

import made_up
from made_up import RULE, SIZES, WIDE, tuned
from tools.farm import __main__ as farm
from tools.farm import cell_keys, derive, evidence, files, rows, standard, store, table, validate

NAME = "exclusive_scan 4/4/4"


def wide_wins(name, log2, type_):
    return {"wide": 0.9, "deep": 1.05, "lean": 1.1}[name]


def rewritten(path, change):
    """The store at a path with other lines; change: a function of their list."""
    lines = change([json.loads(line) for line in open(path, encoding="utf-8")])
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)


def refused(capsys, folder, path):
    """`validate`'s complaint about a store, which must exist, and the table made without it."""
    assert farm.main(["validate", path, "--stores", str(folder)]) == 1
    return capsys.readouterr().out, made_up.table_of(folder)


# ---- every value of a store ------------------------------------------------------------------------------------------

EVIL = '256); } __attribute__((constructor)) static void evil(void) { puts("ran"); } //'
TEXTS = ["", "\n", f"\n{EVIL}", f'"{EVIL}', "*/", "\\", "??/", "\0", "\x7f", "\u2028", "\ud800", "é", "%s%n",
         "portable", "sm_90", "class:kin", "../../../etc/passwd", "/proc/self/environ", "x" * 100000, "AUTO"]
ENDS = ["\n", '"', "\\", "\0", "*/", ' "', "\r\n#include <evil.h>"]
NUMBERS = [-1, -2 ** 63, 2 ** 31, 2 ** 64, 10 ** 400, 10 ** 5000, 0, 0.5, 1e308, 5e-324, float("nan"), float("inf"),
           float("-inf"), True, False]
OTHERS = [None, [], {}, [[]], {"a": 1}, [EVIL], {EVIL: EVIL}, [None], {"threads": EVIL}]


def places(value, path=()):
    """Paths to all strings and numbers, and to names of fields; a list's first element represents all."""
    if isinstance(value, dict):
        for name, field in value.items():
            yield from places(field, (*path, name))
    elif isinstance(value, list):
        for element in value[:1]:
            yield from places(element, (*path, 0))
    if path:
        yield path


def put(line, path, value):
    found = line = copy.deepcopy(line)
    for name in path[:-1]:
        line = line[name]
    line[path[-1]] = value
    return found


def hostile(value):
    yield from TEXTS + NUMBERS + OTHERS
    if isinstance(value, str):
        yield from (value + end for end in ENDS)
        yield from (end + value for end in ENDS)


def at(line, path):
    for name in path:
        line = line[name]
    return line


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small store with every kind of line, and its table."""
    folder = tmp_path_factory.mktemp("small")
    tune = made_up.Tune(made_up.path_of(folder, "one"), wide_wins, sizes=(20, 28), processes=3, rounds=3,
                        names=("wide",), board="0123456789abcdef")
    env = tune.environment["id"]
    tune.lines += [
        {"kind": "check", "v": 1, "env": env, "name": "incumbent", "group": NAME, "passed": True, "value": 0.5,
         "limit": 1},
        {"kind": "run", "v": 1, "env": env, "seconds": 9.5, "busy_seconds": 9, "jobs": 3, "complete": True},
        {"kind": "coverage", "v": 1, "env": env, "group": NAME, "strategy": "standard", "seed": 1, "space": 9,
         "rejected": {"invalid": 1}, "compiled": 8, "measured": 8, "statuses": {"ok": 8}}]
    tune.search().confirm(folder).decide(folder)
    text = made_up.table_of(folder)
    assert '"Example One", GP_EXCLUSIVE_SCAN, 4, 4, 4, 0, 64, GP_LOOK_BACK, 512' in text
    assert farm.main(["validate", tune.path, "--stores", str(folder)]) == 0
    return folder, tune.path, text


def lines_of(text):
    """Without the end that all lines of a macro except the last have."""
    return {line.rstrip(" \\") for line in text.splitlines()}


@pytest.mark.turn
def test_every_value_of_a_store_replaced(small, tmp_path, capsys):
    """One at a time, by every hostile value: the table gets no new line, and if it lacks one, `validate` names the
    store."""
    folder, path, before = small
    lines = [json.loads(line) for line in open(path, encoding="utf-8")]
    texts = [json.dumps(line) + "\n" for line in lines]
    allowed = lines_of(before) | lines_of(table.text_of_rows([], [])) | {"// 1 rows: Example One."}
    candidate = next(k for k, line in enumerate(lines)
                     if line.get("phase") == "confirm" and line["variant"] == "policy")
    chosen = {line["kind"]: k for k, line in enumerate(lines)} | {"candidate": candidate}
    target = tmp_path / "one" / os.path.basename(path)
    os.makedirs(target.parent)
    cases = lost = 0
    for kind, number in chosen.items():
        for place in places(lines[number]):
            for value in hostile(at(lines[number], place)):
                line = put(lines[number], place, value if value != 10 ** 5000 else "HUGE")
                text = json.dumps(line).replace('"HUGE"', "1" + "0" * 5000)
                cases += 1
                try:
                    parsed = store.DECODER.decode(text)
                    if store.wrong_with(parsed, "here"):
                        continue  # the line is left out and reported: test_store.py
                except (ValueError, store.StoreError):
                    continue
                target.write_text("".join([*texts[:number], text + "\n", *texts[number + 1:]]))
                after = made_up.table_of(tmp_path)
                assert lines_of(after) <= allowed, (kind, place, value)
                if after != before:
                    lost += 1
                    assert validate.wrong_with(made_up.stores_of(tmp_path)), (kind, place, value)
    capsys.readouterr()
    assert cases > 3000 and lost > 10
    print(f"{cases} hostile values, {lost} took a row away")


def test_the_schema_bounds_everything():
    """No string without an alphabet, a list or, for readers only, a length; no number without a range; no list or
    object without a limit."""
    with open(store.SCHEMA, encoding="utf-8") as file:
        definitions = json.load(file)["$defs"]

    def check(schema, where):
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if "const" in schema or "enum" in schema or "$ref" in schema:
            return
        if "string" in types:
            assert "maxLength" in schema or schema["pattern"][0] == "^" and schema["pattern"][-1] == "$", where
            assert "maxLength" in schema or not re.search(r"(?<!\\)[*+](?![^\[]*\])", schema["pattern"]), where
        if {"integer", "number"} & set(types):
            assert {"minimum", "maximum"} <= set(schema), where
        if "array" in types:
            assert {"maxItems", "items"} <= set(schema), where
            check(schema["items"], f"{where}[]")
        if "object" in types:
            assert "properties" in schema or {"maxProperties", "propertyNames"} <= set(schema), where
        for name, field in schema.get("properties", {}).items():
            assert types or "$ref" in field or "const" in field, f"{where}.{name}"
            check(field, f"{where}.{name}")
        if isinstance(schema.get("additionalProperties"), dict):
            check(schema["additionalProperties"], f"{where}.*")
        for option in schema.get("anyOf", []):
            check(option, where)
        assert types or set(schema) & {"anyOf", "properties"}, where

    for name, schema in definitions.items():
        check(schema, name)


def test_without_the_schema_nothing_hostile_is_written():
    """The writer by itself: every value of a row, and of a class, is refused or harmless."""
    row = rows.Row("Example One", NAME, 0, 64, store.policy_of(WIDE), "Example One, 2026: +1 % (0 to 2), 3 pairs")
    usual = re.compile(r'[\w#(), \\.;:`-]*', re.ASCII)
    accepted = 0

    def emitted(found, classes):
        nonlocal accepted
        try:
            text = table.text_of_rows(found, classes)
        except store.StoreError as error:
            assert str(error).startswith(table.TABLE) and str(error).isprintable() and len(str(error)) < 400
            return
        accepted += 1
        assert text.count("\n") < 40
        assert (text.count("ROW("), text.count("CLASS(")) == (len(found), len(classes))
        for line in text.splitlines()[7:]:
            if not line.startswith("//"):
                assert usual.fullmatch(re.sub(r'"[A-Za-z0-9 ()./+_%:,-]*"', "", line)), line
        for line in text.splitlines():
            assert line.isascii() and line.isprintable() and (not line.startswith("//") or line[-1] != "\\")

    for field in ("scope", "group", "log2_from", "log2_to", "provenance"):
        for value in hostile(getattr(row, field)):
            emitted([row._replace(**{field: value})], [])
    for field in store.fields():
        for value in hostile("LOOK_BACK"):
            emitted([row._replace(policy={**row.policy, field: value})], [])
    for value in hostile("kin"):
        emitted([], [(value, "Example One")])
        emitted([], [("kin", value)])
        if isinstance(value, str):
            emitted([row._replace(policy={**row.policy, value: 1})], [])
    assert accepted > 20


@pytest.mark.parametrize("place, value", [
    (("policy", "threads"), f"512\n{EVIL}"), (("scope",), f'Example One"\n{EVIL}'), (("date",), f"\n{EVIL}"),
    (("group",), f"{NAME}\n{EVIL}")])
def test_code_in_a_decision(tmp_path, capsys, place, value):
    tune, _ = tuned(tmp_path, wide_wins)
    rewritten(tune.path, lambda lines: [put(line, place, value) if line["kind"] == "decision" else line
                                        for line in lines])
    said, text = refused(capsys, tmp_path, tune.path)
    assert "evil" not in text and "no rows" in text and "decision: " in said


def test_code_in_a_name(tmp_path, capsys):
    """A device with that name everywhere in its store, and honest samples."""
    name = 'Example", 0)\n__attribute__((constructor)) static void evil(void) {}\n//'
    tune, _ = tuned(tmp_path, wide_wins)
    rewritten(tune.path, lambda lines: [{**line, **{field: name for field in ("device", "scope") if field in line}}
                                        for line in lines])
    said, text = refused(capsys, tmp_path, tune.path)
    assert "evil" not in text and "no rows" in text and "environment: device: " in said


@pytest.mark.parametrize("name", ["portable", "sm_90", "class:kin", "Example One\n", " x", "", "x" * 101])
def test_names_that_no_device_has(name):
    """Scopes of the table that are not devices are out of reach of a device's name."""
    assert store.wrong_with(made_up.environment(name), "here")
    known = "NVIDIA GeForce RTX 3080 Ti (laptop) A100-SXM4-40GB 1g.5gb"
    assert store.wrong_with(made_up.environment(known), "here") is None


# ---- decisions -------------------------------------------------------------------------------------------------------


def forged(decision, **fields):
    return {**decision, "id": made_up.number(json.dumps(fields)), "replaces": [], **fields}


def test_forged_decisions_give_no_row(tmp_path, capsys):
    """Four rows of +300 %, in decide.py's form, without measurements."""
    tune, decisions = tuned(tmp_path, wide_wins)
    before = made_up.table_of(tmp_path)
    true = next(one for one in decisions if one["verdict"] == "accepted")
    four = [forged(true, group=f"{name} 4/0/4", gain=3.0, low=2.9, high=3.1, policy=store.policy_of(made_up.DEEP))
            for name in ("copy", "transform", "sort", "unique")]
    store.append(tune.path, four)
    said, after = refused(capsys, tmp_path, tune.path)
    assert after == before and said.count("does not follow from the samples") == 4
    out = str(tmp_path / table.TABLE)
    assert farm.main(["table", "--stores", str(tmp_path), "--out", out]) == 0
    assert open(out, encoding="utf-8").read() == before and capsys.readouterr().err.count("it gives no row") == 4


def test_an_algorithm_that_the_header_lost_is_named(tmp_path, capsys):
    """An honest store from before an algorithm's removal still loads; the reasons for its missing rows are given."""
    tune, decisions = tuned(tmp_path, wide_wins)
    accepted = [one for one in decisions if one["verdict"] == "accepted"]
    lost = {one["policy"]["algorithm"] for one in accepted}
    assert lost
    rewritten(tune.path, lambda lines: [json.loads(re.sub(r'(algorithm(?:": "|=))(%s)\b' % "|".join(lost), r"\1GONE",
                                                          json.dumps(line))) for line in lines])
    said, text = refused(capsys, tmp_path, tune.path)
    assert said.count("the header has no algorithm GONE") == len(accepted) and "no rows" in text
    out = str(tmp_path / table.TABLE)
    assert farm.main(["table", "--stores", str(tmp_path), "--out", out]) == 0
    assert capsys.readouterr().err.count("no algorithm GONE: it gives no row") == len(accepted)


@pytest.mark.parametrize("fields", [
    {"gain": 0.5}, {"low": 0.05}, {"high": 9}, {"pairs": 30}, {"sizes": [4096]}, {"members": ["u8"]}, {"log2_from": 5},
    {"log2_to": 30}, {"policy": store.policy_of(made_up.DEEP)}, {"scope": "Example Two"}, {"reason": "believe me"},
    {"date": "2036-01-01T00:00:00Z"}, {"env": "0" * 16}, {"against": "caller"}, {"verdict": "removed"},
    {"left_out": {"throttled": 1}}, {"group": "copy 4/0/4"}], ids=lambda fields: next(iter(fields)))
@pytest.mark.turn
def test_every_field_of_a_decision_follows(tmp_path, capsys, fields):
    tune, _ = tuned(tmp_path, wide_wins)
    rewritten(tune.path, lambda lines: [{**line, **fields} if line.get("verdict") == "accepted" else line
                                        for line in lines])
    said, text = refused(capsys, tmp_path, tune.path)
    assert "+" not in text.replace("++", "") and ("does not follow" in said or "of no run" in said)


def test_without_samples_there_is_no_row(tmp_path, capsys):
    tune, _ = tuned(tmp_path, wide_wins)
    for phases in (("confirm",), ("matrix",), ("matrix", "confirm")):
        rewritten(tune.path, lambda lines, phases=phases: [line for line in lines if line.get("phase") not in phases])
        assert "no rows" in refused(capsys, tmp_path, tune.path)[1]


@pytest.mark.turn
def test_no_store_reaches_into_another(tmp_path):
    """A stranger's decisions name others' in `replaces`, take their ids, or their environment's."""
    tune, decisions = tuned(tmp_path, wide_wins)
    before, mine = made_up.table_of(tmp_path), [one for one in decisions if one["verdict"] == "accepted"]
    other = made_up.path_of(tmp_path, "two")
    alien = made_up.environment("Example Two")
    for environment in (alien, tune.environment):
        for fields in ({"replaces": [mine[0]["id"]], "verdict": "rejected", "reason": "no", "id": "0" * 16},
                       {"verdict": "removed", "against": "device"}, {"verdict": "kept", "policy": None}):
            with open(other, "w", encoding="utf-8") as file:
                for line in (environment, {**mine[0], **fields, "env": environment["id"]}):
                    file.write(store.dump(line) + "\n")
            assert made_up.table_of(tmp_path) == before, fields
            assert derive.derive(made_up.stores_of(tmp_path))[1]


@pytest.mark.turn(2)
def test_every_committed_store_is_valid(capsys):
    """Lines, samples, decisions: those of this repository, and those of the tests."""
    assert farm.main(["validate"]) == 0, capsys.readouterr().out
    assert int(capsys.readouterr().out.split()[0]) > 1000 or not store.paths_under(store.STORES)


def test_validate_finds_stores_and_leaves_the_rest(tmp_path):
    made_up.record(str(tmp_path / "stores"))
    (tmp_path / "stores" / "bench.jsonl").write_text('{"kind": "environment", "device": "x"}\n')
    (tmp_path / "stores" / "empty.jsonl").write_text("")
    (tmp_path / "stores" / "broken.tune.jsonl.gz").write_bytes(gzip.compress(b"nonsense")[:9])
    names = [os.path.basename(path) for path in validate.stores_below(str(tmp_path / "stores"))]
    assert sorted(names) == ["2026-01-01.tune.jsonl.gz", "2026-01-02.tune.jsonl.gz", "2026-01-03.tune.jsonl.gz",
                             "broken.tune.jsonl.gz"]


# ---- samples ---------------------------------------------------------------------------------------------------------


def is_wide(line):
    return line["kind"] == "samples" and line["variant"] == "policy" and store.policy_text(line["policy"]) == WIDE


CANNOT = {
    "faster than the memory": (lambda line: {**line, "us": [us / 20 for us in line["us"]]}, "the memory's peak is"),
    "faster than any cache": (lambda line: {**line, "protocol": "graph", "us": [us / 400 for us in line["us"]]},
                              "no cache of a memory"),
    "whatever the peak is said to be": (lambda line: {**line, "us": [us / 50 for us in line["us"]]},
                                        "the memory's peak is"),
    "no launch is so short": (lambda line: {**line, "us": [0.01 + us / 1e9 for us in line["us"]]},
                              "than a launch takes"),
    "all times are equal": (lambda line: {**line, "us": line["us"][:1] * 5}, "5 times are equal"),
    "it never ran": (lambda line: {**line, "calls": 0}, "5 times of no call"),
}


@pytest.mark.parametrize("name", CANNOT)
@pytest.mark.turn
def test_samples_that_cannot_be(tmp_path, capsys, name):
    """A group with one of them gives no row, and its store is invalid."""
    change, reason = CANNOT[name]
    tune, _ = tuned(tmp_path, wide_wins, peak_gbs=1e6 if "whatever" in name else 12000)
    kept = [line for line in tune.lines if line["kind"] != "decision"]
    place = max((k for k, line in enumerate(kept) if is_wide(line) and line["phase"] == "confirm" and
                 line["primitive"] == "exclusive_scan"),
                key=lambda k: (kept[k]["n"], k))
    tune.lines = [change(line) if k == place else line for k, line in enumerate(kept)]
    decisions = [one for one in tune.write().decide(tmp_path) if one["group"] == NAME]
    assert {one["verdict"] for one in decisions} == {"kept"} and reason in decisions[0]["reason"]
    said, text = refused(capsys, tmp_path, tune.path)
    assert reason in said and "GP_EXCLUSIVE_SCAN" not in text


def test_copied_samples(tmp_path, capsys):
    """Processes with one process's numbers again, in any order of lines."""
    tune, _ = tuned(tmp_path, wide_wins, processes=1)
    once = [line for line in tune.lines if line.get("phase") == "confirm"]
    tune.lines = [line for line in tune.lines if line["kind"] != "decision"]
    tune.lines += [{**line, "process": process} for process in (2, 3) for line in once]
    assert {one["verdict"] for one in tune.write().decide(tmp_path)} == {"kept"}
    assert "another sample has the same times" in refused(capsys, tmp_path, tune.path)[0]


@pytest.mark.parametrize("source", ["", "device", "portable", "capability", "class"])
def test_a_policy_that_did_not_run(tmp_path, source):
    """Every sample of the candidate came from the header's choice instead."""
    tune = made_up.Tune(made_up.path_of(tmp_path, "one"), wide_wins).search().confirm(tmp_path)
    tune.lines = [{**line, "policy_source": source} if is_wide(line) else line for line in tune.lines]
    assert all(one["verdict"] != "accepted" for one in tune.write().decide(tmp_path))


def test_early_ends_are_no_lies():
    """A call that may end before it has read its input has no least time except a launch's."""
    for primitive, is_lie in (("any", False), ("is_sorted", False), ("count_if", True), ("reduce", True)):
        acc = {"any": "", "is_sorted": "", "count_if": "", "reduce": "u32"}[primitive]
        of = store.Cell(primitive, "SUM" if acc else "", "u32", acc, "u32", 1 << 28, "cold")
        sample = made_up.sample("0" * 16, "matrix", of, WIDE, [2.0, 2.1])
        assert bool(evidence.cannot_be(of, sample, made_up.environment())) == is_lie, primitive


@pytest.mark.parametrize("primitive, type_, out", [
    (primitive, type_, out) for primitive in standard.CELLS
    for type_, out in (("u8", "u8"), ("u8", "u64"), ("u32", "u32"), ("f64", "f64"))])
def test_nobody_at_the_speed_of_memory_is_called_a_liar(primitive, type_, out):
    """In a call's bytes for its row, input and output may be moved once, at the peak."""
    if primitive not in ("reduce", "segmented_reduce"):
        out = type_
    operator, _, words = standard.CELLS[primitive]
    acc = out if primitive in cell_keys.having("folds") else ""
    of = store.Cell(primitive, operator, type_, acc, out, 1 << 27, "cold", "key=u8" if "key=" in words else "")
    environment = {**made_up.environment(), "peak_gbs": 3000}
    sizes = store.type_sizes()
    structs = 4 if primitive == "convert_layout" else 1  # of four fields
    moved = structs * of.n * (sizes[type_] + (0 if primitive in ("reduce", "count_if") else sizes[out]))
    sample = made_up.sample("0" * 16, "matrix", of, WIDE, [moved / 3e6 * factor for factor in (1, 1.01)])
    assert evidence.cannot_be(of, sample, environment) == ""


# ---- the number of confirmations -------------------------------------------------------------------------------------


def provenance_of(folder):
    return [line.rstrip(" \\)") for line in made_up.table_of(folder).splitlines() if "pairs" in line]


@pytest.mark.turn
def test_a_row_says_on_how_many_boards_it_was_confirmed(tmp_path):
    """A second look on the same board does not count; another board's counts if it measured the row beside the rule."""
    def look(name, date, board, factor=wide_wins):
        tune = made_up.Tune(made_up.path_of(tmp_path, name, date), factor, date=date, seed=len(board) + ord(name[0]),
                            standing=dict.fromkeys(SIZES, WIDE), **({"board": board} if board else {}))
        tune.search().confirm(tmp_path).decide(tmp_path)
        assert any(store.policy_text(line["policy"]) == RULE and line["phase"] == "confirm" for line in tune.lines
                   if line["kind"] == "samples")

    tuned(tmp_path, wide_wins, board="a" * 16)
    assert all(line.endswith('3 pairs, 1 board"') for line in provenance_of(tmp_path))
    look("one", "2026-01-03T00:00:00Z", "a" * 16)
    assert all("1 board" in line for line in provenance_of(tmp_path))
    look("two", "2026-01-04T00:00:00Z", "b" * 16)
    assert any("2 boards" in line for line in provenance_of(tmp_path))
    look("old", "2026-01-05T00:00:00Z", "")  # unknown: it may be one of the two
    assert not any("3 boards" in line for line in provenance_of(tmp_path))
    look("not", "2026-01-06T00:00:00Z", "c" * 16, lambda name, *_: 1.0)  # where it gains nothing
    assert not any("3 boards" in line for line in provenance_of(tmp_path))


# ---- files that are not plain ----------------------------------------------------------------------------------------


def test_a_store_is_a_plain_file(tmp_path, capsys):
    secret = tmp_path / "secret.jsonl"
    tune, _ = tuned(tmp_path / "stores", wide_wins)
    os.rename(tune.path, secret)
    for make in (lambda path: os.symlink(secret, path), os.mkfifo, os.mkdir,
                 lambda path: os.symlink(tmp_path / "none", path), lambda path: os.symlink("/dev/zero", path)):
        make(tune.path)
        if not os.path.islink(tune.path) and os.path.isdir(tune.path):
            assert store.paths_under(str(tmp_path / "stores")) == []
            os.rmdir(tune.path)
            continue
        with pytest.raises(store.StoreError, match="refused: it is a"):
            store.paths_under(str(tmp_path / "stores"))
        assert farm.main(["table", "--stores", str(tmp_path / "stores"), "--out", str(tmp_path / "t.h")]) == 2
        assert not (tmp_path / "t.h").exists() and "refused" in capsys.readouterr().err
        os.unlink(tune.path)
    os.rename(tmp_path / "stores" / "one", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", tmp_path / "stores" / "one")
    with pytest.raises(store.StoreError, match="refused: it is a link"):
        store.paths_under(str(tmp_path / "stores"))


def test_paths_of_a_folder(tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "out").write_text("secret")
    (tmp_path / "in" / "deep" / "plain").write_text("plain")
    os.symlink("../out", tmp_path / "in" / "link")
    os.symlink("deep", tmp_path / "in" / "folder")
    os.mkfifo(tmp_path / "in" / "pipe")
    folder = str(tmp_path / "in")
    assert files.path_of(folder, "deep/plain") == os.path.join(folder, "deep/plain")
    for name in ("../out", "deep/../../out", "/etc/passwd", "", ".", "deep", "link", "folder/plain", "pipe",
                 "deep//plain", "./deep/plain", "deep/plain\0"):
        with pytest.raises(files.Refused):
            files.path_of(folder, name)
        assert not files.is_plain(folder, name)
    with pytest.raises(FileNotFoundError):
        files.path_of(folder, "none")
    found, left = files.below(folder)
    assert found == ["deep/plain"]
    assert left == [("folder", "it is a link"), ("link", "it is a link"), ("pipe", "it is a pipe")]
    for names, wrong in (((), "folder"), (("pipe",), "pipe"), (("deep", "folder/plain"), "folder"),
                         (("none", "folder"), "folder")):
        with pytest.raises(files.Refused) as caught:
            files.check(folder, *names)
        assert caught.value.filename.rstrip("/") == os.path.join(folder, wrong)
    files.check(folder, "deep", "deep/plain", "none")
    for name in (b"\xff", b"a\nb", b"a\x1b[2J"):
        (tmp_path / "in" / "deep" / os.fsdecode(name)).write_text("")
        with pytest.raises(files.Refused) as caught:
            files.check(folder, "deep")
        assert caught.value.filename.isprintable() and "its name is not one line of text" in caught.value.strerror
        (tmp_path / "in" / "deep" / os.fsdecode(name)).unlink()
    os.symlink("in", tmp_path / "named")  # what the user names may be a link
    assert files.below(str(tmp_path / "named"))[0] == ["deep/plain"]


def test_nothing_committed_is_a_link():
    """A clone has only files, and nothing that leads elsewhere."""
    done = subprocess.run(["git", "ls-files", "-s"], cwd=made_up.ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        pytest.skip("no repository: git clone")
    modes = {line.split()[0] for line in done.stdout.splitlines()}
    assert modes <= {"100644", "100755"}
