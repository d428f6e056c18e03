"""tools/quality: criteria of made-up counters with known answers, and what missing or broken reports become."""
import math
import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from tools.quality import criteria, feedback, metrics, reports  # noqa: E402

# A kernel on a device of compute capability 9.0 with 100 multiprocessors.
KERNEL = {"capability": 90, "multiprocessors": 100, "block": 256, "grid": 10000, "registers": 32, "static_shared": 1024,
          "dynamic_shared": 0, "threads": 2560000, "warps": 80000, "nanoseconds": 1000.0, "cycles": 1000.0,
          "active_warps": 0.75, "achieved": 0.8, "warps_mean": 45.0, "warps_most": 60.0,
          "threads_per_instruction": 24.0, "barrier": 0.2, "gap": 0.1, "int_instructions": 1.28e6,
          "sp_instructions": 1.92e6, "dp_instructions": 0.0, "shared_loads": 10, "shared_stores": 10, "local_loads": 5,
          "local_stores": 5, "texture_loads": 0, "global_loads": 20, "global_stores": 10, "shared_wavefronts": 300.0,
          "l2_to_sm_bytes": 8000.0, "sm_to_l2_bytes": 1600.0, "dram_share": 0.9, "problem_bytes": 900.0,
          "copied_bytes": 100.0, "overlapped_bytes": 50.0}


def without(*keys):
    return {key: value for key, value in KERNEL.items() if key not in keys}


# ---- criteria


def test_each_criterion_has_its_known_value():
    printed, meant = criteria.as_printed(KERNEL), criteria.as_meant(KERNEL)
    assert printed == pytest.approx({"OC": 0, "LB": 0.75, "WE": 1, "SO": 0.15, "IO": 1 - 3.2e6 / 1.28e7,
                                     "MH": 30 / 60, "MC": 0.9, "DT": 0.45})
    assert meant == pytest.approx({"OC": 1, "LB": 0.75, "WE": 0.75, "SO": 0.85, "IO": 0.75, "MH": 38400 / 48000,
                                   "MC": 0.9, "DT": 0.95})


def test_defaults_are_one_of_the_two_and_each_has_a_reason():
    values = criteria.criteria(KERNEL)
    assert set(values) == set(criteria.DEFAULT) == set(criteria.WHY) == set(criteria.WEIGHTS) == set(criteria.NAMES)
    assert values["SO"] == pytest.approx(0.85) and values["OC"] == 1


@pytest.mark.parametrize("key, name", [
    ("registers", "OC"), ("dynamic_shared", "OC"), ("active_warps", "LB"), ("threads_per_instruction", "WE"),
    ("barrier", "SO"), ("gap", "SO"), ("cycles", "IO"), ("sp_instructions", "IO"), ("shared_wavefronts", "MH"),
    ("sm_to_l2_bytes", "MH"), ("dram_share", "MC"), ("copied_bytes", "DT")])
def test_a_missing_counter_is_no_data_and_not_zero(key, name):
    values = criteria.criteria(without(key))
    assert values[name] is None
    assert {other for other in values if values[other] is None} == {name}
    qm, missing = criteria.quality(values)
    assert missing == [name] and 0 < qm < 1


def test_no_counters_at_all():
    values = criteria.criteria({})
    assert set(values.values()) == {None}
    assert criteria.quality(values) == (None, list(criteria.NAMES))
    assert criteria.of_primitive([]) == values and feedback.advise(values, {}) == "no data"


def test_no_shared_memory_is_a_low_criterion_and_no_access_none():
    assert criteria.criteria({**KERNEL, "shared_wavefronts": 0.0})["MH"] == 0
    idle = {**KERNEL, "shared_wavefronts": 0.0, "l2_to_sm_bytes": 0.0, "sm_to_l2_bytes": 0.0}
    assert criteria.criteria(idle)["MH"] is None


def test_criteria_stay_within_bounds():
    wild = {**KERNEL, "active_warps": 1.02, "dram_share": 1.3, "threads_per_instruction": 33, "int_instructions": 1e12}
    assert all(0 <= value <= 1 for of in (criteria.as_printed, criteria.as_meant) for value in of(wild).values())


# ---- occupancy


