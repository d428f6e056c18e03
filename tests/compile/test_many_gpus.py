"""docs/many-gpus.md is what tools/world_model.py makes of the measurements."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import world_model  # noqa: E402


def test_the_page_is_current():
    done = subprocess.run([sys.executable, "tools/world_model.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "tools/world_model.py"


def row(cell, n, ranks, us, alone, **more):
    return {"cell": cell, "n": n, "ranks": ranks, "us": us, "alone_us": alone, "rate": alone / us, "blocking": 1,
            **more}


def test_every_kind_of_row_has_its_table(monkeypatch):
    """Weak and strong scaling, small calls, and searches whose times are medians of their sources."""
    weak = {"smallest_us": 10.0, "link_gb_s": 200.0}
    search = {"gteps": 3.0, "sources": 8, "smallest_us": 10.0}
    small = {"graph_us": 14.5, "train_us": 9.0, "smallest_us": 10.0, "smallest_graph_us": 12.0,
             "smallest_train_us": 6.5}
    cells = ("reduce SUM f32", "inclusive_scan SUM u32", "sort u32")
    rows = [row(cell, 1 << 28, ranks, 150.0, 75.0, **weak) for cell in cells for ranks in (1, 2)]
    rows += [row("bfs kronecker", ranks << 20, ranks, 80.0 * ranks, 60.0, **search) for ranks in (1, 2)]
    rows += [row("sort u32", 1 << 26, 4, 90.0, 144.0, strong=1, **weak),
             row("bfs kronecker", 1 << 24, 2, 50.0, 60.0, strong=1, **search),
             row("reduce SUM f32", 1024, 2, 13.25, 5.0, **small)]
    monkeypatch.setattr(world_model, "measured", lambda: ("x/y.jsonl", rows))
    lines = world_model.tables()
    text = " ".join(lines)
    assert "gp_bfs alone takes 0.75 of the time of a world of one, medians of 8 sources." in text
    assert "| sort u32 | 67,108,864 | 4 | 90.0 | 144.0 | 1.60 |" in lines
    assert "| bfs kronecker | 16,777,216 | 2 | 50.0 | 60.0 | 1.20 |" in lines
    assert "| reduce SUM f32 | 1,024 | 2 | 13.2 | 3.2 | 14.5 | 2.5 | 9.0 | 2.5 |" in lines
    assert sum(line.startswith("| sort u32 | 2") for line in lines) == 1 + len(world_model.SIZES)
    assert "3 GTEPS on 1 of 1,048,576 vertices, 3 GTEPS on 2 of 2,097,152 vertices" in text
    for line in rows:
        line.pop("sources", None)
    assert "it will be measured again" in " ".join(world_model.tables())
