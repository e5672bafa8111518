#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# guides.sh [ray] [petastorm] [ludwig]: makes an environment for each of these tools in .deps/peers-NAME, once, and
# all three when none is named: 0.6 GiB in all beside .deps/peers, whose packages each of them sees behind its own.
# Only what docs/moving-in.md shows of the tools needs them. All packages are wheels of the versions named here.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
readonly kDiskNeededGb=2
# What .deps/peers does not have already.
readonly kRay=(ray==2.60.0 certifi==2026.10.19.post1 charset-normalizer==3.5.3 msgpack==1.2.4 requests==2.34.2
  tensorboardX==2.6.5 urllib3==2.8.0)
# With PyArrow 12 Horovod's estimator fails (to_arrow_schema); 10 was compiled for NumPy 1.
readonly kPetastorm=(petastorm==0.13.1 dill==0.4.1 diskcache==5.6.3 future==1.0.0 numpy==1.26.4 psutil==7.2.2
  pyarrow==10.0.1 pyzmq==27.3.0 six==1.17.0)
# Ludwig without what only its text, sound, quantizing and benchmarks ask for.
readonly kLudwig=(ludwig==0.17.10 certifi==2026.10.19.post1 charset-normalizer==3.5.3 dataclasses-json==0.6.7
  decorator==5.3.1 hf-xet==1.8.0 httpcore2==2.16.2 httpx2==2.16.2 huggingface-hub==2.4.0 markdown-it-py==4.3.0
  marshmallow==3.26.2 mdurl==0.1.2 mypy-extensions==1.2.0 psutil==7.2.2 py==1.11.0 pygments==2.21.0
  regex==2026.11.19 requests==2.34.2 retry==0.9.2 rich==15.0.0 safetensors==0.8.0 shellingham==1.5.4
  tabulate==0.10.0 tokenizers==0.23.3 torchaudio==2.11.0 torchinfo==1.8.0 torchvision==0.26.0 transformers==5.24.0
  truststore==0.10.5 typer==0.29.2 typing-inspect==0.9.0 urllib3==2.8.0)

fail() {
  echo "guides: $*" >&2
  exit 1
}

# make_place NAME CHECK PACKAGE...: .deps/peers-NAME, whose Python then runs CHECK.
make_place() {
  local name=$1 check=$2 place=.deps/peers-$1 wanted free_kb packages seen
  shift 2
  wanted=$(printf '%s\n' "$check" "$@" | sha256sum | cut -c1-64)
  [ "$(cat "$place/set-up" 2>/dev/null)" != "$wanted" ] || return 0
  free_kb=$(df -Pk .deps/ | awk 'NR == 2 { print $4 }')
  ((free_kb >= kDiskNeededGb * 1024 * 1024)) ||
    fail "not enough disk for $name: $((free_kb / 1024)) MiB free, $kDiskNeededGb GiB are needed"
  [ -x "$place/bin/python" ] || .deps/peers/bin/python -m venv "$place" || fail "$place could not be made"
  packages=$("$place/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  # Ludwig asks for Python 3.12; what it does with tables runs on 3.11, too, for which the peers' PyTorch is.
  "$place/bin/python" -m pip install -q --no-cache-dir --no-compile --no-deps --only-binary :all: \
    --ignore-requires-python "$@" || fail "$name could not be installed"
  # Horovod, where horovod.sh has built it, stands before them: its estimator needs Petastorm.
  for seen in peers-horovod peers; do
    echo "$PWD/.deps/$seen/${packages##*"/peers-$name/"}"
  done >"$packages/peers.pth"
  "$place/bin/python" -c "$check" || fail "$name does not start"
  echo "$wanted" >"$place/set-up"
}

for name in "$@"; do
  [[ " ray petastorm ludwig " == *" $name "* ]] || fail "unknown tool '$name': ray, petastorm or ludwig"
done
bench/peers/setup.sh
wanted=" ${*:-ray petastorm ludwig} "
[[ $wanted != *" ray "* ]] || make_place ray 'import ray.data, ray.train.torch' "${kRay[@]}"
[[ $wanted != *" petastorm "* ]] || make_place petastorm 'import petastorm.pytorch, petastorm.spark' "${kPetastorm[@]}"
[[ $wanted != *" ludwig "* ]] || make_place ludwig 'import ludwig.api' "${kLudwig[@]}"
