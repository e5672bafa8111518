// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.h"

namespace protium {

// Writes all of `bytes` at the descriptor's position. An error names `path` and, like every
// SystemFault, says of a full disk that it is one.
Status WriteAll(int fd, std::string_view bytes, const std::filesystem::path& path);

}  // namespace protium
