#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD [PATTERN]: the tests of the Python package against a build, by the Python that has the
# packages which the package works with (bench/peers/setup.sh), else by the system's. What needs a
# package that is missing is skipped and says so.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
home=$(readlink -f "$1")
pattern=${2:-test*.py}
python=.deps/peers/bin/python
[ -x "$python" ] || python=$(command -v python3) || {
  echo "there is no Python"
  exit 77
}
export PROTIUM_HOME=$home PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
exec "$python" -m unittest discover --start-directory python/tests --pattern "$pattern" --verbose