@pytest.mark.parametrize("capability, registers, shared, block, grid, expected, limit", [
    (90, 32, 0, 256, 10000, 1.0, "threads"),
    (90, 64, 0, 256, 10000, 0.5, "registers"),      # 4 blocks of 8 warps, each warp 2048 registers
    (90, 168, 0, 256, 10000, 0.125, "registers"),   # 5376 a warp: 3 a scheduler, 12 warps, one block of 8
    (90, 32, 100 << 10, 256, 10000, 0.25, "shared memory"),
    (90, 16, 0, 32, 10000, 0.5, "block slots"),
    (75, 32, 0, 1024, 10000, 1.0, "threads"),
    (86, 40, 0, 1024, 10000, 1024 / 1536, "threads"),
    (90, 32, 0, 256, 1, 256 / (100 * 2048), "grid"),  # one block
    (90, 32, 0, 250, 10000, 1.0, "threads"),          # a ragged warp
    (90, 255, 0, 1024, 10000, 0.0, "registers"),      # cannot be launched
])
def test_occupancy_of_a_launch(capability, registers, shared, block, grid, expected, limit):
    value, limited = criteria.occupancy(capability, registers, shared, block, grid, 100)
    assert value == pytest.approx(expected)
    assert limited == limit


def test_occupancy_of_an_unknown_device_or_launch():
    assert criteria.occupancy(70, 32, 0, 256, 100, 80) == (None, "no limits known for compute capability 70")
    assert criteria.occupancy(90, None, 0, 256, 100, 80)[0] is None
    assert criteria.occupancy(90, 32, 0, 0, 100, 80)[0] is None


# ---- weights


def test_quality_is_the_weighted_mean():
    zero = dict.fromkeys(criteria.NAMES, 0.0)
    assert criteria.quality(dict.fromkeys(criteria.NAMES, 1.0)) == (1.0, [])
    assert criteria.quality({**zero, "MH": 1.0})[0] == pytest.approx(100 / 405)
    assert criteria.quality({**zero, "MH": 1.0}, names=criteria.IN_PRINTED_QM)[0] == pytest.approx(100 / 395)
    assert criteria.quality({**zero, "SO": 1.0}, names=criteria.IN_PRINTED_QM)[0] == 0
    assert criteria.quality({**zero, "MH": 1.0, "DT": None}) == (pytest.approx(100 / 355), ["DT"])


def test_a_primitive_weighs_its_kernels_by_time():
    slow, fast = {**KERNEL, "nanoseconds": 3000.0}, {**KERNEL, "dram_share": 0.1, "nanoseconds": 1000.0}
    assert criteria.of_primitive([slow, fast])["MC"] == pytest.approx(0.7)
    assert criteria.of_primitive([slow, {**fast, "dram_share": None}])["MC"] is None
    assert set(criteria.of_primitive([slow, without("nanoseconds")]).values()) == {None}
    assert criteria.of_primitive([without("nanoseconds")])["MC"] == 0.9  # one kernel needs no weight


def test_gaps_between_kernels():
    two = [{"nanoseconds": 3000.0}, {"nanoseconds": 1000.0}]
    assert criteria.gap_between(two, 5.0) == pytest.approx(0.2)
    assert criteria.gap_between(two, 3.0) == 0  # (ncu's clock and the other run differ)
    assert criteria.gap_between(two[:1], 5.0) == 0
    assert criteria.gap_between(two, None) is None and criteria.gap_between([], 5.0) is None


# ---- feedback


def test_feedback_takes_the_most_weighted_gain():
    values = {"OC": 0.1, "LB": 0.9, "WE": 0.5, "SO": 0.0, "IO": 0.9, "MH": 0.8, "MC": 0.5, "DT": None}
    assert feedback.gains(values)[0] == (pytest.approx(50), "MC")  # 100 * 0.5, before 30 * 0.9
    assert feedback.gains(values, {**criteria.WEIGHTS, "OC": 300})[0][1] == "OC"
    stalls = {"barrier": 0.72, "wait": 0.1, "selected": 0.18}
    text = feedback.advise(values, {**KERNEL, "dram_share": 0.5, "stalls": stalls, "load_sectors": 9.5})
    assert "MC 0.50" in text and "DRAM works at 50 %" in text and "9.5 sectors" in text
    assert "72 % of the warps' cycles wait at barriers" in text
    assert feedback.stall_words({"stalls": {"selected": 0.9, "wait": 0.1}}) == \
        "10 % of the warps' cycles wait a fixed latency"
    assert feedback.advise(dict.fromkeys(criteria.NAMES, 1.0), KERNEL) == "every criterion is at 1"


