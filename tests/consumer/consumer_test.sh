#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# consumer_test.sh SOURCE BUILD: installs BUILD, moves the package to another folder, and builds and
# runs programs against it that know nothing of the tree it came from.
set -euo pipefail
readonly kSource=$1 kBuild=$2
scratch=$(mktemp -d "${TMPDIR:-/tmp}/consumer-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
readonly kPackage=$scratch/moved
export HOME=$scratch

# Headers of rooms that the door torch.h shows, and no other: none may come to them unnoticed.
readonly kShown='base/describe.h base/json.h base/status.h base/unknown_name.h catalogue/catalogue.h
catalogue/extension.h collective/sparse_rows.h deep/batch.h deep/module_net.h deep/recorded_loss.h deep/recorded_net.h
format/safetensors.h metrics/metrics.h metrics/seasons.h rows/packed.h rows/schema.h stages/catalogue_row.h tensor/batch.h tensor/device.h
tensor/net.h tensor/norm_statistics.h tensor/values.h train/loss.h'

Wrong() {
  echo "wrong: $*" >&2
  exit 1
}

Say() { echo "$SECONDS s: $*"; }

InstallAndMove() {
  local component
  for component in protium needed torch; do
    cmake --install "$kBuild" --prefix "$scratch/first" --component $component >/dev/null
  done
  mv "$scratch/first" "$kPackage"
  Say "installed $(du -sh "$kPackage" | cut -f1)"
}

RoomsIn() { sed -n '/^#include "protium\//d; s/^#include "\([^"]*\)"/\1/p' "$@" | sort -u | paste -sd ' '; }

DoorsShowNoRoom() {
  local door shown
  for door in "$kPackage"/include/protium/*.h; do
    shown=$(RoomsIn "$door")
    case ${door##*/}:$shown in
      *:) ;;
      'torch.h:catalogue/catalogue.h catalogue/extension.h deep/module_net.h deep/recorded_loss.h') ;;
      *) Wrong "the door ${door##*/} includes $shown" ;;
    esac
  done
  shown=$(cd "$kPackage/include/protium/inside" && find . -type f | sed 's|^./||' | sort | paste -sd ' ')
  [ "$shown" = "$(echo $kShown)" ] || Wrong "doors show $shown"
}

# Every library is found in the package or is Debian's.
NothingLeadsBack() {
  local file found
  found=$(grep -rlIF -e "$kSource" -e "$scratch/first" "$kPackage" || true)
  [ -z "$found" ] || Wrong "the tree it was built in is named in: $found"
  for file in "$kPackage"/bin/protium "$kPackage"/lib/*.so; do
    found=$(readelf -d "$file" | sed -n 's/.*R.*PATH.*\[\(.*\)\]/\1/p' | tr ':' '\n' | grep -v '^\$ORIGIN' || true)
    [ -z "$found" ] || Wrong "$file looks for libraries in $found"
    found=$(ldd "$file" | grep -E "not found|=> ($kSource|/usr/local)" || true)
    [ -z "$found" ] || Wrong "$file needs $found"
  done
}

BuildConsumer() {
  cp -r "$kSource/tests/consumer" "$scratch/consumer"
  cp -r "$kSource/examples/flights" "$kSource/examples/pi" "$kSource/examples/c" "$scratch/consumer"
  cp -r "$kSource/tests/own_nets" "$scratch/consumer/own_nets"
  "$kPackage/bin/protium" example flights "$scratch/data" --rows 2000 >/dev/null
  "$kPackage/bin/protium" init "$scratch/data" --null NA --label arr_delay --cpp \
    --output "$scratch/first" >/dev/null || Wrong "init wrote no program"
  local project
  for project in consumer first; do
    cmake -G Ninja -S "$scratch/$project" -B "$scratch/build/$project" -DCMAKE_PREFIX_PATH="$kPackage" >/dev/null
    cmake --build "$scratch/build/$project" >"$scratch/log" 2>&1 || {
      cat "$scratch/log"
      Wrong "programs do not build against the package"
    }
  done
  Say "built the programs"
}

ProgramsRun() {
  local model
  [ "$("$kPackage/bin/protium" --version)" = "protium $(Version)" ] || Wrong "the command has another version"
  cd "$scratch"
  "$scratch/build/consumer/tally" --set data="$scratch/data" 2>/dev/null | grep -E '^1 gang of 2 ranks counted [0-9]+ rows$' ||
    Wrong "tally did not count"
  "$scratch/build/consumer/pi/pi" --set darts=1000 2>/dev/null | grep -q '"ranks":4' || Wrong "pi did not run"
  "$scratch/build/consumer/flights/flights" --json --set data="$scratch/data" --set train.epochs=1 >"$scratch/told" 2>"$scratch/log" ||
    Wrong "flights did not run: $(cat "$scratch/log")"
  "$scratch/build/consumer/c/delays" "$scratch/data" 2>/dev/null | grep -c '^ .*[0-9]$' | grep -qx 5 ||
    Wrong "delays printed no predictions"
  model=$(Model)
  "$kPackage/bin/protium" run consumer/flights/flights.toml --json --set data="$scratch/data" \
    --set train.epochs=1 >"$scratch/told" 2>"$scratch/log" ||
    Wrong "the installed command did not run: $(cat "$scratch/log")"
  cmp "$model/weights.safetensors" "$(Model)/weights.safetensors" ||
    Wrong "the program and the command learned other weights"
  printf 'extensions = ["%s"]\n' "$scratch/build/consumer/libown_nets.so" |
    cat - consumer/flights/flights.toml >consumer/flights/own.toml
  "$kPackage/bin/protium" run consumer/flights/own.toml --set data="$scratch/data" \
    --set 'net={name="wide"}' --set train.epochs=1 >/dev/null 2>"$scratch/log" ||
    Wrong "a net of an extension did not train: $(cat "$scratch/log")"
  "$scratch/build/first/data" --set data="$scratch/data" --set trees.rounds=5 >/dev/null 2>"$scratch/log" ||
    Wrong "the program of init did not run: $(cat "$scratch/log")"
  Say "ran them"
}

Version() { sed -n 's/.*PROTIUM_VERSION "\(.*\)"/\1/p' "$kPackage/include/protium/version.h"; }

Model() { sed -n 's/.*"model":"\([^"]*\)".*/\1/p' "$scratch/told" | grep .; }

InstallAndMove
DoorsShowNoRoom
NothingLeadsBack
BuildConsumer
ProgramsRun
