"""The documentation's site shows text as pages, and copies other files (tools/docs_site.py, without MkDocs)."""
import glob
import os
import sys
import types

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(name="site")
def site_fixture(monkeypatch):
    files = types.SimpleNamespace(File=None, InclusionLevel=None)
    for name in ("mkdocs", "mkdocs.structure", "mkdocs.structure.files"):
        monkeypatch.setitem(sys.modules, name, files)
    monkeypatch.syspath_prepend(os.path.join(ROOT, "tools"))
    monkeypatch.delitem(sys.modules, "docs_site", raising=False)
    import docs_site  # with the modules above
    yield docs_site
    sys.modules.pop("docs_site", None)


def test_what_is_no_text_is_copied(site):
    assert site.place_of("tools/venv.py") == ("files/tools/venv.py.md", "tools/venv.py")
    assert site.place_of("README.md") == ("files/README.md", "README.md")
    packed = [os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "ci/measurements/*/*.gz"))]
    assert len(packed) > 10
    for path in [*packed, "gpuprims.h", "ci/measurements/nvidia-h200/today.svg"]:
        assert site.place_of(path) == (f"files/{path}", path) and site.text_for(path) is None
