# SPDX-License-Identifier: Apache-2.0
# Programs that read inputs made at random (tests/fuzz); CONTRIBUTING.md says how to work with them.

# What they are compiled with is needed by nothing else.
BuildFuzz() {
  mkdir -p build/fuzz
  LOG=$PWD/build/fuzz/build.log
  InstallPackages fuzz
  Build fuzz "$@"
}

# The targets by the files that hold them.
FuzzTargets() { sed -n 's/^set(targets \(.*\))$/\1/p' tests/fuzz/CMakeLists.txt; }

# Fuzz [TARGET] [--runs N | --seconds N]: one after the other, each as long.
Fuzz() {
  local targets target failed=''
  targets=$(FuzzTargets)
  if [ $# -gt 0 ] && [[ "$1" != --* ]]; then
    [[ " $targets " == *" $1 "* ]] || Die "unknown target '$1': $targets"
    targets=$1
    shift
  fi
  case "${1:---seconds} ${2:-60}" in
    "--runs "[1-9]* | "--seconds "[1-9]*) ;;
    *) Die "./dev fuzz [TARGET] [--runs N | --seconds N]" ;;
  esac
  # shellcheck disable=SC2086
  BuildFuzz $(printf 'fuzz_%s ' $targets)
  for target in $targets; do
    Say "==> fuzz_$target ..."
    tests/fuzz/run.sh "$target" "${1:---seconds}" "${2:-60}" || failed+=" $target"
  done
  [ -z "$failed" ] || Die "findings:$failed; their inputs are in build/fuzz/findings"
}
