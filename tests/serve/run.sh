#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD: `protium serve` of a build, asked by Triton's own client.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
[ -e .deps/triton/made ] || {
  echo "tritonclient is not here: ./dev setup --test-servers"
  exit 77
}
export PYTHONPATH=$PWD/.deps/triton PYTHONDONTWRITEBYTECODE=1
exec python3 tests/serve/triton_test.py "$1/bin/protium"
