"""The path of an online tuner: tools/farm/tuner.py on made-up reports; and what programs learned (learned.py), from
reports to a row of the table."""
import copy
import json
import math
import os
import random

import pytest
from test_tuner_spaces import write_space

import made_up
from dashboard import read as dashboard_read
from made_up import LEAN, RULE, WIDE
from tools.farm import __main__ as farm
from tools.farm import decide, evidence, learned, standard, store, tuner, validate

FIELDS = {"algorithm": [4, 5, 7], "threads": [128, 256, 512], "vectors": [1, 2], "load": [0, 3], "store": [0, 3],
          "stages": [0, 3], "blocks_per_sm": [2, 4], "overlap": [0, 2]}
CALL = {"primitive": "exclusive_scan", "op": "SUM", "transform": "", "equal": "", "in": "u32", "in2": "", "acc": "u32",
        "out": "u32", "key": "", "offset": "", "out2": "", "flags": 0, "user": 0}
DEVICE = {"tuning": "gpuprims", "version": "0.2.0", "device": "Example One", "compute_capability": 90,
          "multiprocessors": 132, "memory_bytes": 1 << 36, "l2_bytes": 1 << 25, "peak_gbs": 12000.5, "ecc": "1",
          "driver": 13000, "nvrtc": 13000, "header": "0123456789abcdef" * 4,
          "unix_seconds": 1767323045}


# ---- reports ---------------------------------------------------------------------------------------------------------


def parameters(axes, default, categorical=()):
    return [{"name": name, "values": values, "default": value, "categorical": name in categorical}
            for (name, values), value in zip(axes.items(), default)]


def tuner_report(axes, steps, default, name="blur", bucket=()):
    """steps: (values, us; None: rejected)."""
    lines = [{"tuner": name, "parameters": parameters(axes, default)}]
    return lines + [{"bucket": list(bucket), "values": list(values), **({"us": us} if us else {"rejected": True})}
                    for values, us in steps]


def numbers_of(text):
    """A policy's values as a report has them."""
    policy = store.policy_of(text)
    for name, names in tuner.NAMES.items():
        policy[name] = [one.removeprefix("GP_CACHE_") for one in store.description()[names]].index(policy[name])
    return [policy[name] for name in FIELDS]


def library_report(factor, sizes=(20, 24), seed=0, policies=(WIDE, LEAN), call=CALL, device=DEVICE):
    """What a program's process learned, as the library writes it: a line for each call and size, and its path. factor:
    as of made_up.Tune."""
    noise, found = random.Random(seed), [device]
    names = {made_up.policy(name): name for name in made_up.FIELDS}
    head = {"tuner": "scans of u32", "call": call, "parameters": parameters(FIELDS, numbers_of(RULE), ("algorithm",))}
    for log2 in sizes:
        found.append(head)
        n = (1 << log2 - 2) + 1000
        for text in (RULE, *policies):
            us = (2 + 4 * n / 3e6) * (factor(names[text], log2, "u32") if text != RULE else 1.0)
            found.append({"bucket": [], "n": n, "values": numbers_of(text),
                          "us": round(us * noise.lognormvariate(0, 0.05), 3)})
    return found


def write(path, lines):
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return str(path)


def command(*arguments):
    return farm.main(["tuner", *map(str, arguments)])


def wide_wins(name, log2, type_):
    return {"wide": 0.8, "deep": 1.05, "lean": 1.2}[name]


PLANE = {"threads": [32, 64, 96], "unroll": [1, 2], "mode": [7, 3]}
STEPS = [((32, 1, 7), 20.0), ((64, 1, 7), 15.0), ((96, 1, 7), None), ((64, 2, 7), 12.0), ((64, 2, 3), 10.0),
         ((64, 2, 3), 10.5), ((32, 2, 3), 18.0)]


# ---- pictures and tables ---------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch):
    """Figures as they are written: {name: figure}."""
    found, original = {}, tuner.draw

    def draw(path, whole, plt):
        found[tuner.title_of(path)] = figure = original(path, whole, plt)
        return figure

    monkeypatch.setattr(tuner, "draw", draw)
    return found


