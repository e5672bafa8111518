# SPDX-License-Identifier: Apache-2.0
# What a cross-build for aarch64 needs beside the set-up: a compiler and qemu-user, Debian's libraries
# for aarch64 in .deps/aarch64/root, of which none is installed here, and the pinned downloads beside it.

# Libraries that the build needs, and those of C and C++.
CrossPackages() {
  sed -n 's/^\(build\|Kafka\) //p' scripts/debian-packages.txt | tr ' ' '\n' | grep -- '-dev$'
  echo libc6-dev libstdc++-12-dev
}

# CrossApt ARGUMENTS: apt-get for arm64, with lists and a status of its own: nothing is installed.
CrossApt() {
  local own=$downloads/apt
  mkdir -p "$own/state/lists/partial" "$own/cache/archives/partial"
  touch "$own/state/status"
  AsRoot apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$own/state" \
    -o Dir::State::status="$own/state/status" -o Dir::Cache="$own/cache" -o APT::Sandbox::User=root "$@"
}

FetchCrossPackages() {
  CrossApt update || return 1
  # shellcheck disable=SC2046
  CrossApt install -y --no-install-recommends --download-only $(CrossPackages)
}

FetchCrossWheels() {
  awk '$1 == "wheel" { print $2 "==" $3 " --hash=sha256:" $4 }' scripts/aarch64.lock >"$downloads/requirements.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes -d "$downloads" \
    --python-version 3.11 --implementation cp --abi cp311 --only-binary=:all: \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_25_aarch64 \
    --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 -r "$downloads/requirements.txt"
}

FetchCrossNpm() {
  Npm pack -s --pack-destination "$downloads" "$(awk '$1 == "npm" { print $2 "@" $3 }' scripts/aarch64.lock)" &&
    awk -v folder="$downloads" '$1 == "npm" { print $4 "  " folder "/duckdb-node-bindings-linux-arm64-" $3 ".tgz" }' \
      scripts/aarch64.lock | sha256sum -c --status
}

# UnpackCross INTO
UnpackCross() {
  local package
  rm -rf "$1" && mkdir -p "$1/root" "$1/duckdb/lib" || return 1
  ln -s ../node ../web "$1/" || return 1  # What makes the page is this machine's.
  for package in "$downloads"/apt/cache/archives/*.deb; do
    dpkg -x "$package" "$1/root" || return 1
  done
  tar -xzf "$downloads"/duckdb-*.tgz --strip-components=1 -C "$1/duckdb/lib" package/libduckdb.so &&
    cp -r .deps/duckdb/include "$1/duckdb/" && python3 - "$downloads" "$1/py" <<'TEXT'
import fnmatch, glob, sys, zipfile
for row in map(str.split, open("scripts/aarch64.lock")):
    if row[0] == "wheel":
        with zipfile.ZipFile(*glob.glob(f"{sys.argv[1]}/{row[1].replace('-', '_')}-{row[2]}-*.whl")) as wheel:
            for name in wheel.namelist():
                if any(fnmatch.fnmatchcase(name, pattern) for pattern in row[4].split(",")):
                    wheel.extract(name, sys.argv[2])
TEXT
}

CrossHash() {
  { cat scripts/aarch64.lock scripts/cross.sh && CrossPackages; } | sha256sum | cut -c1-64
}

# Does nothing when all of it is here.
SetUpCross() {
  [ "$(cat .deps/aarch64/set-up 2>/dev/null)" != "$(CrossHash)" ] || return 0
  downloads=$PWD/.deps/downloads-aarch64 LOG=$PWD/.deps/cross.log
  mkdir -p "$downloads" && : >"$LOG"
  InstallPackages aarch64
  Step "downloading Debian's libraries for aarch64" FetchCrossPackages ||
    Die "they could not be downloaded: $(Reason)"
  Step "downloading Arrow, DuckDB and LibTorch for aarch64 (0.5 GiB)" FetchCrossWheels ||
    Die "they could not be downloaded: $(Reason)"
  FetchCrossNpm >>"$LOG" 2>&1 || Die "DuckDB could not be downloaded as scripts/aarch64.lock has it: see $LOG"
  Step "unpacking" UnpackCross .deps/aarch64.new || Die "the downloads could not be unpacked: $(Reason)"
  CrossHash >.deps/aarch64.new/set-up
  rm -rf .deps/aarch64 "$downloads" && mv .deps/aarch64.new .deps/aarch64
}
