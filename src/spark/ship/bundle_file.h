// SPDX-License-Identifier: Apache-2.0
// A bundle as a file; what it is made of stands in spark/ship/bundle_format.h.
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
Result<std::string> FileHash(const std::filesystem::path& file);

// A bundle that lies in a file.
struct Bundle {
  std::string hash;            // 32 hex digits; the same content has the same.
  std::filesystem::path file;  // To be uploaded as kBundlePrefix + hash.
  int64_t bytes = 0;           // Of the file.
  int64_t unpacked_bytes = 0;
};

// Features that the processor must have to run `members`, in the compiler's spelling.
std::vector<std::string> NeededFeatures(std::span<const BundleMember> members);

// Writes the bundle of `members` into `folder` under its name, whole or not at all.
Result<Bundle> WriteBundle(std::span<const BundleMember> members,
                           const std::filesystem::path& folder);

}  // namespace protium
