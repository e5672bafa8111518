#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# exported.sh PYTHON PROTIUM REPOSITORY: exported.py, or why not.
if [ ! -x "$1" ]; then
  echo "skipped: $1 does not exist (bench/peers/setup.sh)"
  exit 77
fi
exec "$1" "$(dirname "$0")/exported.py" "$2" "$3"
