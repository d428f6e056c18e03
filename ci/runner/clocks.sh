#!/usr/bin/env bash
# Locks the SM clock of this machine's GPUs, if the user may, to remove boost from the noise; or unlocks it.
#     ci/runner/clocks.sh lock [MHZ] | unlock        MHZ: by default three quarters of the highest clock
# Without permission it says so and exits with 0: the night measures anyway, and the store records the clocks.
set -uo pipefail

smi() { if [ "$(id -u)" = 0 ]; then nvidia-smi "$@"; else sudo -n nvidia-smi "$@"; fi; }
case "${1:-}" in
lock)
  most=$(nvidia-smi --query-gpu=clocks.max.sm --format=csv,noheader,nounits 2>/dev/null | sort -n | head -n 1)
  clock=${2:-$((${most:-0} * 3 / 4))}
  if [ "$clock" -gt 0 ] && smi --lock-gpu-clocks="$clock,$clock" >/dev/null 2>&1; then
    echo "clocks: locked at $clock MHz"
  else
    echo "clocks: not locked: no GPU, or no permission"
  fi
  ;;
unlock)
  if smi --reset-gpu-clocks >/dev/null 2>&1; then echo "clocks: unlocked"; else echo "clocks: were not locked by us"; fi
  ;;
*)
  echo "usage: ci/runner/clocks.sh lock [MHZ] | unlock" >&2
  exit 2
  ;;
esac