@pytest.mark.turn
def test_pictures_and_the_table_of_a_tuner(tmp_path, capsys, drawn):
    report = write(tmp_path / "a.txt", tuner_report(PLANE, STEPS, (32, 1, 7)) +
                   tuner_report({"threads": [32, 64]}, [((64,), 5.0)], (32,), "one|two", (1024,)))
    assert command(report, "--out", tmp_path / "out") == 0
    said, text = capsys.readouterr().out, (tmp_path / "out" / "tuners.md").read_text()
    assert text in said
    assert "| blur | - | threads 32, unroll 1, mode 7 | threads 64, unroll 2, mode 3 | 20.000 | 10.250 | 95.1 % | 7 " \
        "| 1 |" in text
    assert r"| one\|two | 1024 | threads 32 | threads 64 | - | 5.000 | - | 1 | 0 |" in text  # its default never ran
    for name in ("blur", "one-two_1024"):
        assert (tmp_path / "out" / f"{name}.png").stat().st_size > 8000
        assert (tmp_path / "out" / f"{name}.svg").stat().st_size > 8000
    times, landscape = drawn["blur"].axes[:2]
    lines = {line.get_label(): line for line in times.lines}
    assert list(lines["measured"].get_ydata()) == [us for _, us in STEPS if us]
    assert list(lines["best so far"].get_ydata()) == [20, 15, 15, 12, 10, 10, 10] and \
        list(lines["rejected"].get_xdata()) == [3]
    assert {landscape.get_xlabel(), landscape.get_ylabel()} == {"threads", "unroll"}  # `mode` matters least
    texts = {one.get_text() for one in landscape.texts}
    assert {"1", "2"} <= texts and "3,4,5" in texts
    assert sum(not one.get_text() for one in landscape.texts) == 3  # arrows: a move within a place has none


@pytest.mark.turn
def test_the_landscape_of_a_whole_space(tmp_path, drawn):
    def time_of(threads, unroll, mode):
        return None if threads == 96 and unroll == 2 else 10.0 + abs(threads - 64) / 8 + 4 * (mode == 7) + unroll / 100

    axes = list(PLANE.values())
    file = write_space(tmp_path / "s.jsonl", "blur", axes, (32, 1, 7), time_of)
    names = {f"p{k}": values for k, values in enumerate(axes)}
    report = write(tmp_path / "a.txt", tuner_report(names, STEPS, (32, 1, 7)))
    assert command(report, "--space", file, "--out", tmp_path / "out") == 0
    landscape = drawn["blur"].axes[1]
    assert (landscape.get_xlabel(), landscape.get_ylabel()) == ("p0", "p2")  # of the space, where unroll matters least
    shown = landscape.images[0].get_array()
    # The plane of the path's best, unroll 2, by mode; grey: invalid.
    found = [[round(float(one), 1) if math.isfinite(one) else None for one in row] for row in shown.filled(math.nan)]
    assert found == [[round(time_of(a, 2, mode) / time_of(64, 1, 3), 1) if a != 96 else None for a in (32, 64, 96)]
                     for mode in sorted((7, 3))]


@pytest.mark.turn
def test_equal_reports_make_equal_pictures(tmp_path):
    report = write(tmp_path / "a.txt", tuner_report(PLANE, STEPS, (32, 1, 7)))
    for name in ("one", "two"):
        assert command(report, "--out", tmp_path / name) == 0
    assert (tmp_path / "one" / "blur.svg").read_bytes() == (tmp_path / "two" / "blur.svg").read_bytes()


@pytest.mark.turn
def test_pictures_of_library_calls_and_of_rejected_configurations(tmp_path, drawn):
    lines = library_report(wide_wins)
    refused = tuner_report({"a": [1, 2], "b": [1, 2]}, [((1, 1), None), ((2, 1), None)], (1, 1), "refused")
    assert command(write(tmp_path / "a.txt", lines), write(tmp_path / "b.txt", refused), "--out", tmp_path / "out") == 0
    name = "exclusive_scan SUM in=u32 acc=u32 out=u32"
    assert set(drawn) == {f"{name}, from {(1 << 18) + 1000}", f"{name}, from {(1 << 22) + 1000}", "refused"}
    assert (tmp_path / "out" / "exclusive_scan-SUM-in-u32-acc-u32-out-u32_263144.svg").exists()
    text = (tmp_path / "out" / "tuners.md").read_text()
    assert r"algorithm LOOK\_BACK, threads 512, vectors 1, load ALL" in text and "| - | - | - | 2 | 2 |" in text


