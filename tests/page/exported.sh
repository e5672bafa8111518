#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# exported.sh SCRIPT PYTHON PROTIUM REPOSITORY: the script beside this one, or why not.
if [ ! -x "$2" ]; then
  echo "skipped: $2 does not exist (bench/peers/setup.sh)"
  exit 77
fi
exec "$2" "$(dirname "$0")/$1" "$3" "$4"
