#!/usr/bin/env bash
# Sets up the steps without a GPU: the Python environment under build/venv and, with --nvrtc, PyPI's NVRTC. A workflow's
# later steps get both in their environment.
set -euo pipefail
cd "$(dirname "$0")/.."
make --no-print-directory venv
bin=$PWD/build/venv/bin
libraries=
if [ "${1:-}" = --nvrtc ]; then
  "$bin/python" -m pip install --quiet --require-hashes -r ci/nvrtc.lock
  libraries=$("$bin/python" -c 'import glob, os, nvidia
print(os.path.dirname(sorted(path for place in nvidia.__path__
                             for path in glob.glob(place + "/*/lib/libnvrtc.so.*"))[0]))')
fi
if [ -n "${GITHUB_ENV:-}" ]; then
  echo "$bin" >>"$GITHUB_PATH"
  if [ -n "$libraries" ]; then echo "LD_LIBRARY_PATH=$libraries" >>"$GITHUB_ENV"; fi
else
  echo "PATH=$bin:\$PATH${libraries:+ LD_LIBRARY_PATH=$libraries}"
fi
