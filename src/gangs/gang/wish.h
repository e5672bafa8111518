// SPDX-License-Identifier: Apache-2.0
// How many workers a user wants a running gang to have: `protium scale` writes the number to a file
// that the driver reads.
#pragma once

#include <cstdint>
#include <filesystem>

namespace protium {

// The file's name, in a run's folder or in that of a gang of programs.
inline constexpr char kWorkersWanted[] = "workers-wanted";

// Returns 0 if there is no wish, or the file holds no number above 0.
int32_t ReadWish(const std::filesystem::path& file);

}  // namespace protium
