// SPDX-License-Identifier: Apache-2.0
#include "os/new_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "os/file.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

TEST(WriteNewFile, OfManyAtOnceOneWins) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const std::filesystem::path path = folder.path() / "a";
  std::atomic<int> won = 0;
  std::string winner;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 8; ++i) {
      writers.emplace_back([&, i] {
        const auto mine = WriteNewFile(path, std::to_string(i));
        if (!mine.ok() || !*mine) return;
        ++won;
        winner = std::to_string(i);
      });
    }
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(*ReadFile(path), winner);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_FALSE(*WriteNewFile(path, "later"));
  EXPECT_FALSE(WriteNewFile(folder.path() / "none" / "a", "").ok());
}

}  // namespace
}  // namespace protium
