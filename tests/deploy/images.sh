#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# images.sh REPOSITORY SPARK: images.py, or why not.
Skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || Skip "only root may change the root folder of a program"
command -v debootstrap >/dev/null || Skip "debootstrap is not there"
compgen -G "$1/dist/protium-*-linux-x86_64.tar.zst" >/dev/null || Skip "there is no archive (./dev package)"
[ -d "$2" ] || Skip "there is no Spark in $2 (./dev test spark)"
exec python3 "$(dirname "$0")/images.py" "$1" "$2"
