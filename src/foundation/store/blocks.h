// SPDX-License-Identifier: Apache-2.0
// Checksums of files: XXH3-128, some 10 GB/s. They find accidents, not forgeries: what must
// withstand an opponent is hashed with SHA-256 (base/digest.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

inline constexpr int64_t kBlockBytes = 4 << 20;

// 32 lower-case digits for every block of the first `bytes` of an open file; the last one may be
// shorter. A file that is shorter is a fault of kInput.
Result<std::vector<std::string>> HashBlocks(int fd, int64_t bytes);

// 32 lower-case digits for the whole of them.
Result<std::string> HashBytesOf(int fd, int64_t bytes);

// The same of a text.
std::string HashText(std::string_view text);

}  // namespace protium
