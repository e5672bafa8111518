// SPDX-License-Identifier: Apache-2.0
// A bundle as a file: its hash, the processor features it needs, and how it is written. The format
// is that of spark_worker/bundle_format.h; the launcher (launcher/bundle.h) reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "spark/ship/closure.h"

namespace protium {

// XXH3-128 as 32 lower-case hex digits.
std::string ContentHash(std::string_view bytes);
// ContentHash of a file, read in pieces.
Result<std::string> FileHash(const std::filesystem::path& file);

// A bundle in a file on the driver's machine.
struct Bundle {
  std::string hash;            // 32 hex digits; equal content has an equal hash.
  std::filesystem::path file;  // Uploaded as kBundlePrefix + hash.
  int64_t bytes = 0;           // Of the file.
  int64_t unpacked_bytes = 0;
};

// Returns the features that a processor must have to run `members`, in the compiler's spelling:
// x86-64-v2 for Arrow, and more if a file's ELF notes or this build's own flags require it.
std::vector<std::string> NeededFeatures(std::span<const BundleMember> members);

// Writes the bundle of `members` into `folder` as kBundlePrefix + hash, whole or not at all. A file
// whose length changes meanwhile is a Fault.
Result<Bundle> WriteBundle(std::span<const BundleMember> members,
                           const std::filesystem::path& folder);

}  // namespace protium
