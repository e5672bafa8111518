# SPDX-License-Identifier: Apache-2.0
# Style: what a machine can see of it. Every check runs, then all findings are printed at once.

CheckFormat() {
  local files
  files=$(git ls-files --cached --others --exclude-standard -- '*.cc' '*.h')
  # shellcheck disable=SC2086
  clang-format --dry-run $files 2>&1 | sed -n 's/^\([^ ]*:[0-9]*\):[0-9]*: .*clang-format-violations.*/\1: not as clang-format writes it/p' |
    sort -u -t: -k1,1 >build/check.format
  cat build/check.format
  [ ! -s build/check.format ]
}

# Types of the page, where its packages are; the build checks them, too.
CheckTypes() {
  [ -e .deps/web/node_modules ] || { echo "the page's packages are missing: ./dev setup"; return 1; }
  rm -rf build/check.web && cp -r web build/check.web &&
    ln -s "$PWD/.deps/web/node_modules" build/check.web/node_modules &&
    (cd build/check.web && "$kNode/node" node_modules/typescript/bin/tsc)
}

# The constructors of stages.
CheckStages() { python3 scripts/stage_doors.py --check; }

Check() {
  local failed=0 name
  mkdir -p build
  LOG=$PWD/build/check.log
  : >"$LOG"
  CheckSystem
  InstallPackages build
  InstallPackages check
  for name in Format Types Stages floors house sizes names words docs events; do
    local found
    if [ "$name" = house ]; then found=$(python3 scripts/draw_house.py --check 2>&1) || failed=$((failed + 1))
    elif [[ "$name" =~ ^[A-Z] ]]; then found=$("Check$name" 2>&1) || failed=$((failed + 1))
    else found=$(python3 "scripts/check_$name.py" 2>&1) || failed=$((failed + 1)); fi
    if [ -n "$found" ]; then
      printf '%-8s %s\n' "${name,,}" "$(wc -l <<<"$found") findings"
      sed 's/^/  /' <<<"$found"
    else
      printf '%-8s ok\n' "${name,,}"
    fi
  done
  ((failed == 0)) || Die "$failed of 10 checks failed"
}