@pytest.mark.turn
def test_a_default_that_never_ran_has_no_gain(tmp_path):
    """A process that began with what the last one had learned."""
    lines = library_report(wide_wins, sizes=(20,))
    report = write(tmp_path / "a.txt", lines[:2] + lines[3:] + [{"bucket": [], "values": numbers_of(RULE),
                                                                "rejected": True}])
    assert command(report, "--out", tmp_path / "out", "--store", tmp_path / "s.jsonl") == 0
    row = (tmp_path / "out" / "tuners.md").read_text().splitlines()[2].split(" | ")
    assert row[-5] == "-" and float(row[-4]) > 0 and row[-3:] == ["-", "3", "1 |"]  # the default's time, and the gain
    a_store = store.read(str(tmp_path / "s.jsonl"))
    assert {line["variant"] for line in a_store.of("samples")} == {"policy"}
    assert learned.plan([a_store], 1 << 36) == ([], [])


@pytest.mark.turn
def test_one_parameter_over_its_space(tmp_path, drawn):
    file = write_space(tmp_path / "s.jsonl", "blur", [[32, 64, 96]], (32,), lambda a: 10.0 + abs(a - 64))
    report = write(tmp_path / "a.txt", tuner_report({"p0": [32, 64, 96]}, [((32,), 41.0), ((64,), 11.0)], (32,)))
    assert command(report, "--space", file, "--out", tmp_path / "out") == 0
    right = drawn["blur"].axes[1]
    assert [list(map(float, line.get_ydata())) for line in right.lines if line.get_label() == "median"] == \
        [pytest.approx([0.04242, 0.0101, 0.04242])]
    assert {"1", "2"} <= {one.get_text() for one in right.texts}


@pytest.mark.turn
def test_hostile_names_stay_text(tmp_path):
    name = "<script>$\\alpha$ ../../x | `y`"
    lines = tuner_report({"$\\foo$": [1, 2], "<b>": [1, 2]}, [((1, 1), 2.0), ((2, 2), 1.0)], (1, 1), name)
    assert command(write(tmp_path / "a.txt", lines), "--out", tmp_path / "out") == 0
    text = (tmp_path / "out" / "tuners.md").read_text()
    assert "<" not in text and "`y" not in text.replace(r"\`y", "") and text.splitlines()[2].count(" | ") == 8
    assert {path.name for path in (tmp_path / "out").iterdir()} - {"matplotlib"} == {
        "script-alpha-x-y.svg", "script-alpha-x-y.png", "tuners.md"}


