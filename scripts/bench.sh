# SPDX-License-Identifier: Apache-2.0
# Our figures beside those of others. bench/README.md says what each number means.

Bench() {
  Build release product benches
  [ -e examples/flights/data/flights.csv ] || MakeTables
  if [[ " $* " == *serverless* ]]; then
    Say "==> setting up the peers of serverless (0.6 GiB the first time) ..."
    bench/peers/serverless.sh
  elif [[ " $* " != *" --ours "* ]]; then
    Say "==> setting up the peers (4.7 GiB the first time) ..."
    bench/peers/setup.sh
    [[ " $* " != *horovod* ]] || bench/peers/horovod.sh
  fi
  python3 bench/bench.py "$@"
}
