#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD CROSS-BUILD: jobs of this machine's build and of the cross-built one for aarch64, which
# runs under qemu-user, give the same weights and predictions, bit for bit. Exit code 77: not tried.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 cross=$2 root=$here/../../.deps/aarch64/root

Skip() {
  echo "skipped: $*"
  exit 77
}
[ -x "$cross/bin/protium" ] || Skip "there is no build for aarch64: ./dev build aarch64"
command -v qemu-aarch64 >/dev/null || Skip "qemu-aarch64 is missing: apt-get install qemu-user"

# A worker is the program started again, so the kernel must start it by qemu: in a namespace of its own.
if [ -z "${PROTIUM_IN_NAMESPACE:-}" ]; then
  unshare -Urm mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null ||
    Skip "this kernel has no binfmt_misc for namespaces of users"
  PROTIUM_IN_NAMESPACE=yes exec unshare -Urm "$0" "$@"
fi
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
printf '%s' ':aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'"$(command -v qemu-aarch64)": \
  >/proc/sys/fs/binfmt_misc/register
export QEMU_LD_PREFIX=$root PROTIUM_STORE=off PROTIUM_POOL=off

scratch=$(mktemp -d "${TMPDIR:-/tmp}/aarch64.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
"$build/bin/protium" example flights "$scratch/data" --rows 1500 >/dev/null

readonly kInputs='categorical = [{ stage = "index" }]
numeric     = [{ stage = "scale" }]'
readonly kNet="kind = \"torch_estimator\"
$kInputs"
readonly kTrees='kind = "tree_estimator"
categorical = [{ stage = "index" }]
numeric     = ["dep_delay", "distance", "hour"]
trees       = { rounds = 12 }'

# WriteJob NAME ESTIMATOR
WriteJob() {
  cat >"$scratch/$1.toml" <<TOML
data = "data"
[tables]
flights = { csv = "flights.csv", null = "NA" }
[etl]
sql = """
SELECT month, day, hour, carrier, origin, dep_delay, distance, exp(distance / 1000) AS far, arr_delay,
       arr_delay > 15 AS late, greatest(arr_delay, 0) AS wait
FROM flights WHERE arr_delay IS NOT NULL"""
[split]
by = ["month", "day"]
test = 0.3
[[pipeline]]
kind = "string_indexer"
id = "index"
inputs = ["carrier", "origin", "hour"]
unseen = "own_index"
[[pipeline]]
kind = "standard_scaler"
id = "scale"
inputs = ["dep_delay", "distance", "far"]
[[pipeline]]
$2
[train]
validation = { share = 0.2, by = ["day"] }
seed = 3
[gang]
workers = 2
[outputs]
predictions = { file = "predictions.csv" }
TOML
}
WriteJob linear "$kNet
net = \"linear\"
label = \"arr_delay\""
WriteJob mlp "$kNet
net = { name = \"tabular_mlp\", hidden = [32, 16], dropout = 0.1, batch_norm = true }
label = \"arr_delay\"
label_scale = \"standard\""
WriteJob late "$kNet
net = { name = \"tabular_mlp\", hidden = [32] }
label = \"late\"
loss = \"binary_cross_entropy\""
WriteJob wait "$kNet
net = { name = \"tabular_mlp\", hidden = [16] }
label = \"wait\"
loss = \"poisson\""
WriteJob origin "$kNet
net = { name = \"tabular_mlp\", hidden = [16] }
label = \"month\"
loss = \"cross_entropy\""
WriteJob trees "$kTrees
label = \"arr_delay\""
WriteJob late_trees "$kTrees
label = \"late\"
loss = \"binary_cross_entropy\""

# Run PROGRAM FOLDER JOB: "WEIGHTS PREDICTIONS", as the beginnings of hashes.
Run() {
  local run weights
  if ! "$1" run "$scratch/$3.toml" --runs-dir "$2" >"$scratch/log" 2>&1; then
    cat "$scratch/log" >&2
    return 1
  fi
  run=$(echo "$2"/*/)
  weights=$(cat "$run"model/*.json | grep -o '"weights_sha256": "[0-9a-f]*"' | sort -u | cut -d '"' -f 4)
  echo "weights ${weights:0:12}, predictions $(sha256sum <"$run/predictions.csv" | cut -c1-12)"
}

failed=0
for job in linear mlp late wait origin trees late_trees; do
  here_made=$(Run "$build/bin/protium" "$scratch/x86-$job" "$job")
  there_made=$(Run "$cross/bin/protium" "$scratch/aarch64-$job" "$job")
  if [ "$here_made" = "$there_made" ]; then
    echo "$job: the same on both, $here_made"
  else
    echo "$job: here $here_made; on aarch64 $there_made"
    failed=1
  fi
done
exit $failed
