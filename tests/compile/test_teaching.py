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
