# SPDX-License-Identifier: Apache-2.0
# Gangs that bend, disturbed at random. docs/elastic.md says what they promise.

# `./dev soak --spark [N]` runs them on a server of its own.
Soak() {
  local engine=() status=0
  Build release
  [ -e examples/flights/data/flights.csv ] || MakeTables
  if [ "${1:-}" = --spark ]; then
    shift
    StartSpark "$kTestedSpark"
    engine=(--engine "$PROTIUM_TEST_SPARK")
  fi
  python3 scripts/soak.py --command build/release/bin/protium --job examples/flights/flights.toml \
    --data examples/flights/data "${engine[@]}" "$@" || status=$?
  [ ${#engine[@]} -eq 0 ] || StopSpark
  return $status
}
