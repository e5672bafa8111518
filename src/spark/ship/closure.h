// SPDX-License-Identifier: Apache-2.0
// The shared libraries that a program or a library needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// A file on its way into a bundle.
struct BundleMember {
  std::string name;  // In the bundle: "bin/program", "lib/libc.so.6".
  std::filesystem::path file;
  int64_t bytes = 0;
  int64_t changed_ns = 0;  // When, since 1970.
  bool operator==(const BundleMember&) const = default;
};

// What is at `file` now, to stand as `name`.
Result<BundleMember> MemberAt(std::string name, const std::filesystem::path& file);

// `program` as bin/program and all that the dynamic loader would load for it, as it would be
// started from this process (LD_LIBRARY_PATH counts), the loader itself included; ordered by name.
// A library that is not found, or is asked for by a path, fails as kEnvironment and is named.
Result<std::vector<BundleMember>> ProgramClosure(const std::filesystem::path& program);

// The same for a shared library, without a loader.
Result<std::vector<BundleMember>> LibraryClosure(const std::filesystem::path& library);

// What an ELF file tells of itself. 64 bits, little-endian; empty fields when it is no such file.
struct ElfNotes {
  std::string loader;       // The dynamic loader that a program asks for.
  uint32_t isa_needed = 0;  // GNU_PROPERTY_X86_ISA_1_NEEDED: bits 1, 2, 3 are x86-64-v2, v3, v4.
};
ElfNotes ReadElfNotes(const std::filesystem::path& file);

}  // namespace protium
