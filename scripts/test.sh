# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a release build and says what passed, failed and was skipped. Tests that need a
# Spark server find its address in PROTIUM_TEST_SPARK; parity runs on it beside the embedded engine.
readonly kTestedSpark=4.2.1 kTestMaster='local-cluster[2,2,1024]'

# RunTests LOG [ctest's options]...
RunTests() {
  local log=$1 results=build/release/test-results status=0 start=$SECONDS
  shift
  rm -rf "$results" && mkdir -p "$results"
  Say "==> running the tests ..."
  # Side by side: one on the Spark server and one that starts its own, for which there are locks,
  # beside one of the others; on two cores two of these, since deadlines are kept in real time.
  ctest --test-dir build/release -j $(($(nproc) > 2 ? 3 : 2)) --timeout 900 --output-on-failure \
    --output-junit "$PWD/$results/ctest.xml" "$@" >"$log" 2>&1 || status=$?
  Say "tested in $(Spent $((SECONDS - start)))"
  python3 scripts/test_summary.py "$results" || status=1
  return $status
}

# The server ends with this process, however that ends.
StartSpark() {
  FetchSpark "$1"
  PROTIUM_TEST_SPARK=$(scripts/spark-server start --version "$1" --master "$kTestMaster" \
    --lifetime 7200 --owner $$ --brief) || Die "no Spark server to test on"
  export PROTIUM_TEST_SPARK PROTIUM_TEST_SPARK_VERSION=$1 PROTIUM_ENGINES="local,$PROTIUM_TEST_SPARK"
}

StopSpark() {
  scripts/spark-server stop "$PROTIUM_TEST_SPARK" || true
  unset PROTIUM_TEST_SPARK PROTIUM_TEST_SPARK_VERSION PROTIUM_ENGINES
}

# What tests need and no build does, which is downloaded beside the builds.
FetchTested() { SetUpTestedSources && FetchTpc && FetchSpark "$kTestedSpark"; }

Test() {
  local status=0 fetching fetched=0
  FetchTested 2>.deps/fetch-tested.log &
  fetching=$!
  BuildFuzz fuzz
  Build release all benches
  wait "$fetching" || fetched=1
  cat .deps/fetch-tested.log >&2
  ((fetched == 0)) || exit 1
  StartSpark "$kTestedSpark"
  RunTests build/release/test.log || status=$?
  StopSpark
  ((status == 0)) || Die "tests failed; all of their output is in build/release/test.log"
}

TestSpark() {
  local version failed=''
  Build release all
  for version in $(SparkVersions); do
    StartSpark "$version"
    RunTests "build/release/test-spark-$version.log" -L '^spark$' || failed+=" $version"
    StopSpark
  done
  [ -z "$failed" ] || Die "tests failed on Spark$failed; their output is in build/release/test-spark-*.log"
}
