// SPDX-License-Identifier: Apache-2.0
// Finds the shared libraries that a program or a library needs by asking the dynamic loader: only
// the loader knows RUNPATH, LD_LIBRARY_PATH and its cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// A file to be bundled.
struct BundleMember {
  std::string name;  // In the bundle: "bin/program", "lib/libc.so.6".
  std::filesystem::path file;
  int64_t bytes = 0;
  // Time of the last change, in nanoseconds since 1970.
  int64_t changed_ns = 0;
  bool operator==(const BundleMember&) const = default;
};

// Returns the file that `file` leads to (links are followed), to be bundled as `name`.
Result<BundleMember> MemberAt(std::string name, const std::filesystem::path& file);

// Returns `program` as bin/program, its loader, and everything that the loader would load for it if
// it were started from this process; sorted by name after the first two. A library that is not
// found, or that is requested by path, is a Fault of exit kEnvironment that names it.
Result<std::vector<BundleMember>> ProgramClosure(const std::filesystem::path& program);

// The same for a shared library, without a loader.
Result<std::vector<BundleMember>> LibraryClosure(const std::filesystem::path& library);

// What an ELF file says about itself. Only 64-bit little-endian files are read; the fields are
// empty for any other file.
struct ElfNotes {
  std::string loader;       // The dynamic loader that a program requests.
  uint32_t isa_needed = 0;  // GNU_PROPERTY_X86_ISA_1_NEEDED: bits 1, 2, 3 are x86-64-v2, v3, v4.
};
ElfNotes ReadElfNotes(const std::filesystem::path& file);

}  // namespace protium
