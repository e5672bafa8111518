#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# manifests.sh PYTHON PROTIUM REPOSITORY: manifests.py, or why not.
if [ ! -x "$1" ] || ! "$1" -c 'import kubernetes_validate, yaml' 2>/dev/null; then
  echo "skipped: kubernetes-validate is not there (bench/peers/setup.sh)"
  exit 77
fi
exec "$1" "$(dirname "$0")/manifests.py" "$2" "$3"
