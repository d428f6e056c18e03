#!/usr/bin/env bash
# Checks whether this machine can measure at night. Prints what it has and lacks, and the label for its runner. Changes
# nothing. Exit status: 0 it can; 1 something necessary is missing.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

missing=0
good() { printf 'ok       %s\n' "$*"; }
lack() { printf 'missing  %s\n' "$*"; missing=1; }
note() { printf 'note     %s\n' "$*"; }

name=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null)
if [ -n "$name" ]; then
  while IFS=, read -r device capability driver; do
    good "GPU: $device, compute capability$capability, driver$driver"
    label=gpu-sm$(tr -d ' .' <<<"$capability")
  done <<<"$name"
else
  lack "a GPU that nvidia-smi lists: NVIDIA's driver"
fi

if [ -n "${GITHUB_ACTIONS:-}" ] && [ -e build ]; then
  lack "a fresh working tree: an earlier job's build/ is here, and nobody knows what is in it"
fi
python=${PYTHON:-python3}
for tool in gcc make git tar; do
  if command -v "$tool" >/dev/null; then good "$tool"; else lack "$tool: apt-get install $tool"; fi
done
if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  good "$("$python" --version)"
else
  lack "Python 3.11 or later"
fi
for module in numpy scipy; do
  if "$python" -c "import $module" 2>/dev/null; then good "$module"; else lack "$module: pip install $module"; fi
done

toolkit=${CUDA_HOME:-} # or where the system looks
if ldconfig -p 2>/dev/null | grep -q libnvrtc.so || compgen -G "$toolkit/lib64/libnvrtc.so*" >/dev/null 2>&1 ||
  "$python" -c 'import nvidia.cuda_nvrtc' 2>/dev/null; then
  good "NVRTC"
else
  lack "libnvrtc: of the CUDA toolkit (CUDA_HOME says where), or pip install nvidia-cuda-nvrtc"
fi
if command -v nvcc >/dev/null || [ -x "$toolkit/bin/nvcc" ]; then
  good "nvcc: peers can be compiled"
else
  note "no nvcc: ours is measured without CUB and Thrust beside it"
fi

clocks=$(nvidia-smi --query-gpu=clocks.max.sm --format=csv,noheader,nounits 2>/dev/null | head -n 1)
if [ -n "$clocks" ]; then
  if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; then
    note "clocks can be locked: ci/runner/clocks.sh lock, before a night; ci/runner/clocks.sh unlock after it"
  else
    note "clocks cannot be locked by this user: noise is larger, fewer rows are confirmed; nothing is wrong with that"
  fi
fi
others=$(nvidia-smi --query-compute-apps=pid,name --format=csv,noheader 2>/dev/null)
if [ -n "$others" ]; then note "the GPU is in use: $others"; fi

if [ "$missing" = 0 ]; then printf 'label    %s\n' "${label:-gpu}"; fi
exit "$missing"