@pytest.mark.parametrize("name", list(criteria.NAMES))
def test_each_criterion_has_words_and_stands_missing_counters(name):
    values = {**dict.fromkeys(criteria.NAMES, 1.0), name: 0.0}
    assert feedback.USUAL[name] in feedback.advise(values, KERNEL)
    assert feedback.USUAL[name] in feedback.advise(values, {})


def test_beside_a_peer():
    ours, peer = criteria.criteria(KERNEL), criteria.criteria({**without("barrier"), "dram_share": 0.6})
    text = feedback.compare(ours, peer, "cub")
    assert "cub" in text and "MC +0.30" in text and "SO" not in text


# ---- metrics and reports


def test_counters_take_the_first_alternative_and_scale():
    raw = {"gpu__time_duration.avg": 5.0, "dram__throughput.avg.pct_of_peak_sustained_elapsed": 80.0,
           "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": 3.0,
           "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio": 1.0,
           "smsp__average_warps_issue_stalled_barrier_not_issued_per_issue_active.ratio": 9.0}
    found = metrics.counters_of(raw)
    assert found["nanoseconds"] == 5 and found["dram_share"] == pytest.approx(0.8)
    assert found["barrier"] == pytest.approx(0.75) and "cycles" not in found
    assert metrics.counters_of({}) == {}


def test_every_counter_of_the_criteria_is_in_the_table():
    for key in KERNEL:
        assert key in metrics.BY_KEY or key in ("capability", "gap", "problem_bytes", "copied_bytes",
                                                "overlapped_bytes")
    asked, lacking = metrics.requested()
    assert not lacking
    assert len(set(asked)) == len(asked) and not [name for name in asked if name.startswith("launch__")]
    asked, lacking = metrics.requested({"dram__throughput", "smsp__inst_executed_op_shared_ld"})
    assert "dram__throughput.avg.pct_of_peak_sustained_elapsed" in asked and "dram__bytes.sum" in lacking
    assert "smsp__inst_executed_op_shared_ld.sum" in asked  # one of the alternatives is enough
    assert "smsp__sass_inst_executed_op_shared_ld.sum" not in asked
    assert "smsp__sass_thread_inst_executed_op_integer_pred_on.sum" in asked and len(asked) < 20


WIDE = '''gp_bench says something
==PROF== Connected to process 7
"ID","Kernel Name","Block Size","Grid Size","CC","dram__bytes.sum","gpu__time_duration.sum","launch__grid_size"
"","","","","","Mbyte","us",""
"0","gp_profile_mark","(32, 1, 1)","(3, 1, 1)","9.0","0","1.5","3"
"1","void a<int, 4>(int *)","(256, 2, 1)","(1000, 1, 1)","9.0","1,234.5","2,000","n/a"
"2","cut","(2
'''
LONG = '''==PROF== Disconnected
"ID","Process ID","Kernel Name","Block Size","Grid Size","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","7","a","(256, 1, 1)","(10, 1, 1)","8.0","Command line","dram__bytes.sum","Kbyte","2"
"0","7","a","(256, 1, 1)","(10, 1, 1)","8.0","Command line","gpu__time_duration.sum","nsecond","3,000"
"1","7","b","(64, 1, 1)","(1, 1, 1)","8.0","Command line","gpu__time_duration.sum","msecond","1"
'''
OLD = LONG.replace('"Block Size","Grid Size","CC",', "").replace('"(256, 1, 1)","(10, 1, 1)","8.0",', "").replace(
    '"(64, 1, 1)","(1, 1, 1)","8.0",', "")


def test_a_row_a_kernel():
    mark, kernel = reports.read_csv(WIDE)  # the row that was cut short is left out
    assert (mark["name"], mark["grid"]) == ("gp_profile_mark", 3)
    assert kernel["block"] == 512 and kernel["capability"] == 90
    assert kernel["raw"] == {"dram__bytes.sum": 1234.5e6, "gpu__time_duration.sum": pytest.approx(2e6)}


