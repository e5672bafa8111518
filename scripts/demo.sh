# SPDX-License-Identifier: Apache-2.0
# The example, from nothing to its scored table.

Demo() {
  local start=$SECONDS
  # One configuration serves demo and test, so that neither makes the other build again.
  Build release product
  [ -e examples/flights/data/flights.csv ] || build/release/bin/protium example flights examples/flights/data --rows 30000 --seed 7
  build/release/bin/protium run examples/flights/flights.toml "$@"
}
