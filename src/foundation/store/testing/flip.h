// SPDX-License-Identifier: Apache-2.0
// For tests: what a bad disk does to a file.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace protium {

// Flips a bit in the middle of a file that is not empty, whose size and times stay.
inline void FlipBit(const std::filesystem::path& file) {
  const auto time = std::filesystem::last_write_time(file);
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = std::streamoff(std::filesystem::file_size(file) / 2);
    stream.seekg(at);
    const char byte = char(stream.get() ^ 4);
    stream.seekp(at);
    stream.put(byte);
    ASSERT_TRUE(stream.flush()) << file;
  }
  std::filesystem::last_write_time(file, time);
}

}  // namespace protium