@pytest.mark.parametrize("text", [LONG, OLD])
def test_a_row_a_metric(text):
    a, b = reports.read_csv(text)
    assert a["raw"] == {"dram__bytes.sum": 2000, "gpu__time_duration.sum": pytest.approx(3000)}
    assert b["raw"] == {"gpu__time_duration.sum": pytest.approx(1e6)}
    assert a["grid"] == (10 if text is LONG else None)


@pytest.mark.parametrize("cut", range(0, len(WIDE), 37))
def test_a_report_cut_short_gives_whole_kernels_or_a_reason(cut):
    try:
        kernels = reports.read_csv(WIDE[:cut])
    except reports.ReportError as error:
        assert str(error) == "the report has no kernels"
        return
    for kernel in kernels:
        assert kernel["raw"].get("dram__bytes.sum") in (0, 1234.5e6, None)


@pytest.mark.parametrize("unit, scale", [
    ("nsecond", 1), ("ns", 1), ("us", 1e3), ("usecond", 1e3), ("ms", 1e6), ("s", 1e9), ("second", 1e9), ("byte", 1),
    ("Kbyte/block", 1e3), ("Gbyte", 1e9), ("%", 1), ("", 1), ("inst", 1), ("Ghz", 1e9), ("register/thread", 1),
    ("Minst", 1e6), ("sectors/req", 1), ("warp", 1)])
def test_units(unit, scale):
    assert math.isclose(reports.scale_of(unit), scale)


@pytest.mark.parametrize("text", ["n/a", "", "nan", "inf", "(1, 2, 3)", None])
def test_words_are_no_numbers(text):
    assert reports.number_of(text) is None


@pytest.mark.parametrize("output, words", [
    ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "no permission"),
    ("==ERROR== Failed to initialize the profiler: LibraryNotLoaded", "library does not load"),
    ("==WARNING== No kernels were profiled.", "saw no kernel"),
    ("==ERROR== Out of memory while saving", "cannot replay"),
    ("==ERROR== Something new", "ncu: Something new")])
def test_reasons_have_words(output, words):
    assert words in reports.first_error(output)
    with pytest.raises(reports.ReportError, match=words):
        reports.read_csv(output)


def test_refused_metrics():
    text = '==ERROR== Failed to find metric smsp__no_such.sum\n==PROF== dram__bytes.sum\n'
    assert reports.refused_metrics(text) == ["smsp__no_such.sum"]


def test_ncu_report_module(tmp_path):
    class Metric:
        def __init__(self, value, unit):
            self.value, self.text = value, unit

        def as_double(self):
            if self.value is None:
                raise ValueError
            return self.value

        def unit(self):
            return self.text

    table = {"gpu__time_duration.sum": Metric(2.0, "us"), "launch__grid_size": Metric(7.0, ""),
             "words": Metric(None, None)}

    class Action:
        def name(self):
            return "a"

        def metric_names(self):
            return list(table)

        def metric_by_name(self, name):
            return table[name]

    class Report:
        def load_report(self, path):
            if "broken" in path:
                raise RuntimeError("not a report")
            return self

        def num_ranges(self):
            return 1

        def range_by_idx(self, index):
            return self

        def num_actions(self):
            return 2

        def action_by_idx(self, number):
            return Action()

    kernels = reports.read_module("x", Report())
    assert len(kernels) == 2 and kernels[0]["grid"] == 7
    assert kernels[0]["raw"]["gpu__time_duration.sum"] == pytest.approx(2000)
    with pytest.raises(reports.ReportError, match="not a report"):
        reports.read_module("broken", Report())
    with pytest.raises(reports.ReportError, match="no report"):
        reports.read_file(str(tmp_path / "none.ncu-rep"))


def test_the_page_has_the_table_of_metrics_and_each_reason():
    with open(os.path.join(ROOT, "docs", "quality.md"), encoding="utf-8") as file:
        page = file.read()
    assert metrics.table() in page  # python3 -c 'from tools.quality import metrics; print(metrics.table())'
    words = " ".join(page.split())
    for name, why in criteria.WHY.items():
        assert f"- **{name}.** {why}" in words
        assert f"| {name}, {criteria.NAMES[name]} | {criteria.WEIGHTS[name]} |" in page
        assert page.split(f"| {name}, ")[1].split("\n")[0].endswith(f"| {criteria.DEFAULT[name]} |")
