// SPDX-License-Identifier: Apache-2.0
// How many workers a person wants a running gang to have: `protium scale` writes it to a file, for
// which the driver looks.
#pragma once

#include <cstdint>
#include <filesystem>

namespace protium {

// The file's name, in a run's folder or in that of a gang of programs.
inline constexpr char kWorkersWanted[] = "workers-wanted";

// 0 where nobody wants anything, or the file holds no number above 0.
int32_t ReadWish(const std::filesystem::path& file);

}  // namespace protium
