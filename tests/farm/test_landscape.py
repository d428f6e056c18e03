"""tools/farm/landscape.py on spaces with results known by hand, and on incomplete stores."""
import csv
import json
import os
import sys

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools.farm import landscape, store  # noqa: E402

E1, E2 = f"{0xe1:016x}", f"{0xe2:016x}"
DEVICE = "Made-up 1"
ENVIRONMENT = {"kind": "environment", "v": 1, "id": E1, "date": "2026-11-21T00:00:00Z", "device": DEVICE,
               "compute_capability": 90, "multiprocessors": 100, "memory_bytes": 1 << 36, "ecc": 1, "driver": 13000,
               "nvrtc": 13000, "bus": "0", "commit": "abc", "header": "0" * 16, "source": "synthetic", "clocks": "yes"}
MIB = 1 << 20


def policy(threads, vectors=1):
    return {"algorithm": "LOOK_BACK", "threads": threads, "vectors": vectors, "load": "ALL", "store": "ALL",
            "stages": 0, "blocks_per_sm": 2, "overlap": 1}


def sample(primitive, type_, size, us, of=None, **fields):
    """A line of phase landscape; without a policy: the incumbent."""
    return {"kind": "samples", "v": 1, "env": E1, "process": 0, "phase": "landscape", "primitive": primitive,
            "op": "" if primitive == "copy" else "SUM", "in": type_, "acc": type_, "out": type_,
            "n": size // store.type_sizes()[type_], "protocol": "cold", "variant": "policy" if of else "default",
            "policy": of or policy(256), "policy_source": "caller" if of else "portable", "status": "ok", "message": "",
            "code": "0" * 16, "registers": 32, "calls": 1, "us": [us, us, us * 3], "sm_mhz": [1980, 1980],
            "celsius": 30, "milliwatts": 1, "throttle": 0, **fields}


def space(cells, times):
    """Samples of policies threads=128, 256, ... with times[policy][cell], and an incumbent at twice the best."""
    lines = [ENVIRONMENT]
    for k, (primitive, type_, size) in enumerate(cells):
        column = [row[k] for row in times if row[k]]
        lines.append(sample(primitive, type_, size, 2 * min(column)))
        lines += [sample(primitive, type_, size, row[k], policy(128 * (p + 1)))
                  for p, row in enumerate(times) if row[k]]
    return lines


TWO_CELLS = [("reduce", "u32", 128 * MIB), ("reduce", "u32", 2 * MIB)]
# Shares: threads=128: 1, 0.5; threads=256: 0.5, 1; threads=384: 0.8, 0.8 (the best single one).
THREE_POLICIES = [[40.0, 20.0], [80.0, 10.0], [50.0, 12.5]]


def tables(lines, peers=landscape.Peers({}, {})):
    found = landscape.tables_of(landscape.landscape_of(lines, "made up"), peers)
    return {table.name: table for table in found}


def row(table, *key):
    return next(r for r in table.rows if tuple(r[:len(key)]) == key)


def test_variances_by_hand():
    # Groups 1 3 | 4 8: mean 4; total (9+1+0+16)/4; means 2 and 6: between 4; within (1+1+4+4)/4.
    assert landscape.variances([[1, 3], [4, 8]]) == pytest.approx((6.5, 4.0, 2.5))
    # Unequal groups 0 | 2 4: mean 2; total 8/3; means 0 and 3: between (1*4 + 2*1)/3; within 2/3.
    assert landscape.variances([[0], [2, 4]]) == pytest.approx((8 / 3, 2.0, 2 / 3))


def test_variances_add_up():
    rng = np.random.default_rng(1)
    total, between, within = landscape.variances([rng.normal(k, 1 + k, 3 + k) for k in range(20)])
    assert total == pytest.approx(between + within) and between > 0 and within > 0


def test_variance_table():
    # Shares 1 .5 | .5 1 | .8 .8: mean 4.6/6; means .75 .75 .8; within (4 * .25^2)/6.
    found = row(tables(space(TWO_CELLS, THREE_POLICIES))["variance"], "reduce")
    _, policies, cells, mean, total, between, within, ratio = found
    assert (policies, cells) == (3, 2)
    assert mean == pytest.approx(4.6 / 6)
    assert within == pytest.approx(0.25 / 6)
    assert between == pytest.approx(np.var([0.75, 0.75, 0.8]))
    assert ratio == pytest.approx(between / total)


def test_best_single_policy():
    # Shares 1 .5 | .5 1 | 8/9 2/3.
    found = row(tables(space(TWO_CELLS, [[40.0, 20.0], [80.0, 10.0], [45.0, 15.0]]))["single"], "reduce")
    assert "threads=384," in found[1]
    assert found[2:] == [2, pytest.approx(7 / 9), pytest.approx(2 / 3), "u32 2MiB"]


