# SPDX-License-Identifier: Apache-2.0
# Configures and builds a preset.

# As many jobs as cores, but a file that sees LibTorch takes about a gigabyte.
Jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ { print int($2 / 1300000) }' /proc/meminfo)
  ((memory < 1)) && memory=1
  echo $((cores < memory ? cores : memory))
}

# RunBuild PRESET [TARGET...]: on a terminal the compiler's progress is shown, elsewhere only errors.
RunBuild() {
  local preset=$1 targets=()
  shift
  (($#)) && targets=(--target "$@")
  if [ -t 1 ]; then
    cmake --preset "$preset" -Wno-dev >>"$LOG" && cmake --build --preset "$preset" -j "$(Jobs)" "${targets[@]}"
  else
    cmake --preset "$preset" -Wno-dev >>"$LOG" 2>&1 &&
      cmake --build --preset "$preset" -j "$(Jobs)" "${targets[@]}" >>"$LOG" 2>&1
  fi
}

ShowBuildErrors() {
  grep -aE -A6 '(error|Error|undefined reference|FAILED|No space left|Killed)' "$LOG" | head -n 40 >&2
}

Build() {
  local preset=$1 start=$SECONDS
  [ -d "build/$preset" ] || grep -q "\"name\": \"$preset\"" CMakePresets.json ||
    Die "unknown preset '$preset': lite, dev, release, aarch64, asan, asan-lite, tsan, fuzz"
  mkdir -p "build/$preset"
  LOG=$PWD/build/$preset/build.log
  : >"$LOG"
  Say "==> building $preset with $(Jobs) jobs ..."
  RunBuild "$@" || {
    ShowBuildErrors
    Die "the $preset build failed; all of its output is in build/$preset/build.log"
  }
  Say "built $preset in $(Spent $((SECONDS - start)))"
}

# BuildAsAsked [PRESET] [tests]
BuildAsAsked() {
  local preset=release target=product word
  for word; do
    if [ "$word" = tests ]; then target=all; else preset=$word; fi
  done
  [ "$preset" != aarch64 ] || SetUpCross
  Build "$preset" "$target"
}
