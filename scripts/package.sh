# SPDX-License-Identifier: Apache-2.0
# What is installed as files for others, in dist/: an archive that runs wherever it is unpacked, with
# all that it needs, and packages for Debian 12, which need some of Debian's.

PackageVersion() { sed -n 's/^project(protium VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt; }

# Of the libraries that ours are linked with, those of Debian: the lines of `Depends`.
readonly kDebianNeeds='libc6 (>= 2.36), libstdc++6 (>= 12), libfmt9, libssl3, libicu72, libpcre2-8-0,
 libpng16-16, libjpeg62-turbo, libsqlite3-0, librdkafka1, libgrpc++1.51, libprotobuf32, libzstd1, libyaml-0-2, libcpp-httplib0.11, zlib1g'

# Archive VERSION: protium-VERSION-linux-x86_64.tar.zst.
Archive() {
  local stage=build/release/package/protium-$1 file=dist/protium-$1-linux-x86_64.tar.zst
  InstallInto "$stage"
  PYTHONPATH=scripts/wheel python3 -c 'import closure, sys; closure.stand_alone(sys.argv[1])' "$stage" ||
    Die "there is no archive"
  tar -C build/release/package --sort=name --owner=0 --group=0 --numeric-owner -cf - "protium-$1" |
    zstd -q -f -10 -T0 -o "$file"
  rm -rf "$stage"
  Say "$file  $(Mebibytes "$file") MiB"
}

Mebibytes() { echo $(($(stat -c %s "$1") / 1048576)); }

# Deb NAME VERSION NEEDS SAYS: packs build/release/package/NAME, whose files are in place.
Deb() {
  local root=build/release/package/$1 file=dist/$1_$2_amd64.deb
  mkdir -p "$root/DEBIAN"
  cat >"$root/DEBIAN/control" <<TEXT
Package: $1
Version: $2
Architecture: amd64
Maintainer: The Protium authors <protium@localhost>
Section: science
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: $3
Description: $4
TEXT
  dpkg-deb --root-owner-group -Zzstd -z10 --build "$root" "$file" >>"$LOG" 2>&1 || Die "no $file: see $LOG"
  Say "$file  $(Mebibytes "$file") MiB"
}

# The package splits in what programs run with and what they are built with.
Debs() {
  local base=build/release/package part
  local run=$base/protium dev=$base/libprotium-dev
  for part in protium needed torch; do
    DESTDIR=$PWD/$run cmake --install build/release --prefix /usr --component $part --strip >>"$LOG" 2>&1 ||
      Die "nothing could be installed: see $LOG"
  done
  mkdir -p "$dev/usr/lib/protium"
  mv "$run/usr/include" "$dev/usr/"
  mv "$run/usr/lib/cmake" "$dev/usr/lib/"
  mv "$run/usr/lib/protium/include" "$run/usr/lib/protium/torch" "$dev/usr/lib/protium/"
  Deb protium "$1" "$kDebianNeeds" 'From raw tables to a trained model and scored tables, in one job'
  Deb libprotium-dev "$1" "protium (= $1), nlohmann-json3-dev, libfmt-dev" \
    'Headers and CMake package of Protium, for programs of your own'
}

Package() {
  local start=$SECONDS version
  command -v zstd >/dev/null || Die "zstd is missing: apt-get install zstd"
  Build release product
  version=$(PackageVersion)
  mkdir -p dist
  rm -rf build/release/package
  Say "==> packing ..."
  Archive "$version"
  Debs "$version"
  rm -rf build/release/package
  Say "made in $(Spent $((SECONDS - start)))"
}
