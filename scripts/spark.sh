# SPDX-License-Identifier: Apache-2.0
# Brings Spark releases to .deps/spark/<version>, each only when it is asked for: 430 MiB to download.

# The pinned release that "4.2" or "4.2.1" names.
SparkVersion() {
  local found
  found=$(awk -v wanted="$1" '!/^#/ && index($1 ".", wanted ".") == 1 { print $1 }' scripts/spark.lock | tail -n 1)
  [ -n "$found" ] || Die "unknown Spark version '$1': scripts/spark.lock has $(SparkVersions)"
  echo "$found"
}

SparkVersions() { awk '!/^#/ { print $1 }' scripts/spark.lock | paste -sd ' '; }

SparkHash() { awk -v wanted="$1" '$1 == wanted { print $2 }' scripts/spark.lock; }

HasSpark() { [ "$(cat ".deps/spark/$1/sha256" 2>/dev/null)" = "$(SparkHash "$1")" ]; }

# pip unpacks the package on its way to ask it for its version; that copy is ended by pip.
DownloadSpark() {
  local version=$1 into=$2
  echo "pyspark==$version --hash=sha256:$(SparkHash "$version")" >"$into/requirements.txt"
  python3 -m pip download -q --no-deps --no-cache-dir --require-hashes --no-binary pyspark \
    -d "$into" -r "$into/requirements.txt"
}

# The folder appears under its name when it is whole.
UnpackSpark() {
  local version=$1 from=$2
  mkdir -p "$from/new" &&
    tar -xzf "$from/pyspark-$version.tar.gz" -C "$from/new" --strip-components=2 --no-same-owner \
      --exclude='*.cmd' --exclude='*/connect-repl' \
      "pyspark-$version/deps/jars" "pyspark-$version/deps/bin" &&
    SparkHash "$version" >"$from/new/sha256" &&
    rm -rf ".deps/spark/$version" &&
    mv "$from/new" ".deps/spark/$version"
}

# FetchSpark VERSION: does nothing when it is here.
FetchSpark() {
  local version=$1 folder=.deps/spark/fetch-$1 free_kb
  if HasSpark "$version"; then return 0; fi
  mkdir -p .deps/spark
  exec 7>".deps/spark/lock"
  flock -w 3600 7 || Die "another download of Spark has taken an hour; see .deps/spark"
  if HasSpark "$version"; then exec 7>&- && return 0; fi
  free_kb=$(df -Pk .deps/spark | awk 'NR == 2 { print $4 }')
  ((free_kb >= 2 * 1024 * 1024)) ||
    Die "not enough disk for Spark $version: $((free_kb / 1024)) MiB free in $PWD/.deps, 2 GiB are needed"
  LOG=$PWD/.deps/spark/fetch.log
  : >"$LOG" && rm -rf "$folder" && mkdir "$folder"
  Step "downloading Spark $version (0.42 GiB)" DownloadSpark "$version" "$folder" ||
    Die "Spark $version could not be downloaded: $(Reason)"
  Step "unpacking Spark $version" UnpackSpark "$version" "$folder" ||
    Die "Spark $version could not be unpacked: $(Reason)"
  rm -rf "$folder" "$LOG"
  exec 7>&-
}

# The jars for a release, one a line: file, package, SHA-256.
JarsFor() {
  awk -v version="$1" '!/^#/ && ($1 == "any" || index(version ".", $1 ".") == 1) {
    split($2, part, ":"); print part[2] "-" part[3] ".jar", $2, $3 }' scripts/jars.lock
}

# FetchJars VERSION: does nothing for those that are here.
FetchJars() {
  local file package hash LOG=$PWD/.deps/spark/fetch.log
  mkdir -p .deps/spark/jars
  while read -r file package hash; do
    [ ! -e ".deps/spark/jars/$file" ] || continue
    command -v mvn >/dev/null || Die "Maven is not here, which fetches $package: apt-get install maven"
    rm -rf .deps/spark/jars/new
    Step "downloading $package" mvn -q -B dependency:copy "-Dartifact=$package" \
      "-DoutputDirectory=$PWD/.deps/spark/jars/new" || Die "$package could not be downloaded: $(Reason)"
    echo "$hash  .deps/spark/jars/new/$file" | sha256sum --quiet -c - >&2 ||
      Die "$package is not what scripts/jars.lock names"
    mv ".deps/spark/jars/new/$file" .deps/spark/jars/
  done < <(JarsFor "$1")
  rm -rf .deps/spark/jars/new "$LOG"
}

# The settings of a server of this release that reads what the jars read.
JarConfs() {
  local file files=
  while read -r file _; do files+=${files:+,}$PWD/.deps/spark/jars/$file; done < <(JarsFor "$1")
  echo "--conf spark.jars=$files"
  [[ $files != *delta-spark* ]] || echo "--conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension" \
    "--conf spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog"
}
