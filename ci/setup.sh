#!/usr/bin/env bash
# What the steps that need no GPU run on: the Python environment under build/venv, and, with --nvrtc, NVRTC of PyPI,
# which the steps after it find. In a workflow both are put into the environment of the steps that follow.
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
