#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# moving_in.sh PYTHON PROTIUM REPOSITORY: moving_in.py, or why not.
if [ ! -x "$1" ] || ! "$1" -c 'import pandas, sklearn, torch' 2>/dev/null; then
  echo "skipped: pandas, scikit-learn and torch are not there (bench/peers/setup.sh)"
  exit 77
fi
exec "$1" "$(dirname "$0")/moving_in.py" "$2" "$3"
