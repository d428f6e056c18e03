"""setup.py: copies the header from the repository around this folder, generates what the package takes from it, builds.

A source distribution has the header in header/, and nothing is copied.
"""
import os
import re
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import generate  # noqa: E402

HEADER = os.path.join(HERE, "header")


def copy_header():
    os.makedirs(HEADER, exist_ok=True)
    for name in ("gpuprims.h", "gpuprims_policies.h", "LICENSE"):
        source, copy = os.path.join(HERE, "..", name), os.path.join(HEADER, name)
        if not os.path.exists(source):
            if not os.path.exists(copy):
                sys.exit(f"setup.py: {name} is neither in the repository around python/ nor in header/")
            continue
        with open(source, "rb") as file:
            text = file.read()
        if os.path.exists(copy):
            with open(copy, "rb") as file:
                if file.read() == text:
                    continue
        shutil.copyfile(source, copy)


def version():
    with open(os.path.join(HEADER, "gpuprims.h"), encoding="utf-8") as file:
        return re.search(r'^#define GPUPRIMS_VERSION "(.*)"', file.read(), re.M).group(1)


class BuildWithStub(build_py):
    """Writes raw.pyi beside the modules."""

    def run(self):
        super().run()
        if not self.editable_mode:
            path = os.path.join(self.build_lib, "gpuprims", "raw.pyi")
            self.mkpath(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as file:
                file.write(generate.Interface(os.path.join(HEADER, "gpuprims.h")).stub())


copy_header()
setup(version=version(), cffi_modules=["bindings.py:ffi"], cmdclass={"build_py": BuildWithStub},
      options={"bdist_wheel": {"py_limited_api": "cp310"}})
