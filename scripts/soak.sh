# SPDX-License-Identifier: Apache-2.0
# Gangs that bend, disturbed at random (docs/elastic.md says what they promise), gangs whose servers
# hold rows of ids (docs/together.md), and servers that strangers attack (docs/serve.md).

# Honest clients, which must not feel the hostile ones beside them, for so many seconds.
SoakServers() {
  python3 scripts/soak_servers.py "${1:-300}" --command build/release/bin/protium \
    --job examples/flights/flights.toml --data examples/flights/data
}

# Gangs of workers and servers, the rows of some on the disk.
SoakTables() {
  local clicks=build/soak/clicks
  [ -e $clicks/clicks.csv ] || build/release/bin/protium example clicks $clicks --rows 60000 --ids 20000
  python3 scripts/soak.py --tables --command build/release/bin/protium --job examples/clicks/clicks.toml \
    --data $clicks "$@"
}

# `./dev soak --sources [KILLS]`: the job from and into a PostgreSQL server, killed while it commits.
# `./dev soak --spark [N]` runs the gangs on a Spark server of its own.
Soak() {
  local engine=() status=0
  Build release product
  [ -e examples/flights/data/flights.csv ] || MakeTables
  if [ "${1:-}" = --servers ]; then
    shift
    SoakServers "$@"
    return
  fi
  if [ "${1:-}" = --tables ]; then
    shift
    SoakTables "$@"
    return
  fi
  if [ "${1:-}" = --sources ]; then
    python3 scripts/soak_sources.py --command build/release/bin/protium --kills "${2:-30}" \
      --job examples/flights/flights.toml --data examples/flights/data
    return
  fi
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
