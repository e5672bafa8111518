# SPDX-License-Identifier: Apache-2.0
# Gangs that bend, disturbed at random. docs/elastic.md says what they promise.

Soak() {
  Build release embedded
  [ -e examples/flights/data/flights.csv ] || MakeTables
  python3 scripts/soak.py --command build/release/bin/protium --job examples/flights/flights.toml \
    --data examples/flights/data "$@"
}
