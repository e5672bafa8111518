# SPDX-License-Identifier: Apache-2.0
# Is this machine one we know, and does it have the Debian packages? Installs only those missing.
readonly kDiskNeededGb=6

CheckSystem() {
  local system
  system=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown} ${VERSION_ID:-}") || system=unknown
  [ "$system" = "debian 12" ] || Die "unsupported system '$system': Debian 12 is what this builds on"
  [ "$(uname -m)" = x86_64 ] || Die "unsupported processor '$(uname -m)': x86_64 is needed"
  grep -qm1 sse4_2 /proc/cpuinfo || Die "unsupported processor: it lacks SSE 4.2, which Arrow needs"
}

CheckDisk() {
  local free_kb
  free_kb=$(df -Pk . | awk 'NR == 2 { print $4 }')
  ((free_kb >= kDiskNeededGb * 1024 * 1024)) ||
    Die "not enough disk: $((free_kb / 1024)) MiB free in $PWD, $kDiskNeededGb GiB are needed"
}

AsRoot() {
  if ((EUID == 0)); then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# The packages for a purpose that are not installed. Another Python with pip serves as well.
MissingPackages() {
  local wanted
  wanted=$(sed -n "s/^$1 //p" scripts/debian-packages.txt | tr ' ' '\n')
  if python3 -m pip --version >/dev/null 2>&1; then
    wanted=$(grep -vx 'python3\|python3-pip' <<<"$wanted")
  fi
  # shellcheck disable=SC2086
  comm -23 <(sort <<<"$wanted") \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
      sed -n 's/^installed //p' | sort)
}

InstallPackages() {
  local missing
  missing=$(MissingPackages "$1" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || Die "Debian packages are missing; run as root or install sudo: $missing"
    sudo -v || Die "Debian packages are missing and sudo refused: $missing"
  fi
  Step "looking up Debian packages" AsRoot apt-get update -q -o APT::Update::Error-Mode=any ||
    Die "the Debian package servers cannot be reached: $(Reason)"
  # shellcheck disable=SC2086
  Step "installing Debian packages: $missing" \
    AsRoot apt-get install -y -q --no-install-recommends $missing ||
    Die "Debian packages could not be installed: $(Reason)"
}
