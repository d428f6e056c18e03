"""docs/teaching.md: the page is what the measurements say; made-up counters show conflicts and camping, or that there
are none; nothing measured names the commands; each step has questions and answers."""
import json
import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [ROOT, os.path.join(ROOT, "tools")]
import teaching  # noqa: E402

from tools.paper import harris, sources  # noqa: E402

TOPICS = ("ladder", "ladder_counters", "transfers")


@pytest.mark.turn
def test_the_page_is_current():
    assert teaching.main(["--check"]) == 0
    assert os.path.exists(teaching.PICTURE)


def kernel(family, name, conflicts, slices, elements=1024):
    return {"family": family, "name": name, "elements": elements, "width": 0, "instructions_an_element": 4.0,
            "conflicts_loads": conflicts, "conflicts_stores": 0 if conflicts is not None else None,
            "load_sectors": 4.0, "store_sectors": None, "slices": slices, "channels": 1.0}


def page(tmp_path, kernels):
    folder = tmp_path / "made-up-1"
    folder.mkdir(exist_ok=True)
    (folder / "2026-11-21.ladder_counters.abc.json").write_text(json.dumps({"device": "Made-up 1", "kernels": kernels}))
    return teaching.page(sources.devices_of(str(tmp_path), TOPICS)).replace("\n", " ")


@pytest.mark.parametrize("second, third, slices, said", [
    (5000, 10, 1.02, ("today's banks conflict", "nobody camps")),
    (12, 10, 2.5, ("do not conflict here", "are camped on")),
    (None, None, None, ("the counters that show it are missing",))])
def test_counters_by_hand(tmp_path, second, third, slices, said):
    text = page(tmp_path, [kernel("reduction", "2", second, 1.0), kernel("reduction", "3", third, 1.0),
                           kernel("transpose", "naive", None, 9.0, 64), kernel("transpose", "naive", None, slices)])
    for one in said:
        assert one in text
    assert "| reduction | 2 | 1,024 | 4.0 |" in text


def test_nothing_measured(tmp_path):
    text = teaching.page(sources.devices_of(str(tmp_path), TOPICS)).replace("\n", " ")
    assert text.count("Not measured yet: ") == 5 and "teaching-sums.svg" not in text
    for command in ("build/ladder.json", "tools.quality.ladder", "build/transfers.json"):
        assert command in text


def made_up_transfers(tmp_path, ways):
    """The page, of a device whose ways of transfers.c take so many us for the smaller and the larger array."""
    folder = tmp_path / "made-up-1"
    folder.mkdir(exist_ok=True)
    rows = [{"way": way, "bytes": bytes_, "us": us, "gbs": 1e-3 * bytes_ / us} for way, both in ways.items()
            for bytes_, us in zip((1 << 16, 1 << 28), both)]
    (folder / "2026-11-21.transfers.abc.json").write_text(json.dumps({"device": "Made-up 1", "rows": rows}))
    text = teaching.page(sources.devices_of(str(tmp_path), TOPICS))
    return text[text.index("## 5. Transfers"):text.index("## Exercises")]


def test_transfers_beside_kernels(tmp_path):
    ways = {"pageable to device": (30, 40000), "page-locked to device": (10, 5000)}
    before = made_up_transfers(tmp_path, ways)
    assert f"`{harris.MEASURES_TRANSFERS}` measures them" in " ".join(before.split())
    for way in (harris.ALONE, harris.AFTER, *harris.BESIDE):  # no zeros
        assert f"| {way} |  | not measured | not measured |" in before
    ways |= {harris.ALONE: (90, 4000), harris.AFTER: (100, 9000), harris.BESIDE[0]: (200, 6250),
             harris.BESIDE[1]: (300, 5600)}
    assert before.count("not measured") == 11 and made_up_transfers(tmp_path, ways).count("not measured") == 3
    text = made_up_transfers(tmp_path, {**ways, harris.BESIDE[2]: (400, 6000)})
    assert "not measured" not in text and f"| {harris.BESIDE[1]} | 268,435,456 | 5,600.0 | 47.93 |" in text
    text = " ".join(text.split())
    assert "the copy takes 5,000 us, the kernels 4,000, one after the other 9,000." in text
    assert "they take 5,600 (16 chunks, 2 streams): 1.61 x as fast." in text
    assert "The longer of the two bounds this to 1.80 x." in text


def test_ways_are_those_of_the_program():
    with open(os.path.join(ROOT, "examples", "ladder", "transfers.c"), encoding="utf-8") as file:
        text = file.read()
    for way in (harris.ALONE, harris.AFTER, *harris.BESIDE):
        assert f'"{way}"' in text
    assert "NEGATIONS = 31" in text


def test_every_step_has_questions_and_answers():
    assert list(teaching.QUESTIONS) == list(teaching.ANSWERS) == list(teaching.TITLES)
    for family, questions in teaching.QUESTIONS.items():
        assert len(questions) == len(teaching.ANSWERS[family]) > 1


def test_printed_times_of_every_step():
    """What the slides print and files may lack: float3 through shared memory, the transposes, 16 Mi elements."""
    table = harris.PRINTED_US
    assert table["floats", 3 << 20, 0, "float3 shared"] == 359
    assert table["transpose", 1024 * 2048, 1024, "padded"] == pytest.approx(790)
    assert 4e-3 * (16 << 20) / table["reduction", 16 << 20, 0, "7"] == pytest.approx(72)
    assert len(table) == 7 + 1 + 6 + 8