def test_a_policy_that_misses_a_cell_is_not_the_best_single_one():
    lines = space(TWO_CELLS, THREE_POLICIES + [[39.0, None]])
    assert "threads=384," in row(tables(lines)["single"], "reduce")[1]


def test_bandwidth_and_roofs():
    lines = space(TWO_CELLS, THREE_POLICIES)
    found = row(tables(lines)["bandwidth"], "reduce", "u32")
    speeds = 128 * MIB / np.array([40.0, 80.0, 50.0]) / 1e3
    assert found[2:4] == pytest.approx([speeds.max(), speeds.mean()])
    assert found[4:] == [None] * 4  # no roof is known
    peak = row(tables([{**ENVIRONMENT, "peak_gbs": 4000}] + lines[1:])["bandwidth"], "reduce", "u32")
    assert peak[4:] == [4000, "peak", pytest.approx(speeds.max() / 4000), pytest.approx(speeds.mean() / 4000)]
    peers = landscape.Peers({}, {("reduce", "u32", 128 * MIB): 4500.0})
    assert row(tables(lines, peers)["bandwidth"], "reduce", "u32")[4:6] == [4500, "measured"]
    # Copies and scans move twice their input.
    copied = tables(space([("copy", "u32", 128 * MIB)], [[100.0]]))
    assert row(copied["bandwidth"], "copy", "u32")[2] == pytest.approx(2 * 128 * MIB / 100 / 1e3)


def test_slowdown_histogram():
    found = tables(space(TWO_CELLS, THREE_POLICIES))["slowdown"]
    titles = [title for title, _ in found.columns]
    numbers = dict(zip(titles, row(found, "reduce")))
    # Slowdowns: 1, 1, 1.25, 1.25, 2, 2. An edge belongs to the bin above it.
    assert numbers["samples"] == 6 and numbers["median"] == pytest.approx(1.25)
    assert [numbers[t] for t in ("1-1.05", "1.1-1.25", "1.25-1.5", "2-3")] == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    assert sum(numbers[t] for t in titles[4:]) == pytest.approx(1)


def bench_line(primitive, type_, size, variant, label, **fields):
    return {"kind": "sample", "cell": "", "primitive": primitive, "op": "" if primitive == "copy" else "SUM",
            "in": type_, "acc": type_, "out": type_, "dist": "uniform", "protocol": "cold",
            "n": size // store.type_sizes()[type_], "bytes": size, "in_offset": 0, "out_offset": 0, "variant": variant,
            "label": label, "status": "ok", "median_us": 1.0, "gbs": 1.0, **fields}


def test_gains():
    records = [{"kind": "environment", "device": DEVICE},
               bench_line("reduce", "u32", 128 * MIB, "peer", "cub", median_us=60.0),
               bench_line("reduce", "u32", 128 * MIB, "peer", "thrust", median_us=100.0, in_offset=4),  # another cell
               bench_line("reduce", "u32", 128 * MIB, "read_roof", "read", gbs=4400.0),
               bench_line("reduce", "u32", 128 * MIB, "copy_roof", "memcpy", gbs=4200.0)]  # not a reduction's roof
    peers = landscape.peers_of(records, "bench", DEVICE)
    found = tables(space(TWO_CELLS, THREE_POLICIES), peers)
    assert row(found["gain"], "128MiB", "reduce", "u32")[3:] == [40.0, "portable", pytest.approx(2), pytest.approx(1.5),
                                                                None]
    assert row(found["gain"], "128KiB", "reduce", "u32")[3:] == [None] * 5
    assert row(found["bandwidth"], "reduce", "u32")[4] == 4400
    with pytest.raises(ValueError, match="measured on Made-up 1, the landscape on Another"):
        landscape.peers_of(records, "bench", "Another")


def test_missing_cells_say_so():
    text = landscape.markdown(tables(space(TWO_CELLS, THREE_POLICIES))["share"])
    assert "| reduce | u32 | NO DATA | NO DATA | 0.800 | NO DATA | NO DATA | 0.800 |" in text
    assert "| copy | u8 |" + " NO DATA |" * 6 in text


def test_what_failed_is_left_out_and_counted():
    lines = space(TWO_CELLS, THREE_POLICIES)
    lines.append(sample("reduce", "u32", 128 * MIB, 0.001, policy(512), status="wrong"))
    lines.append(sample("reduce", "u32", 128 * MIB, 0.001, policy(640), throttle=0x40))
    read = landscape.landscape_of(lines, "made up")
    assert read.left_out == {"status wrong": 1, "throttled": 1}
    assert min(read.times["reduce"]["u32", 128 * MIB].values()) == 40
    assert "samples left out: 1 status wrong, 1 throttled" in landscape.report(read, [])


