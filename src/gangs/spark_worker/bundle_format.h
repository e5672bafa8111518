// SPDX-License-Identifier: Apache-2.0
// A bundle is a program, or a library, with all shared libraries that it needs, loader and libc
// included, as one file. The driver writes it (spark/ship/bundle.h), the launcher on the executors
// unpacks it (launcher/bundle.h). The format is our own, version 1:
//
//   8 bytes   kBundleMagic
//   4 bytes   length of the manifest, little-endian
//   4 bytes   zero
//   manifest  text, below
//   the rest  one Zstandard frame: the contents of all files, in the order of the manifest
//
// The manifest has one entry per line, each line ended by a line break:
//
//   protium bundle 1
//   cpu FEATURE...                what the processor must have, in the compiler's spelling
//   total BYTES                   of all files, unpacked
//   f BYTES XXH3 lib/NAME         a file; `x` instead of `f`: it is a program
//
// XXH3 is XXH3-128 of the content as 32 lower-case hex digits. A bundle's own hash is the same over
// the manifest's text, and so covers every file. It detects damage, not forgery: whoever may upload
// a bundle may run any code there anyway. Names are bin/NAME or lib/NAME with NAME of letters,
// digits and ._+- and not starting with a dot. The program is bin/program, its loader
// lib/ld-linux-x86-64.so.2, or that of aarch64; a library's bundle has neither.
#pragma once

#include <cstdint>

namespace protium {

inline constexpr char kBundleMagic[] = "PTBUNDL1";
inline constexpr int64_t kBundleHeaderBytes = 16;
// Limits that the launcher checks a bundle's numbers against before it trusts them.
inline constexpr int64_t kMaxBundleListBytes = 1 << 20;
inline constexpr int64_t kMaxBundleBytes = int64_t{16} << 30;
inline constexpr int kMaxBundleName = 160;
inline constexpr int kHashDigits = 32;

// Names in the session's folder of artifacts. A launcher's name says which bundles it starts:
// kLauncherPrefix HASH-OF-ITSELF "." HASH-OF-PROGRAM [ "." HASH-OF-LIBRARY ].
inline constexpr char kLauncherPrefix[] = "protium-worker.";
inline constexpr char kBundlePrefix[] = "protium-bundle-";
// What a launcher that lacks bundles returns as the error of its task: this, then their hashes,
// each after a space. The driver does not treat it as a failure (Deployment::SendMissing).
inline constexpr char kNeedsBundle[] = "PROTIUM-NEEDS-BUNDLE";
// The environment variable in which the launcher passes a worker the descriptor of its connected
// socket.
inline constexpr char kWorkerSocket[] = "PROTIUM_SPARK_WORKER";

inline constexpr char kBundledProgram[] = "bin/program";
#if defined(__aarch64__)
inline constexpr char kBundledLoader[] = "lib/ld-linux-aarch64.so.1";
#else
inline constexpr char kBundledLoader[] = "lib/ld-linux-x86-64.so.2";
#endif

}  // namespace protium
