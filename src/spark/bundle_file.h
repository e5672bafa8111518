// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "spark/bundle.h"
#include "spark/closure.h"

namespace protium {

// XXH3-128 as 32 lower-case hex digits.
std::string ContentHash(std::string_view bytes);
Result<std::string> FileHash(const std::filesystem::path& file);

// Features that the processor must have to run `members`, in the compiler's spelling.
std::vector<std::string> NeededFeatures(std::span<const BundleMember> members);

// Writes the bundle of `members` into `folder` under its name, whole or not at all.
Result<Bundle> WriteBundle(std::span<const BundleMember> members,
                           const std::filesystem::path& folder);

}  // namespace protium