def test_only_the_newest_commit_counts():
    old = [{**ENVIRONMENT, "id": "e0", "date": "2026-11-20T00:00:00Z", "commit": "old"},
           sample("reduce", "u32", 128 * MIB, 1.0, policy(512), env="e0")]
    lines = space(TWO_CELLS, THREE_POLICIES)
    assert tables(old + lines)["variance"].rows == tables(lines)["variance"].rows


@pytest.mark.parametrize("lines, words", [
    ([ENVIRONMENT], "no samples of phase landscape"),
    ([sample("copy", "u8", MIB, 1.0)], "environment 00000000000000e1, which no line describes"),
    (space(TWO_CELLS, THREE_POLICIES) + [{**ENVIRONMENT, "id": E2, "device": "Made-up 2"},
                                         sample("copy", "u8", 2 * MIB, 1.0, env=E2)], "Made-up 1 and of Made-up 2"),
])
def test_stores_that_have_no_landscape(lines, words):
    with pytest.raises(ValueError, match=words):
        landscape.landscape_of(lines, "made up")


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def full_space():
    """Every cell except one, nine policies: threads and vectors matter."""
    cells = [(p, t, s) for p in landscape.PRIMITIVES for t in landscape.TYPES for s in landscape.SIZES][:-1]
    lines = [ENVIRONMENT]
    for primitive, type_, size in cells:
        lines.append(sample(primitive, type_, size, 20.0))
        lines += [sample(primitive, type_, size, 5 + threads / 128 + 3 / vectors + size / 4e6, policy(threads, vectors))
                  for threads in (128, 256, 512) for vectors in (1, 2, 4)]
    return lines


@pytest.mark.turn
def test_files_are_written_and_deterministic(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = write(tmp_path / "store.jsonl", full_space())
    for folder in ("one", "two"):
        assert landscape.main([path, "--out", str(tmp_path / folder)]) == 0
    text = capsys.readouterr().out
    assert "### The best single policy" in text and "threads=128,vectors=4" in text and "NO DATA" in text
    names = sorted(os.listdir(tmp_path / "one"))
    assert names == sorted([f"{t}.csv" for t in ("variance", "single", "share", "bandwidth", "slowdown", "gain")]
                           + [f"{f}.{e}" for f in ("slowdown", "single", "map") for e in ("svg", "png")]
                           + ["landscape.json"])
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    svg = (tmp_path / "one" / "map.svg").read_text()
    assert svg.startswith("<?xml") and "exclusive_scan u32, 128MiB" in svg and "threads" in svg
    with open(tmp_path / "one" / "share.csv", encoding="utf-8", newline="") as file:
        last = list(csv.reader(file))[-1]
    assert last[:2] == ["exclusive_scan", "u64"] and last[-1] == "NO DATA"
    numbers = json.loads((tmp_path / "one" / "landscape.json").read_text())
    assert numbers["variance"][0]["policies"] == 9 and numbers["environment"]["device"] == DEVICE


@pytest.mark.turn
def test_figures_of_next_to_nothing(tmp_path):
    pytest.importorskip("matplotlib")
    path = write(tmp_path / "store.jsonl", space(TWO_CELLS, THREE_POLICIES))
    assert landscape.main([path, "--out", str(tmp_path / "out")]) == 0
    for name in ("slowdown", "single", "map"):
        assert "NO DATA" in (tmp_path / "out" / f"{name}.svg").read_text(), name


def test_without_matplotlib(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    path = write(tmp_path / "store.jsonl", space(TWO_CELLS, THREE_POLICIES))
    assert landscape.main([path, "--out", str(tmp_path / "out")]) == 0
    assert "no figures: matplotlib is missing" in capsys.readouterr().err
    assert not (tmp_path / "out" / "map.svg").exists() and (tmp_path / "out" / "gain.csv").exists()


def test_bad_input(tmp_path, capsys):
    assert landscape.main([str(tmp_path / "missing.jsonl"), "--out", str(tmp_path / "out")]) == 2
    assert "missing.jsonl" in capsys.readouterr().err
    empty = write(tmp_path / "empty.jsonl", [])
    assert landscape.main([empty, "--out", str(tmp_path / "out")]) == 2
    assert "no samples of phase landscape" in capsys.readouterr().err
    path = write(tmp_path / "store.jsonl", space(TWO_CELLS, THREE_POLICIES))
    peers = tmp_path / "peers.jsonl"
    peers.write_text("{broken\n")
    assert landscape.main([path, "--out", str(tmp_path / "out"), "--peers", str(peers)]) == 2
    assert "peers.jsonl" in capsys.readouterr().err
