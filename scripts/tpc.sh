# SPDX-License-Identifier: Apache-2.0
# Brings to .deps/tpc the tables of TPC-DS and TPC-H at scale 0.01 and their queries, for tests/tpc.

TpcHash() { cat scripts/tpc.lock tests/tpc/make_tables.py | sha256sum | cut -c1-64; }

HasTpc() { [ "$(cat .deps/tpc/made 2>/dev/null)" = "$(TpcHash)" ]; }

DownloadTpc() {
  local into=$1
  awk '!/^#/ { print $1 "==" $2 " --hash=sha256:" $3 }' scripts/tpc.lock >"$into/requirements.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes -d "$into/wheels" \
    --python-version 3.11 --implementation cp --abi cp311 --only-binary=:all: \
    --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 -r "$into/requirements.txt"
}

# The folder appears under its name when it is whole.
MakeTpc() {
  local from=$1 wheel
  for wheel in "$from"/wheels/*.whl; do
    python3 -m zipfile -e "$wheel" "$from/py" || return 1
  done
  PYTHONPATH=$from/py python3 tests/tpc/make_tables.py "$from/py" "$from/new" &&
    TpcHash >"$from/new/made" && rm -rf .deps/tpc && mv "$from/new" .deps/tpc
}

# FetchTpc: does nothing when it is here.
FetchTpc() {
  local folder=$PWD/.deps/fetch-tpc
  if HasTpc; then return 0; fi
  exec 7>".deps/tpc-lock"
  flock -w 600 7 || Die "another set-up has made the tables of TPC for ten minutes"
  if HasTpc; then exec 7>&- && return 0; fi
  LOG=$PWD/.deps/tpc.log
  : >"$LOG" && rm -rf "$folder" && mkdir -p "$folder/wheels"
  Step "downloading what makes TPC's tables (31 MiB)" DownloadTpc "$folder" ||
    Die "what makes the tables of TPC could not be downloaded: $(Reason)"
  Step "making the tables of TPC-DS and TPC-H" MakeTpc "$folder" ||
    Die "the tables of TPC could not be made: $(Reason)"
  rm -rf "$folder" "$LOG"
  exec 7>&-
}
