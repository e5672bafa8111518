# SPDX-License-Identifier: Apache-2.0
# Brings a machine to where it can build: Debian packages, then the pinned downloads in .deps/.
# Done work is remembered in .deps/set-up, under the hash of all that describes it. Packages that
# came for Spark, Kafka or fuzzing stand outside of it, since no download depends on them; so does the
# page's part (setup_page.sh), whose packages change more often.
. scripts/system.sh
. scripts/setup_page.sh

SetUpHash() {
  { grep -v '^source' scripts/deps.lock && grep -v 'Spark\|Kafka\|fuzz\|aarch64' scripts/debian-packages.txt && cat scripts/unpack.py; } |
    sha256sum | cut -c1-64
}

IsSetUp() { [ -e .deps/set-up ] && [ "$(cat .deps/set-up)" = "$(SetUpHash)" ]; }

# The fields package, version and sha256 of the lock's rows of some kinds, as pip's requirements.
Requirements() { awk -v kind="$1" '$1 == kind { print $2 "==" $3 " --hash=sha256:" $5 }' scripts/deps.lock; }

# What the build needs was built for one Python and one C library, whatever this machine's Python is.
FetchWheels() {
  Requirements "$1" >"$downloads/requirements-$1.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes -d "$downloads" \
    --python-version 3.11 --implementation cp --abi cp311 --only-binary=:all: \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 \
    --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
    -r "$downloads/requirements-$1.txt"
}

# Only a header is taken from it, but pip asks its build system for the version on the way.
FetchSdist() {
  Requirements sdist >"$downloads/requirements-sdist.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes --no-binary duckdb \
    -d "$downloads" -r "$downloads/requirements-sdist.txt"
}

FetchNpm() {
  Npm pack -s --pack-destination "$downloads" "$(awk '$1 == "npm" { print $2 "@" $3 }' scripts/deps.lock)"
}

# Are all files of a kind here and whole, from an earlier set-up that was interrupted?
Fetched() {
  awk -v kind="$1" '$1 == kind { print $5 "  " $4 }' scripts/deps.lock |
    (cd "$downloads" && sha256sum --status -c - 2>/dev/null)
}

Fetch() {
  local kind=$1 what=$2
  shift 2
  Fetched "$kind" && return
  Step "downloading $what" "$@" || Die "$what could not be downloaded: $(Reason)"
  Fetched "$kind" || Die "a download differs from scripts/deps.lock: $what; see $downloads"
}

# New contents are made aside and change places with the old ones at once.
Unpack() {
  rm -rf .deps/new .deps/old && python3 scripts/unpack.py build "$downloads" .deps/new || return 1
  rm -f .deps/set-up && mkdir .deps/old || return 1
  local part
  for part in py duckdb; do
    [ ! -e ".deps/$part" ] || mv ".deps/$part" .deps/old/ || return 1
    mv ".deps/new/$part" .deps/ || return 1
  done
  rm -rf .deps/new .deps/old
}

# The packages of sources by their names: "sqlite,postgres".
SourcePackages() {
  local each
  for each in ${1//,/ }; do
    case "$each" in
      sqlite | postgres | mysql) echo "duckdb-extension-$each-scanner" ;;
      excel | delta | azure) echo "duckdb-extension-$each" ;;
      iceberg) echo "duckdb-extension-avro duckdb-extension-iceberg" ;;
      s3) echo "duckdb-extension-httpfs duckdb-extension-aws pyarrow" ;;
      gs) echo "duckdb-extension-httpfs" ;;
      *) Die "unknown source '$each': one or more of sqlite,postgres,mysql,excel,delta,iceberg,s3,gs,azure" ;;
    esac
  done
}

FetchSources() {
  awk 'NR == FNR { asked[$1]; next } $1 ~ /^(source|wheel)$/ && $2 in asked { print $2 "==" $3 " --hash=sha256:" $5 }' \
    <(printf '%s\n' "$@") scripts/deps.lock >"$downloads/requirements-source.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes -d "$downloads" \
    --python-version 3.11 --only-binary=:all: --platform manylinux2014_x86_64 \
    --platform manylinux_2_28_x86_64 -r "$downloads/requirements-source.txt"
}

# What reads tables that lie elsewhere (docs/sources.md): extensions of DuckDB, beside its library,
# and the part of Arrow that keeps runs on S3, beside Arrow's.
SetUpSources() {
  local downloads=$PWD/.deps/downloads-sources LOG=$PWD/.deps/set-up.log packages
  packages=$(SourcePackages "$1") || exit 1
  mkdir -p "$downloads"
  Step "downloading what reads $1" FetchSources $packages || Die "it could not be downloaded: $(Reason)"
  Step "unpacking" python3 scripts/unpack.py sources "$downloads" .deps $packages ||
    Die "the downloads could not be unpacked: $(Reason)"
  rm -rf "$downloads"
}

# What tests run against without a server of a database.
SetUpTestedSources() {
  local library
  for library in duckdb/lib/extensions/{sqlite_scanner,excel,delta,httpfs,aws,azure}.duckdb_extension \
    py/pyarrow/libarrow_s3.so.2600; do
    [ -e ".deps/$library" ] && continue
    SetUpSources sqlite,excel,delta,s3,azure
    break
  done
  FetchLakes moto
  FetchLakes triton
  FetchClouds
  FetchOnnx
}

SetUpRest() {
  downloads=$PWD/.deps/downloads LOG=$PWD/.deps/set-up.log
  InstallPackages Spark
  InstallPackages Kafka
  IsPageSetUp && return 0
  mkdir -p "$downloads"
  SetUpNode
  SetUpWeb
  rm -rf "$downloads"
}

SetUp() {
  mkdir -p .deps
  if IsSetUp && IsPageSetUp; then
    SetUpRest
    return 0
  fi
  local start=$SECONDS
  CheckSystem
  exec 8>.deps/lock
  flock -w 3600 8 || Die "another set-up has held .deps for an hour"
  if IsSetUp; then
    SetUpRest
    exec 8>&-
    return 0
  fi
  CheckDisk
  downloads=$PWD/.deps/downloads LOG=$PWD/.deps/set-up.log
  mkdir -p "$downloads" && : >"$LOG"
  InstallPackages build
  InstallPackages Spark
  InstallPackages Kafka
  Fetch wheel "Arrow and LibTorch (0.6 GiB)" FetchWheels wheel
  Fetch sdist "DuckDB's header" FetchSdist
  SetUpNode
  Fetch npm "DuckDB" FetchNpm
  Step "unpacking" Unpack || Die "the downloads could not be unpacked: $(Reason)"
  SetUpWeb
  rm -rf "$downloads"
  SetUpHash >.deps/set-up
  exec 8>&-
  Say "set up in $(Spent $((SECONDS - start)))"
}
