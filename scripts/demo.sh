# SPDX-License-Identifier: Apache-2.0
# The example, from nothing to its scored table.

MakeTables() {
  build/release/bin/protium example flights examples/flights/data --rows 30000 --seed 7
}

Demo() {
  # One configuration serves demo and test, so that neither makes the other build again.
  Build release embedded
  [ -e examples/flights/data/flights.csv ] || MakeTables
  Say "==> running examples/flights/flights.toml ..."
  build/release/bin/protium run examples/flights/flights.toml
  Say "==> the whole run in the browser: build/release/bin/protium ui"
}
