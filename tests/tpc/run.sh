#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD: the queries of TPC-DS and TPC-H on a build, over the tables in .deps/tpc.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export PROTIUM_HOME=$1 PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
exec python3 tests/tpc/queries_test.py "$PWD/.deps/tpc" "${@:2}"
