#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests scripts/spark-server: a server answers and leaves nothing, however it is ended.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
readonly kVersion=${PROTIUM_TEST_SPARK_VERSION:-4.2.1}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/spark-server-test.XXXXXX")
trap 'scripts/spark-server stop "$scratch/state" 2>/dev/null || true; rm -rf "$scratch"' EXIT

Wrong() {
  echo "wrong: $*" >&2
  exit 1
}

start=(scripts/spark-server start --version "$kVersion" --master 'local[1]' --brief
  --state "$scratch/state")

Server() { "${start[@]}" "$@"; }

# Nothing may be left: no folder, and no process that names the folder.
ExpectGone() {
  local left
  [ ! -e "$scratch/state" ] || Wrong "$1: the state folder is still there: $(ls "$scratch/state")"
  left=$(grep -lazF "$scratch/state" /proc/[0-9]*/environ 2>/dev/null | grep -v "/$$/" || true)
  [ -z "$left" ] || Wrong "$1: processes are left: $left"
}

ExpectAnswer() {
  local host_port=${1#sc://}
  [[ $1 =~ ^sc://127\.0\.0\.1:[0-9]+$ ]] || Wrong "not an address: '$1'"
  (exec 3<>"/dev/tcp/${host_port%:*}/${host_port#*:}") || Wrong "nobody listens at $1"
}

AStoppedServerLeavesNothing() {
  local address
  address=$(Server)
  ExpectAnswer "$address"
  scripts/spark-server status "$address" | grep -qF "$kVersion local[1] $scratch/state" || Wrong "status does not show it"
  scripts/spark-server stop "$address"
  ExpectGone "${FUNCNAME[0]}"
}

AServerEndsWithItsOwner() {
  local owner until
  sleep 600 &
  owner=$!
  Server --owner "$owner" >/dev/null
  kill "$owner"
  until=$((SECONDS + 120))
  while [ -e "$scratch/state" ]; do
    ((SECONDS < until)) || Wrong "it has outlived its owner by 120 s"
    sleep 0.2
  done
  ExpectGone "${FUNCNAME[0]}"
}

# Nor does anything stay when the process that watches over it is killed.
AKilledWatcherLeavesNothing() {
  Server >/dev/null
  kill -KILL "$(cat "$scratch/state/pid")"
  scripts/spark-server stop "$scratch/state"
  ExpectGone "${FUNCNAME[0]}"
}

AnInterruptedStartLeavesNothing() {
  local starting until=$((SECONDS + 60))
  "${start[@]}" >/dev/null &
  starting=$!
  while [ ! -s "$scratch/state/log/server" ]; do
    ((SECONDS < until)) || Wrong "it does not begin to start"
    sleep 0.1
  done
  kill -TERM "$starting"
  if wait "$starting"; then Wrong "the interrupted start succeeded"; fi
  ExpectGone "${FUNCNAME[0]}"
}

AServerThatCannotStartSaysWhy() {
  local said
  if said=$(Server --conf spark.connect.grpc.binding.port=no 2>&1); then Wrong "it started"; fi
  grep -q "did not start: its server ended; logs in $scratch/state" <<<"$said" || Wrong "it said: $said"
  [ -s "$scratch/state/log/server" ] || Wrong "its log is not kept"
  scripts/spark-server stop "$scratch/state"
  ExpectGone "${FUNCNAME[0]}"
}

[ -d ".deps/spark/$kVersion" ] || { echo "Spark $kVersion is not here" && exit 77; }
for name in AStoppedServerLeavesNothing AServerEndsWithItsOwner AKilledWatcherLeavesNothing \
  AnInterruptedStartLeavesNothing AServerThatCannotStartSaysWhy; do
  "$name"
  echo "ok $name"
done
