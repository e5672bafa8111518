#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Python environment of the peers of bench/serverless.py in .deps/peers-serverless, once:
# DuckDB with what makes the tables of TPC-DS and TPC-H, and the client of Spark (scripts/spark-server
# brings the server). With "ray" also Ray, in an environment of its own.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

# Make FOLDER REQUIREMENT...: does nothing when it is here.
Make() {
  local folder=$1 wanted
  shift
  wanted=$*
  [ "$(cat "$folder/set-up" 2>/dev/null)" != "$wanted" ] || return 0
  [ -x "$folder/bin/python" ] || python3 -m venv "$folder"
  "$folder/bin/pip" install -q --no-cache-dir --no-compile "$@" || {
    echo "bench: the peers could not be installed in $folder" >&2
    exit 1
  }
  echo "$wanted" >"$folder/set-up"
}

if [ "${1:-}" = ray ]; then
  Make .deps/peers-ray 'ray[data]==2.60.0' numpy pyarrow==21.0.0
else
  Make .deps/peers-serverless duckdb==1.5.5 duckdb-extension-tpcds==1.5.5 duckdb-extension-tpch==1.5.5 \
    pyspark-client==4.2.0 pyarrow==21.0.0 'pandas<3' numpy
fi
