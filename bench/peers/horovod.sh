#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Horovod with Gloo from its source distribution, once, into .deps/peers-horovod, which sees
# the packages of .deps/peers, too: some six minutes of a core. Only the benches that stand beside
# Horovod ask for it.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
readonly kVersion=0.28.1
readonly kSha256=92a43f5a94c43907a56805bad15f19700c62ffc83b7ca483f9e104e229f67ef0
readonly kTools=(setuptools==69.5.1 wheel==0.43.0 cmake==3.26.4 cffi psutil pyyaml)
readonly kPlace=.deps/peers-horovod
wanted=$(cat bench/peers/horovod.sh bench/peers/requirements.txt | sha256sum | cut -c1-64)
[ "$(cat $kPlace/set-up 2>/dev/null)" != "$wanted" ] || exit 0

fail() {
  echo "bench: $*" >&2
  exit 1
}

bench/peers/setup.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -x $kPlace/bin/python ] || .deps/peers/bin/python -m venv $kPlace
python=$PWD/$kPlace/bin/python
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
# Its own packages go before these.
"$PWD/.deps/peers/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' >"$packages/peers.pth"
"$python" -m pip install -q "${kTools[@]}" || fail "what builds Horovod could not be installed"
echo "horovod==$kVersion --hash=sha256:$kSha256" >"$scratch/wanted"
"$python" -m pip download -q --no-deps --no-binary horovod --no-build-isolation --require-hashes -d "$scratch" \
  -r "$scratch/wanted" || fail "Horovod's source distribution could not be had"
tar -xf "$scratch/horovod-$kVersion.tar.gz" -C "$scratch"
cd "$scratch/horovod-$kVersion"
# LibTorch's headers need C++17, and Gloo's sources a header that newer compilers no longer bring.
sed -i 's/set(CMAKE_CXX_STANDARD 14)/set(CMAKE_CXX_STANDARD 17)/' CMakeLists.txt horovod/torch/CMakeLists.txt
PATH=$(dirname "$python"):$PATH CXXFLAGS="-std=c++17 -include cstdint" MAKEFLAGS=-j2 HOROVOD_WITH_PYTORCH=1 \
  HOROVOD_WITHOUT_TENSORFLOW=1 HOROVOD_WITHOUT_MXNET=1 HOROVOD_WITHOUT_MPI=1 HOROVOD_WITH_GLOO=1 HOROVOD_CPU_OPERATIONS=GLOO \
  nice "$python" -m pip install -q --no-deps --no-build-isolation . >"$scratch/log" 2>&1 ||
  { tail -20 "$scratch/log" >&2; fail "Horovod could not be built"; }
cd - >/dev/null
"$python" -c 'import horovod.torch' || fail "Horovod does not start"
echo "$wanted" >$kPlace/set-up
