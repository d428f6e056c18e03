"""The store: broken lines are named and the rest is used; nothing is half written; the commands list its contents."""
import gzip
import json
import os
import subprocess
import sys

import pytest

import made_up
from tools import bench
from tools.farm import __main__ as farm
from tools.farm import evidence, rows, store

ENVIRONMENT = made_up.environment()
CELL = made_up.cell("exclusive_scan", "u32", 20)
SAMPLE = made_up.sample(ENVIRONMENT["id"], "matrix", CELL, made_up.WIDE, [1.5, 1.25])


def written(path, lines):
    path.write_bytes(b"".join(line if isinstance(line, bytes) else f"{store.dump(line)}\n".encode() for line in lines))
    return str(path)


def command(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "tools.farm", *arguments], cwd=made_up.ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, **options)


# ---- reading ---------------------------------------------------------------------------------------------------------

BROKEN = {
    "half a line": (b'{"kind": "samples", "v"\n', "no JSON"),
    "no JSON": (b"nonsense\n", "no JSON"),
    "no text": (b'{"kind": "\xff\xfe"}\n', "no JSON"),
    "no number": (b'{"kind": "run", "v": 1, "env": "0", "seconds": NaN}\n', "NaN is no number"),
    "no object": (b"[1, 2]\n", "no object"),
    "nested too deeply": (b"[" * 100000 + b"\n", "no JSON"),
    "bench's": (b'{"kind": "sample", "cell": "copy u8"}\n', "not a line of a store"),
    "unknown kind": (b'{"kind": "poem", "v": 1}\n', "unknown kind poem"),
    "a field is missing": (json.dumps({**SAMPLE, "us": None}).encode() + b"\n", "us: null is not of type"),
    "an element is none": (json.dumps({**SAMPLE, "us": [1, "fast"]}).encode() + b"\n", 'us.1: "fast" is not of'),
    "a truth is no number": (json.dumps({**SAMPLE, "n": True}).encode() + b"\n", "n: true is not of type"),
    "a field too few": (json.dumps({k: v for k, v in SAMPLE.items() if k != "status"}).encode() + b"\n",
                        'samples: "status" is a required property'),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_named_and_the_rest_is_used(tmp_path, capsys, name):
    line, reason = BROKEN[name]
    path = written(tmp_path / "a.jsonl", [ENVIRONMENT, line, SAMPLE])
    found = store.read_all([path])[0]
    assert [line.value for line in found.lines] == [ENVIRONMENT, SAMPLE]
    assert f"{path}:2: " in capsys.readouterr().err and reason in found.broken[0][1]


def test_a_last_line_without_an_end_is_used_where_it_is_whole(tmp_path):
    whole = json.dumps(SAMPLE).encode()
    for cut, lines in ((len(whole), 2), (len(whole) - 3, 1)):
        found = store.read(written(tmp_path / "a.jsonl", [ENVIRONMENT, whole[:cut]]))
        assert len(found.lines) == lines and len(found.broken) == 2 - lines


def test_another_schema_version_is_refused(tmp_path):
    path = written(tmp_path / "a.jsonl", [ENVIRONMENT, {**SAMPLE, "v": 2}, SAMPLE])
    with pytest.raises(store.StoreError, match=r"a\.jsonl:2: schema version 2; this farm reads version 1"):
        store.read(path)
    done = command("list", path)
    assert done.returncode == 2 and "schema version 2" in done.stderr and "Traceback" not in done.stderr


def test_what_is_no_store_at_all_is_refused(tmp_path, capsys):
    path = written(tmp_path / "bench.jsonl", [{"kind": "sample", "cell": "copy u8"}] * 30)
    with pytest.raises(store.StoreError, match="none of its 30 lines"):
        store.read(path)
    assert capsys.readouterr().err.count("\n") == store.REPORTED + 1  # not a line for each of them
    with pytest.raises(store.StoreError, match="No such file"):
        store.read(str(tmp_path / "none.jsonl"))


def test_compressed_stores(tmp_path):
    lines = [ENVIRONMENT] + [{**SAMPLE, "n": n} for n in range(1, 2000)]
    data = gzip.compress("".join(store.dump(line) + "\n" for line in lines).encode())
    whole, half = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"
    whole.write_bytes(data)
    half.write_bytes(data[:len(data) // 2])
    assert [line.value for line in store.read(str(whole)).lines] == lines
    damaged = store.read(str(half))
    values = [line.value for line in damaged.lines]
    assert 10 < len(values) < len(lines) and values == lines[:len(values)]
    assert "damaged" in damaged.broken[-1][1]


# ---- writing ---------------------------------------------------------------------------------------------------------


def test_appending(tmp_path):
    for name in ("a.jsonl", "a.jsonl.gz"):
        path = str(tmp_path / name)
        store.append(path, [ENVIRONMENT])
        store.append(path, [SAMPLE, SAMPLE])
        assert [line.value for line in store.read(path).lines] == [ENVIRONMENT, SAMPLE, SAMPLE]


def test_a_full_disk_leaves_nothing_half_done(tmp_path):
    path = written(tmp_path / "a.jsonl", [ENVIRONMENT])
    before = (tmp_path / "a.jsonl").read_bytes()
    program = ("import resource, sys, made_up; from tools.farm import store\n"
               f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 100}, {len(before) + 100}))\n"
               "line = made_up.environment()\n"
               "for write in (lambda: store.append(sys.argv[1], [line] * 9),\n"
               "              lambda: store.replace(sys.argv[1], b'x' * 99999)):\n"
               "    try:\n        write()\n        sys.exit('written')\n"
               "    except store.StoreError as error:\n        print(error)\n")
    path_list = os.pathsep.join([made_up.ROOT, os.path.dirname(made_up.__file__)])
    done = subprocess.run([sys.executable, "-c", program, path], env={**os.environ, "PYTHONPATH": path_list},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "nothing was appended" in done.stdout and "nothing was written" in done.stdout
    assert (tmp_path / "a.jsonl").read_bytes() == before and os.listdir(tmp_path) == ["a.jsonl"]


# ---- commands --------------------------------------------------------------------------------------------------------


def test_query(tmp_path, capsys):
    search = {**SAMPLE, "phase": "search", "n": 1 << 20}
    path = written(tmp_path / "a.jsonl", [ENVIRONMENT, SAMPLE, search])
    found = {
        ("phase=search",): [search], ("n=1M",): [search], ("n=262144", "op=SUM"): [SAMPLE],
        ("policy.threads=512",): [SAMPLE, search], ("kind=environment",): [ENVIRONMENT], ("phase=confirm",): [],
        ("throttle=0", "status=ok", "phase=matrix"): [SAMPLE],
    }
    for words, lines in found.items():
        status = farm.main(["query", path, *words])
        assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == lines, words
        assert status == (0 if lines else 1)
    assert farm.main(["query", path, "colour=red"]) == 2
    assert "no line has a field colour" in capsys.readouterr().err


def test_merge(tmp_path, capsys):
    other, search = made_up.environment("Example Two"), {**SAMPLE, "phase": "search"}
    one = written(tmp_path / "1.jsonl", [ENVIRONMENT, SAMPLE, search, SAMPLE])
    reordered = dict(reversed(SAMPLE.items()))  # the same line in other words
    two = written(tmp_path / "2.jsonl", [other, reordered, {**SAMPLE, "process": 7}])
    out = str(tmp_path / "out.jsonl.gz")
    assert farm.main(["merge", one, two, "--out", out, "--without", "search"]) == 0
    assert [line.value for line in store.read(out).lines] == [ENVIRONMENT, SAMPLE, other, {**SAMPLE, "process": 7}]
    first = (tmp_path / "out.jsonl.gz").read_bytes()
    assert farm.main(["merge", out, one, "--out", out, "--without", "search"]) == 0  # in place; again the same
    assert (tmp_path / "out.jsonl.gz").read_bytes() == first
    group = f"{SAMPLE['primitive']} 4/4/4"
    check = {"kind": "check", "v": 1, "env": SAMPLE["env"], "name": "incumbent", "group": group, "passed": True,
             "value": 0, "limit": 0.02}
    stale = written(tmp_path / "5.jsonl", [ENVIRONMENT, SAMPLE, check])
    for name in ("unique", SAMPLE["primitive"]):
        changed = str(tmp_path / "6.jsonl")
        assert farm.main(["merge", stale, "--out", changed, "--without-primitive", name]) == 0
        left = [ENVIRONMENT, SAMPLE, check] if name == "unique" else [ENVIRONMENT]
        assert [line.value for line in store.read(changed).lines] == left
    capsys.readouterr()
    broken = written(tmp_path / "3.jsonl", [b"nonsense\n", ENVIRONMENT])
    assert farm.main(["merge", broken, "--out", str(tmp_path / "4.jsonl")]) == 1
    assert "1 broken lines are not in it" in capsys.readouterr().err
    assert farm.main(["merge", str(tmp_path / "none.jsonl"), "--out", out]) == 2
    assert (tmp_path / "out.jsonl.gz").read_bytes() == first


@pytest.mark.turn
def test_merging_keeps_tunes_apart(tmp_path):
    """Two tunes of one tree on one day share an environment. Merged, they are still two, and give the same rows."""
    def factor(name, log2, type_):
        return 0.9 if name == "wide" else 1.1

    one, _ = made_up.tuned(tmp_path, factor)
    later = {"date": "2026-01-02T09:00:00Z", "seed": 2, "standing": dict.fromkeys(made_up.SIZES, made_up.WIDE)}
    two = made_up.Tune(str(tmp_path / "one" / "2026-01-02.2.tune.jsonl"), factor, **later)
    two.search().confirm(tmp_path).decide(tmp_path)
    assert one.environment["id"] == two.environment["id"]
    apart, out = rows.fold(rows.decisions_of(made_up.stores_of(tmp_path))), str(tmp_path / "m" / "m.tune.jsonl")
    for sources in ([one.path, two.path], [out, two.path, one.path]):  # again, with its lines already in it
        assert farm.main(["merge", *sources, "--out", out]) == 0
        merged = store.read(out)
        assert len(evidence.runs_of(merged)) == 2 and rows.fold(rows.decisions_of([merged])) == apart
        assert len(merged.lines) == sum(len(store.read(path).lines) for path in (one.path, two.path))


NAMES = [("2026-01-02.tune.abcdef0.jsonl.gz", "tune", "abcdef0", None),
         ("2026-01-02.regress.0123456.2.jsonl", "regress", "0123456", "2"),
         ("2026-01-02.policies_of_few.9999999.jsonl.xz", "policies_of_few", "9999999", None),
         ("2026-01-02.night.abcdef0.json", "night", "abcdef0", None),
         ("2026-01-02.tune.2.jsonl", "tune", None, "2"),  # the tree was no repository
         ("2026-01-02.jsonl", None, None, None), ("2026-01-02.2.tune.jsonl.gz", "tune", None, None)]  # older ones


@pytest.mark.parametrize("name, topic, commit, number", NAMES)
def test_the_parts_of_a_name(name, topic, commit, number):
    parts = bench.FILE_NAME.fullmatch(name)
    assert (parts["date"], parts["topic"], parts["commit"], parts["number"]) == ("2026-01-02", topic, commit, number)
    assert store.is_tune(name) == (topic == "tune") and bench.has_topic(name, "regress") == (topic == "regress")
    if topic and not parts["earlier"]:
        assert name.startswith(bench.file_stem("2026-01-02", topic, commit, int(number or 1)) + ".json")


def test_what_is_committed_is_named_by_date_topic_and_commit():
    names = [name for place, _, names in os.walk(os.path.join(made_up.ROOT, store.STORES)) for name in names
             if name.endswith((".jsonl", ".json", ".gz", ".xz"))]
    parts = [bench.FILE_NAME.fullmatch(name) for name in names]
    assert names and [name for name, one in zip(names, parts)
                      if not one or one["earlier"] or not one["topic"] or not one["commit"]] == []


def test_a_name_has_seven_digits_of_a_commit():
    assert bench.file_stem("2026-01-02", "tune", "0123456789abcdef+", 3) == "2026-01-02.tune.0123456.3"
    assert bench.file_stem("2026-01-02", "tune", "no commit") == "2026-01-02.tune"
    assert not store.is_tune("2026-01-02.tune.jsonl.xz") and not store.is_tune("2026-01-02.tuned.0123456.jsonl")


def test_stores_of_either_name_are_found_and_fold_alike(tmp_path):
    """A contributor may hold stores that were named before commits were part of names."""
    def factor(name, log2, type_):
        return 0.9 if name == "wide" else 1.1

    one, _ = made_up.tuned(tmp_path, factor)
    folder, decided = os.path.dirname(one.path), rows.fold(rows.decisions_of(made_up.stores_of(tmp_path)))
    assert os.path.basename(one.path) == "2026-01-02.tune.jsonl" and decided
    for name in ("2026-01-02.tune.0123456.jsonl", "2026-01-02.tune.0123456.2.jsonl", "2026-01-02.2.tune.jsonl"):
        os.rename(store.paths_under(str(tmp_path))[0], os.path.join(folder, name))
        assert [os.path.basename(path) for path in store.paths_under(str(tmp_path))] == [name]
        assert rows.fold(rows.decisions_of(made_up.stores_of(tmp_path))) == decided


def test_list(tmp_path, capsys):
    env = ENVIRONMENT["id"]
    path = written(tmp_path / "a.jsonl", [
        ENVIRONMENT, SAMPLE, {**SAMPLE, "status": "wrong"},
        {"kind": "run", "v": 1, "env": env, "seconds": 100, "busy_seconds": 97.5, "jobs": 12, "complete": False},
        {"kind": "check", "v": 1, "env": env, "name": "bad", "group": "copy 1/0/1", "passed": False, "value": 1,
         "limit": 1.2},
        {"kind": "coverage", "v": 1, "env": env, "group": "copy 1/0/1", "strategy": "standard", "seed": 1, "space": 960,
         "rejected": {}, "compiled": 900, "measured": 880, "statuses": {"ok": 880}}])
    assert farm.main(["list", path]) == 0
    text = capsys.readouterr().out
    for part in ("Example One, 2026-01-02T03:04:05Z", "GPU busy 97.5 %", "not complete", "matrix 2", "ok 1, wrong 1",
                 "failed: bad copy 1/0/1", "copy 1/0/1", "960", "880"):
        assert part in text, part


def test_validate(tmp_path, capsys):
    recorded = [path for path in store.paths_under(os.path.join(made_up.DATA, "stores"))]
    alone = ["--stores", str(tmp_path)]  # not beside the committed ones, which take a minute to read
    assert len(recorded) == 3 and farm.main(["validate", *recorded, *alone]) == 0
    assert ", 0 wrong" in capsys.readouterr().out
    path = written(tmp_path / "a.jsonl", [ENVIRONMENT, {**SAMPLE, "phase": "dream"}, {**SAMPLE, "us": [-1]}, SAMPLE])
    assert farm.main(["validate", path, *alone]) == 1
    text = capsys.readouterr().out
    assert f"{path}:2: samples: phase: \"dream\"" in text
    assert f"{path}:3: samples: us.0: -1" in text and "4 lines, 2 wrong" in text


def test_without_the_library():
    """Without jsonschema-rs stores are read, but not called valid."""
    program = ("import sys; sys.modules['jsonschema_rs'] = None; from tools.farm import __main__ as f; "
               "sys.exit(f.main({}))")
    recorded = store.paths_under(os.path.join(made_up.DATA, "stores"))
    for arguments, status in ((["validate", *recorded], 2), (["list", *recorded], 0)):
        done = subprocess.run([sys.executable, "-c", program.format(arguments)], cwd=made_up.ROOT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == status, done.stderr
        assert status == 0 or "pip install jsonschema-rs" in done.stderr


def test_bad_usage():
    for arguments, text in (([], "usage"), (["dream"], "no command dream"), (["query", "none.jsonl"], "none.jsonl"),
                            (["merge", "a.jsonl"], "--out"), (["decide"], "which store")):
        done = command(*arguments)
        assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr, arguments
    done = command("--help")
    assert done.returncode == 0 and "landscape" in done.stdout


# ---- cells and policies ----------------------------------------------------------------------------------------------


def test_cells_and_groups():
    for primitive, type_, text, group in (
            ("exclusive_scan", "u32", "exclusive_scan SUM u32 n=262144 protocol=cold", "exclusive_scan 4/4/4"),
            ("reduce", "f16", "reduce SUM f16 n=524288 protocol=cold", "reduce 2/4/2"),
            ("copy", "s16", "copy s16 n=65536 protocol=cold", "copy 16/0/16")):
        cell = made_up.cell(primitive, type_, 20)
        assert (cell.text, cell.group, cell.bytes, cell.log2) == (text, group, 1 << 20, 20)
    wide = store.Cell("reduce", "SUM", "u8", "u32", "u64", 100, "graph")
    assert wide.text == "reduce SUM u8 acc=u32 out=u64 n=100 protocol=graph" and wide.group == "reduce 1/4/8"
    assert store.Cell("fill", "", "u32", "u32", "u32", 5, "cold").group == "fill 0/0/4"
    assert not store.is_known(store.Cell("kernel", "mine", "", "", "", 5, "cold"))


def test_policies_as_text():
    assert store.policy_text(store.policy_of(made_up.WIDE)) == made_up.WIDE
    assert store.policy_of(made_up.WIDE)["threads"] == 512
    assert store.policy_text({"tile": 4, "fused": "yes"}) == "tile=4,fused=yes"
