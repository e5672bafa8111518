// SPDX-License-Identifier: Apache-2.0
// A file that appears whole, and only if there is none of its name: of several processes that write
// it at once, one does.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.h"

namespace protium {

// Returns whether the file is ours; false: there was one, which stays as it is. It is on the disk
// then. A process that is killed may leave one beside it, whose name begins with a dot.
Result<bool> WriteNewFile(const std::filesystem::path& path, std::string_view text);

}  // namespace protium
