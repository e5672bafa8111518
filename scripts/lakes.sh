# SPDX-License-Identifier: Apache-2.0
# Brings what tests of lakes, object stores and serve run against to .deps/moto, .deps/lakes and
# .deps/triton, as folders for PYTHONPATH.

LakesHash() { sha256sum <scripts/lakes.lock | cut -c1-64; }

HasLakes() { [ "$(cat ".deps/$1/made" 2>/dev/null)" = "$(LakesHash)" ]; }

DownloadLakes() {
  local set=$1 into=$2
  awk -v set="$set" '$1 == set { print $2 "==" $3 " --hash=sha256:" $4 }' scripts/lakes.lock >"$into/requirements.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes -d "$into/wheels" \
    --python-version 3.11 --implementation cp --abi cp311 --abi abi3 --abi none \
    --only-binary=:all: --platform manylinux_2_34_x86_64 --platform manylinux_2_28_x86_64 \
    --platform manylinux_2_24_x86_64 --platform manylinux2014_x86_64 \
    --platform manylinux_2_5_x86_64 --platform manylinux1_x86_64 -r "$into/requirements.txt"
}

# The folder appears under its name when it is whole.
MakeLakes() {
  local set=$1 from=$2
  python3 -c 'import sys, zipfile
for wheel in sys.argv[2:]: zipfile.ZipFile(wheel).extractall(sys.argv[1])' "$from/py" "$from"/wheels/*.whl || return 1
  LakesHash >"$from/py/made" && rm -rf ".deps/$set" && mv "$from/py" ".deps/$set"
}

# FetchLakes moto|lakes|triton: does nothing when it is here.
FetchLakes() {
  local folder=$PWD/.deps/fetch-$1
  if HasLakes "$1"; then return 0; fi
  LOG=$PWD/.deps/lakes.log
  : >"$LOG" && rm -rf "$folder" && mkdir -p "$folder/wheels"
  Step "downloading $1 for tests" DownloadLakes "$1" "$folder" ||
    Die "it could not be downloaded: $(Reason)"
  Step "unpacking" MakeLakes "$1" "$folder" || Die "the downloads could not be unpacked: $(Reason)"
  rm -rf "$folder" "$LOG"
}
