# SPDX-License-Identifier: Apache-2.0
# Runs every test of a release build and says what passed, failed and was skipped.

Test() {
  local results=build/release/test-results status=0
  Build release
  rm -rf "$results" && mkdir -p "$results"
  Say "==> running the tests ..."
  local start=$SECONDS
  ctest --test-dir build/release --timeout 900 --output-on-failure \
    --output-junit "$PWD/$results/ctest.xml" >build/release/test.log 2>&1 || status=$?
  Say "tested in $(Spent $((SECONDS - start)))"
  python3 scripts/test_summary.py "$results" || status=1
  ((status == 0)) || Die "tests failed; all of their output is in build/release/test.log"
}
