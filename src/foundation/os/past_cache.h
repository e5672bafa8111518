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

// A second description of a file, with the access of open(2), that is read and written past the
// cache. None where the file system has no such way; the first one takes everything there.
UniqueFd OpenPastCache(const UniqueFd& fd, int access);

// Whether the way past the cache takes a piece, at `at` in its file: it is large, and both it and
// its place are whole pages. A disk with larger blocks than pages says EINVAL all the same.
bool FitsPastCache(int64_t at, std::span<const std::byte> bytes);

}  // namespace protium
