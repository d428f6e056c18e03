"""docs/python/tour.ipynb: runs from the first cell to the last, prints what is committed, and has its pictures. The
packages of docs/python/requirements.txt are needed; test_install.py runs it with them in the long tests."""
import os

import pytest
from conftest import BUILT, ROOT

REASON = "no notebooks: pip install -r docs/python/requirements.txt"
nbclient = pytest.importorskip("nbclient", reason=REASON)
nbformat = pytest.importorskip("nbformat", reason=REASON)
pytest.importorskip("ipykernel", reason=REASON)
pytest.importorskip("matplotlib", reason=REASON)

PATH = os.path.join(ROOT, "docs", "python", "tour.ipynb")


def said(notebook):
    """What the cells print."""
    return ["".join(one.text for one in cell.outputs if one.output_type == "stream" and one.name == "stdout")
            for cell in notebook.cells if cell.cell_type == "code"]


def pictures(notebook):
    return [sum(one.get("data", {}).get("image/png", "").startswith("iVBOR") for one in cell.outputs)
            for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.turn
def test_the_notebook(monkeypatch):
    if os.environ.get("GPUPRIMS_INSTALLED") != "1":
        monkeypatch.setenv("PYTHONPATH", BUILT)
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    committed = nbformat.read(PATH, 4)
    fresh = nbformat.read(PATH, 4)
    for cell in fresh.cells:
        cell.pop("outputs", None) if cell.cell_type != "code" else cell.outputs.clear()
    nbclient.NotebookClient(fresh, timeout=300, kernel_name="python3").execute()  # an error of a cell is one here
    assert said(fresh) == said(committed) and any(said(fresh))
    assert pictures(fresh) == pictures(committed) and sum(pictures(fresh)) == 5


def test_what_is_committed():
    notebook = nbformat.read(PATH, 4)
    nbformat.validate(notebook)
    assert all(cell.execution_count is None and not cell.metadata for cell in notebook.cells
               if cell.cell_type == "code"), "clear execution counts and metadata"
    assert max(len(line) for cell in notebook.cells for line in cell.source.splitlines()) <= 120
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        assert "(python/tour.ipynb)" in file.read()
