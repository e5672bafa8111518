#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Python environment of the peers in .deps/peers, once. The torch wheel loads CUDA's
# libraries even on a CPU, so its dependencies come along: 4.7 GiB in all.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
readonly kDiskNeededGb=8
wanted=$(sha256sum <bench/peers/requirements.txt | cut -c1-64)
[ "$(cat .deps/peers/set-up 2>/dev/null)" != "$wanted" ] || exit 0

fail() {
  echo "bench: $*" >&2
  exit 1
}

free_kb=$(df -Pk .deps/ | awk 'NR == 2 { print $4 }')
((free_kb >= kDiskNeededGb * 1024 * 1024)) ||
  fail "not enough disk for the peers: $((free_kb / 1024)) MiB free, $kDiskNeededGb GiB are needed"
python3 -c 'import venv, ensurepip' 2>/dev/null || fail "python3-venv is missing: apt-get install python3-venv"
command -v java >/dev/null || fail "java is missing, PySpark needs it: apt-get install openjdk-17-jre-headless"

# What is there stays: a changed list brings only what is new in it.
[ -x .deps/peers/bin/python ] || python3 -m venv .deps/peers
.deps/peers/bin/python -m pip install -q --no-cache-dir --no-compile -r bench/peers/requirements.txt ||
  fail "the peers could not be installed"
.deps/peers/bin/python -c 'import torch, pyspark, pyarrow, duckdb, sklearn, onnx, onnxruntime' || fail "the peers do not start"
echo "$wanted" >.deps/peers/set-up
