// SPDX-License-Identifier: Apache-2.0
// Reads and writes past the page cache (O_DIRECT): for large pieces this takes a fraction of the
// processor's time, and other files stay in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "os/fd.h"

namespace protium {

inline constexpr int64_t kPastCachePage = 4096;
inline constexpr int64_t kPastCacheLeast = 256 << 10;

// Opens the file again, with the access of open(2), to read and write it past the cache. None if
// the file system cannot do that; then use `fd` for everything.
UniqueFd OpenPastCache(const UniqueFd& fd, int access);

// Whether a piece at `at` in its file can bypass the cache: it is large, and its memory, size and
// offset are whole pages. A disk whose blocks are larger than pages still says EINVAL.
bool FitsPastCache(int64_t at, std::span<const std::byte> bytes);

}  // namespace protium