PLAIN = tuner_report(PLANE, STEPS, (32, 1, 7))
LIBRARY = library_report(wide_wins)
DAMAGED = {
    "empty": ([], 1, "no steps"),
    "no steps": (PLAIN[:1], 1, "no steps"),
    "no report": (['{"kind": "environment", "v": 1}'], 1, "neither gp_tuner_report nor gp_tuning_report"),
    "no JSON": (PLAIN[:3] + ['{"bucket": [], "val'], 4, "no JSON"),
    "no object": (PLAIN[:3] + ["[1]"], 4, "no object"),
    "no number": (PLAIN[:1] + ['{"bucket": [], "values": [32, 1, 7], "us": NaN}'], 2, "no JSON"),
    "nested": (PLAIN[:1] + ["[" * 100000], 2, "no JSON"),
    "a time of 0": (PLAIN[:1] + [{"bucket": [], "values": [32, 1, 7], "us": 0}], 2, "no time above 0"),
    "a negative time": (PLAIN[:1] + [{"bucket": [], "values": [32, 1, 7], "us": -1}], 2, "no time above 0"),
    "a huge time": (PLAIN[:1] + [{"bucket": [], "values": [32, 1, 7], "us": 1e300}], 2, "no time above 0"),
    "no time": (PLAIN[:2] + [{"bucket": [], "values": [32, 1, 7]}], 3, "a time or is rejected"),
    "both": (PLAIN[:2] + [{"bucket": [], "values": [32, 1, 7], "us": 1, "rejected": True}], 3, "a time or is rejected"),
    "a foreign value": (PLAIN[:2] + [{"bucket": [], "values": [33, 1, 7], "us": 1}], 3, "foreign parameters"),
    "a truth": (PLAIN[:2] + [{"bucket": [], "values": [32, True, 7], "us": 1}], 3, "foreign parameters"),
    "too few values": (PLAIN[:2] + [{"bucket": [], "values": [32, 1], "us": 1}], 3, "foreign parameters"),
    "a foreign bucket": (PLAIN[:2] + [{"bucket": ["x"], "values": [32, 1, 7], "us": 1}], 3, "a bucket is a list"),
    "no parameters": ([{"tuner": "x", "parameters": []}, *PLAIN[1:]], 1, "1 to 16 parameters"),
    "a value twice": ([{"tuner": "x", "parameters": parameters({"a": [1, 1]}, [1])}], 1, "not different integers"),
    "a foreign default": ([{"tuner": "x", "parameters": parameters({"a": [1]}, [2])}], 1, "default is none of"),
    "a name of two lines": ([{**PLAIN[0], "tuner": "a\nb"}, *PLAIN[1:]], 1, "not one line of text"),
    "the device later": (PLAIN + [DEVICE], len(PLAIN) + 1, "must be the first one"),
    "no call": ([DEVICE, PLAIN[0]], 2, "no member `call`"),
    "foreign fields": ([DEVICE, {**LIBRARY[1], "parameters": PLAIN[0]["parameters"]}], 2, "foreign parameters"),
    "no such algorithm": ([DEVICE, {**LIBRARY[1], "parameters": parameters({"algorithm": [5, 99]}, [5])}], 2,
                          "no algorithm of such a number"),
    "no n": (LIBRARY[:2] + [{**LIBRARY[2], "n": 0}], 3, "no number of elements"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_report_names_file_and_line(tmp_path, capsys, name):
    lines, number, reason = DAMAGED[name]
    good, bad = write(tmp_path / "good.txt", PLAIN), write(tmp_path / "bad.txt", lines)
    assert command(good, bad, "--out", tmp_path / "out") == 1
    said = capsys.readouterr().err
    assert f"{bad}, line {number}: " in said and reason in said and not os.path.exists(tmp_path / "out")


def test_other_bad_input(tmp_path, capsys):
    report = write(tmp_path / "a.txt", PLAIN)
    other = write_space(tmp_path / "s.jsonl", "n_body", [[32, 64], [1, 2]], (32, 1), lambda a, b: 1.0 * a * b)
    broken = write(tmp_path / "broken.jsonl", ["{"])
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for arguments, reason in (((report, "--space", other), f"{report}, line 1: foreign parameters: the space of n_"),
                              ((report, "--space", broken), f"{broken}, line 1"),
                              ((tmp_path / "none",), "none: No such file"),
                              ((tmp_path / "binary",), "binary: UnicodeDecodeError")):
        assert command(*arguments, "--out", tmp_path / "out") == 1
        assert reason in capsys.readouterr().err and not os.path.exists(tmp_path / "out")
    with pytest.raises(SystemExit) as end:
        command(report)
    assert end.value.code == 2


# ---- what programs learned -------------------------------------------------------------------------------------------


def learn(tmp_path, factor=wide_wins, processes=3, name="learned.jsonl.gz", **options):
    """A store of what some processes learned."""
    files = [write(tmp_path / f"{name}.{k}.txt", library_report(factor, seed=k, **options)) for k in range(processes)]
    assert command(*files, "--store", tmp_path / name) == 0
    return str(tmp_path / name)


def matrix_of(tmp_path, path, factor=wide_wins, **options):
    """A tune that measured the matrix of what a store says."""
    tune = made_up.Tune(made_up.path_of(tmp_path / "stores", "one"), factor, date=made_up.DATE, **options)
    for cell, policies in learned.plan([store.read(path)], 1 << 36)[0]:
        tune.measure("matrix", cell, ["default", *policies])
    return tune


def test_from_reports_to_a_row(tmp_path, capsys):
    path = learn(tmp_path)
    assert f"next: make tune ARGS='--learned {path}'" in capsys.readouterr().out
    a_store = store.read(path)
    assert not a_store.broken and len(a_store.of("environment")) == 1
    samples = a_store.of("samples")
    assert {(one["process"], one["phase"], one["protocol"]) for one in samples} == {
        (k, "search", "program") for k in range(3)} and len(samples) == 3 * 2 * 3
    assert a_store.of("environment")[0] | {"id": ""} == {
        "kind": "environment", "v": 1, "id": "", "date": made_up.DATE, "device": "Example One",
        "compute_capability": 90, "multiprocessors": 132, "memory_bytes": 1 << 36, "l2_bytes": 1 << 25,
        "peak_gbs": 12000.5, "ecc": "1", "driver": "13000", "nvrtc": "13000", "bus": "", "clocks": "no",
        "header": "0123456789abcdef", "source": "live", "commit": "version 0.2.0"}
    assert validate.judge([path], str(tmp_path / "none")) == (19, [])
    tune = matrix_of(tmp_path, path)
    decisions = tune.confirm(tmp_path / "stores").decide(tmp_path / "stores")
    one, = [one for one in decisions if one["group"] == "exclusive_scan 4/4/4"]
    assert (one["verdict"], one["log2_from"], one["log2_to"], one["pairs"]) == ("accepted", 0, 64, 3)
    assert store.policy_text(one["policy"]) == WIDE and abs(one["gain"] - 0.25) < 0.005
    assert one["members"] == ["f32", "u32"]
    row = '"Example One", GP_EXCLUSIVE_SCAN, 4, 4, 4, 0, 64, GP_LOOK_BACK, 512'
    assert row in made_up.table_of(tmp_path / "stores")
    assert farm.main(["validate", tune.path, "--stores", str(tmp_path / "stores")]) == 0


def test_the_matrix_has_every_size_and_type_that_a_row_would_serve(tmp_path):
    """A program called MIN on i32 at one size. Its row would serve SUM on u32 as well, and from 1 byte on."""
    call = {**CALL, "op": "MIN", "in": "i32", "acc": "i32", "out": "i32"}
    path = learn(tmp_path, sizes=(24,), call=call)
    jobs, refused = learned.plan([store.read(path)], 1 << 36)
    assert not refused and all(policies == [WIDE] for _, policies in jobs)
    for name, type_ in (("MIN", "i32"), ("SUM", "u32")):
        sizes = [cell.bytes for cell, _ in jobs if (cell.op, cell.in_) == (name, type_)]
        assert sorted(sizes) == sorted([*standard.SIZES, (1 << 24) + 4000])
    assert {cell.protocol for cell, _ in jobs if cell.bytes <= 4 << 20} == {"graph"}
    assert {cell.protocol for cell, _ in jobs if cell.bytes > 4 << 20} == {"cold"}
    small = learned.plan([store.read(path)], 32 << 20)[0]
    assert {cell.bytes for cell, _ in small} == {size for size in standard.SIZES if size <= 1 << 20}

    def only_large(name, log2, type_):  # what the program saw is true, but small sizes lose
        return {"wide": 0.8 if log2 >= 24 else 1.3}[name]

    tune = matrix_of(tmp_path, path, only_large)
    decisions = tune.confirm(tmp_path / "stores").decide(tmp_path / "stores")
    one, = [one for one in decisions if one["group"] == "exclusive_scan 4/4/4"]
    assert (one["verdict"], one["log2_from"]) == ("accepted", 23) and set(one["members"]) == {"f32", "i32", "u32"}


@pytest.mark.parametrize("processes", [1, 3, 8])
def test_programs_alone_give_no_row(tmp_path, processes):
    """However many processes agree, and even where the file passes for a tune."""
    path = learn(tmp_path, processes=processes)
    stores = tmp_path / "stores"
    target = made_up.path_of(stores, "one")
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(f"{line.text}\n" for line in store.read(path).lines)
    assert decide.decide(target, str(stores))[1] == []
    assert "ROW(\"" not in made_up.table_of(stores) and validate.judge([target], str(stores))[1] == []


def test_program_times_in_other_phases_are_refused(tmp_path):
    """A stranger calls a program's times matrix and confirmation."""
    lines = [line.value for line in store.read(learn(tmp_path)).lines]
    target = made_up.path_of(tmp_path / "stores", "one")
    forged = [lines[0]] + [{**line, "phase": phase, "process": line["process"] + 1, "us": line["us"] * 2}
                           for line in lines[1:] for phase in ("matrix", "confirm")]
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(store.dump(line) + "\n" for line in forged)
    assert len(store.read(target).broken) == len(forged) - 1
    a_store = store.Store(target)  # without the schema
    a_store.lines = [store.Line(0, "", line) for line in forged]
    assert all(not run.groups for run in evidence.runs_of(a_store))
    cell = store.cell_of(lines[1])
    assert not evidence.is_served(cell) and evidence.is_served(cell._replace(protocol="cold"))


def test_a_candidate_that_is_slower_in_fresh_processes_gives_no_row(tmp_path):
    tune = matrix_of(tmp_path, learn(tmp_path), lambda *_: 1.1)
    assert tune.plan(tmp_path / "stores") == []
    decisions = tune.confirm(tmp_path / "stores").decide(tmp_path / "stores")
    assert {one["verdict"] for one in decisions} == {"kept"}


@pytest.mark.parametrize("name, change, value", [
    ("incumbent", lambda line: {**line, "us": [us * 1.1 for us in line["us"]]}, 0.1),
    ("varies", lambda line: line, None)])
def test_self_checks(tmp_path, name, change, value):
    """A default that is slower than its own policy by name; policies that all take as long."""
    path, stores = learn(tmp_path), tmp_path / "stores"
    tune = made_up.Tune(made_up.path_of(stores, "one"), wide_wins, within=0.001)
    jobs = learned.plan([store.read(path)], 1 << 36, lambda cells: dict.fromkeys(cells, RULE))[0]
    assert {tuple(policies) for _, policies in jobs} == {tuple(sorted((RULE, WIDE)))}
    for cell, policies in jobs:
        tune.measure("matrix", cell, ["default", *policies])
    right = learned.checks_of(evidence.runs_of(store.read(tune.write().path))[-1])
    assert [(one["name"], one["passed"]) for one in right] == [("incumbent", True), ("varies", True)]
    assert not any(map(lambda line: store.wrong_with(line, "here"), right))
    if name == "varies":
        for line in tune.lines[1:]:
            line["us"] = next(one for one in tune.lines if one.get("n") == line["n"])["us"]
    tune.lines = [change(line) if line.get("variant") == "policy" and line["policy"]["threads"] == 256 else line
                  for line in tune.lines]
    found = learned.checks_of(evidence.runs_of(store.read(tune.write().path))[-1])
    failed, = [one for one in found if not one["passed"]]
    assert failed["name"] == name and (value is None or abs(failed["value"] - value) < 0.01)
    tune.lines += found
    decisions = tune.confirm(stores).decide(stores)
    assert {one["verdict"] for one in decisions} == {"kept"}
    assert any(f"self-check {name} failed" in one["reason"] for one in decisions)


def test_fewer_than_three_confirming_processes_give_no_row(tmp_path):
    tune = matrix_of(tmp_path, learn(tmp_path), processes=2)
    decisions = tune.confirm(tmp_path / "stores").decide(tmp_path / "stores")
    assert {one["verdict"] for one in decisions} == {"rejected"} and "2 of 3 processes" in decisions[0]["reason"]


@pytest.mark.parametrize("us, reason", [(0.1, "less than a launch takes"), (0.3, "GB/s, and no cache of a memory")])
def test_impossible_times_name_no_candidate(tmp_path, capsys, us, reason):
    lines = library_report(wide_wins, sizes=(28,))
    lines[3]["us"] = us
    assert command(write(tmp_path / "a.txt", lines), "--store", tmp_path / "s.jsonl") == 0
    path = str(tmp_path / "s.jsonl")
    assert farm.main(["validate", path, "--stores", str(tmp_path / "none")]) == 1
    assert reason in capsys.readouterr().out
    jobs, refused = learned.plan([store.read(path)], 1 << 36)
    assert not jobs and len(refused) == 1 and reason in refused[0]
    with pytest.raises(store.StoreError, match="no policy was faster"):
        learned.write_plan([path], {"memory_bytes": "1024"}, str(tmp_path / "plan"), "no program")


def test_copied_times_name_no_candidate(tmp_path):
    lines = library_report(wide_wins, sizes=(20,))
    copied = [{**lines[k], "us": us} for k in (2, 3) for us in (5.5, 5.25, 5.125, 5.0625, 5.5)]
    path = write(tmp_path / "a.txt", lines[:2] + copied)
    assert command(path, "--store", tmp_path / "s.jsonl") == 0
    assert "another sample has the same times" in learned.plan([store.read(str(tmp_path / "s.jsonl"))], 0)[1][0]


HOSTILE = ['x"); evil(', "a\nb", "*/", "\u2028", "é", "x" * 300, "sm_90", "portable", "", 7, None, [], {}, True]


@pytest.mark.parametrize("place", [*((0, name) for name in learned.NEEDED), (0, "ecc"), (0, "board"), (0, "bus"),
                                   (0, "l2_bytes"), (0, "peak_gbs"), (1, "primitive"), (1, "op"), (1, "in"),
                                   (1, "key"), (1, "equal")])
def test_hostile_values_are_refused_or_harmless(tmp_path, capsys, place):
    number, name = place
    for value in HOSTILE:
        lines = copy.deepcopy(library_report(wide_wins, sizes=(20,)))
        (lines[0] if number == 0 else lines[1]["call"])[name] = value
        report = write(tmp_path / "a.txt", lines)
        status = command(report, "--store", tmp_path / "s.jsonl")
        said = capsys.readouterr()
        if status:
            assert status == 1 and not os.path.exists(tmp_path / "s.jsonl"), (place, value)
            left_out = number == 1 and f"{report}: no call that a cell describes\nleft out: 3 steps: " in said.err
            assert left_out or f"{report}, line {number + 1}: " in said.err, (place, value)
            assert said.err.replace("\n", "").isprintable() and "evil(\n" not in said.err, (place, value)
            continue
        text = "".join(store.dump(line.value) for line in store.read(str(tmp_path / "s.jsonl")).lines)
        assert "evil" not in text or name == "bus", (place, value)  # (A bus is any printable text: it is in no table.)
        os.unlink(tmp_path / "s.jsonl")


def test_a_missing_member_of_the_device_is_named(tmp_path, capsys):
    for name in learned.NEEDED:
        lines = [{key: value for key, value in DEVICE.items() if key != name}, *LIBRARY[1:]]
        report = write(tmp_path / "a.txt", lines)
        assert command(report, "--store", tmp_path / "s.jsonl") == 1
        assert f"{report}, line 1: the device has no {name}" in capsys.readouterr().err
    assert command(write(tmp_path / "b.txt", PLAIN), "--store", tmp_path / "s.jsonl") == 1
    assert "b.txt, line 1: no line of a device" in capsys.readouterr().err


def test_calls_without_a_cell_are_left_out_and_counted(tmp_path, capsys):
    lines = library_report(wide_wins, sizes=(20,))
    others = [{"user": 1}, {"flags": 4}, {"primitive": "bfs"}, {"primitive": "sorts"}, {"transform": "SQUARE"},
              {"in": "c64"}, {"primitive": "transpose", "op": ""}]
    for change in others:
        lines += [{**LIBRARY[1], "call": {**CALL, **change}}, *library_report(wide_wins, sizes=(20,))[2:]]
    assert command(write(tmp_path / "a.txt", lines), "--store", tmp_path / "s.jsonl") == 0
    said = capsys.readouterr().out
    assert "3 samples of 1 processes" in said
    for count, reason in ((3, "a user's type or operator"), (3, "flags"), (3, "words or types that cells"),
                          (9, "a primitive or a shape that cells"), (3, "an operator or a type that cells")):
        assert f"left out: {count} steps: {reason}" in said
    assert command(write(tmp_path / "b.txt", lines[:1] + lines[5:9]), "--store", tmp_path / "t.jsonl") == 1
    assert "no call that a cell describes" in capsys.readouterr().err and not os.path.exists(tmp_path / "t.jsonl")


@pytest.mark.parametrize("change, expected", [
    ({}, "exclusive_scan SUM u32 n=1000 protocol=cold"),
    ({"primitive": "reduce", "in": "f16", "acc": "f32", "out": "f16"}, "reduce SUM f16 n=1000 protocol=cold"),
    ({"primitive": "reduce", "in": "u8", "acc": "u64", "out": "u64"},
     "reduce SUM u8 out=u64 n=1000 protocol=cold"),
    ({"primitive": "fill", "op": "", "in": "", "acc": "", "out": "u8"}, "fill u8 n=1000 protocol=cold"),
    ({"primitive": "transform", "op": "CONVERT", "in": "f32", "acc": "", "out": "i8"},
     "transform CONVERT f32 out=i8 n=1000 protocol=cold"),
    ({"primitive": "sort", "op": "", "in": "u64", "acc": "", "out": "u64", "key": "f32"},
     "sort f32 payload=u64 n=1000 protocol=cold"),
    ({"primitive": "sort", "op": "", "in": "", "acc": "", "out": "", "key": "f32"}, "sort f32 n=1000 protocol=cold"),
    ({"primitive": "reduce_by_key", "key": "u64"}, "reduce_by_key SUM u32 key=u64 runs=32 n=1000 protocol=cold"),
    ({"primitive": "segmented_reduce", "offset": "u64"},
     "segmented_reduce SUM u32 segments=pareto:64 offsets=u64 n=1000 protocol=cold"),
    ({"primitive": "unique", "op": "", "in": "", "out": "", "acc": "", "key": "u32"},
     "unique u32 runs=4 n=1000 protocol=cold"),
    ({"primitive": "run_lengths", "op": "", "in": "", "out": "", "acc": "", "key": "u32", "out2": "u64"},
     "run_lengths u32 lengths=u64 runs=4 n=1000 protocol=cold"),
    ({"primitive": "select", "op": "LESS", "acc": ""}, "select u32 keep=50 n=1000 protocol=cold"),
    ({"primitive": "select", "op": "", "acc": "", "key": "u8"},
     "select u32 form=flags key=u8 keep=50 n=1000 protocol=cold"),
    ({"primitive": "count_if", "op": "LESS", "acc": "", "out": "u64"}, "count_if u32 keep=50 n=1000 protocol=cold"),
    ({"primitive": "histogram_even", "op": "", "in": "f32", "acc": ""},
     "histogram_even f32 bins=256 n=1000 protocol=cold"),
    ({"primitive": "lower_bound", "op": "LESS", "acc": "", "key": "u32"},
     "lower_bound u32 haystack=65536 n=1000 protocol=cold"),
])
def test_calls_as_cells(change, expected):
    assert learned.cell_of({**CALL, **change}, 1000).text == expected


def test_the_store_is_a_new_one(tmp_path, capsys):
    report = write(tmp_path / "a.txt", LIBRARY)
    for name, reason in (("s.txt", "ends in .jsonl"), ("a.jsonl", "it exists")):
        (tmp_path / "a.jsonl").write_text("mine\n")
        assert command(report, "--store", tmp_path / name) == 2 and reason in capsys.readouterr().err
    assert (tmp_path / "a.jsonl").read_text() == "mine\n"
    for name in ("b.jsonl", "c.jsonl"):
        assert command(report, "--store", tmp_path / name) == 0
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "c.jsonl").read_bytes()


def test_other_readers_take_such_a_store(tmp_path, capsys):
    """Commands on stores, and the dashboard."""
    path = learn(tmp_path)
    for arguments in (["list", path], ["query", path, "protocol=program"], ["trust", path],
                      ["merge", path, "--out", str(tmp_path / "m.jsonl")]):
        assert farm.main(arguments) == 0, arguments
    assert "commit version 0.2.0" in capsys.readouterr().out
    file = dashboard_read.read(path, "Example One", "2026-01-02.learned.jsonl.gz")
    assert file.kind == "farm" and file.farm.samples["search", "ok"] == 18
    assert not [notice for notice in file.notices if notice.kind == "bad"], file.notices


def test_a_tune_of_what_programs_learned_has_no_search(tmp_path, capsys):
    for option in (["--quick"], ["--primitives", "copy"], ["--seconds", "5"]):
        with pytest.raises(SystemExit) as end:
            farm.main(["tune", "--learned", "s.jsonl", *option])
        assert end.value.code == 2 and "--learned has no search" in capsys.readouterr().err
