#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/run.sh TARGET [--seconds N | --runs N | --same N]: lets one program of build/fuzz read
# what libFuzzer makes up, from the seeds in corpus/TARGET on. What it learns is kept in
# build/fuzz/corpus, a finding in build/fuzz/findings. --same: N inputs that are the same each time,
# and nothing of what was learned before.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=$(dirname "$(dirname "$here")")/build/fuzz
target=$1 limit=(-max_total_time=60) learned=$build/corpus/$1
scratch=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$scratch"' EXIT
case "${2:-}" in
  --seconds) limit=(-max_total_time="$3") ;;
  --runs) limit=(-runs="$3") ;;
  --same) limit=(-runs="$3" -seed=1) learned=$scratch/learned ;;
esac
program=$build/bin/fuzz_$target
if [ ! -x "$program" ]; then
  echo "skipped: $program is not built; ./dev fuzz builds it"
  exit 77
fi

findings=$build/findings/$target log=$build/log/$target.log
mkdir -p "$findings" "$build/log" "$learned"
options=(-timeout=10 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 -print_funcs=0
  -artifact_prefix="$findings/" "${limit[@]}")
[ ! -e "$here/$target.dict" ] || options+=(-dict="$here/$target.dict")
# Arrow, DuckDB and Parquet are not instrumented: of containers that they share with us nothing is
# known, and their memory is counted only where it is that of the C library.
export TMPDIR=$scratch ARROW_DEFAULT_MEMORY_POOL=system
export ASAN_OPTIONS=detect_container_overflow=0:handle_abort=1
export UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$here/leaks.txt:print_suppressions=0
# Of whichever LLVM is here: without it, findings have addresses instead of lines.
symbolizers=(/usr/lib/llvm-*/bin/llvm-symbolizer)
export ASAN_SYMBOLIZER_PATH=${ASAN_SYMBOLIZER_PATH:-${symbolizers[-1]}}

status=0
"$program" "${options[@]}" "$learned" "$here/corpus/$target" >"$log" 2>&1 || status=$?
grep -E '^(Done|stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb))' "$log" || true
[ "$status" -ne 0 ] || exit 0
found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
grep -aE -m 12 '(ERROR|SUMMARY|runtime error|bug:|^ +#[0-9]+ .*protium)' "$log" || tail -n 20 "$log"
echo "fuzz_$target found something; all of its output is in $log"
[ -z "$found" ] || echo "again with: $program $found"
exit 1
