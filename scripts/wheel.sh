# SPDX-License-Identifier: Apache-2.0
# The Python package as one file: what is installed, with all that it needs, in dist/.

# InstallInto PREFIX: the package that runs, without what programs are built with.
InstallInto() {
  local component
  rm -rf "$1"
  for component in protium needed torch; do
    cmake --install build/release --prefix "$1" --component "$component" --strip >>"$LOG" 2>&1 ||
      Die "nothing could be installed: see $LOG"
  done
  rm -rf "$1/include" "$1/lib/cmake" "$1/lib/protium/include" "$1/lib/protium/torch"
}

# TryWheel FILE: installs it into an environment of its own and runs the package's tests there.
TryWheel() {
  local scratch
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/wheel.XXXXXX")
  python3 -m venv "$scratch/venv" >>"$LOG" 2>&1 || {
    Say "the wheel was not tried: python3-venv is missing"
    rm -rf "$scratch"
    return
  }
  "$scratch/venv/bin/pip" install -q "$1" numpy >>"$LOG" 2>&1 || Die "the wheel cannot be installed: see $LOG"
  cp python/tests/*.py "$scratch"
  local passed=yes
  (cd "$scratch" && env -u PYTHONPATH -u PROTIUM_HOME venv/bin/python -m unittest discover) >>"$LOG" 2>&1 ||
    passed=no
  rm -rf "$scratch"
  [ $passed = yes ] || Die "the wheel does not pass its tests: see $LOG"
  Say "tried in an environment of its own: $(tail -n 1 "$LOG")"
}

Wheel() {
  local start=$SECONDS stage=build/release/wheel
  Build release product
  Say "==> making the wheel ..."
  rm -f dist/protium-*.whl
  InstallInto "$stage"
  python3 scripts/wheel/build.py "$stage" dist || Die "there is no wheel"
  rm -rf "$stage"
  TryWheel dist/protium-*.whl
  Say "made in $(Spent $((SECONDS - start)))"
}
