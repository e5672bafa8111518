// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "base/digest.h"
#include "examples/example.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

class VisitsExample : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("protium-visits-{}", getpid());
  void TearDown() override { fs::remove_all(folder_); }

  std::string Write(int64_t rows, int64_t seed) {
    EXPECT_TRUE(WriteVisitsExample(folder_, {.rows = rows, .seed = seed}).ok());
    return ReadTextFile(folder_ / "visits.csv").ValueOrDie();
  }
};

TEST_F(VisitsExample, IsTheSameForTheSameSeedOnly) {
  const std::string first = Write(500, 1);
  EXPECT_EQ(Write(500, 1), first);
  EXPECT_NE(Write(500, 2), first);
}

// The bytes of seed 1, so that a change of compiler or machine that moves them is noticed.
TEST_F(VisitsExample, HasKnownBytes) {
  EXPECT_EQ(Sha256Hex(Write(500, 1)).substr(0, 16), "d993686f8d61293b");
}

TEST_F(VisitsExample, HasFewOrdersManyTyposAndEmptyCells) {
  std::istringstream table(Write(20'000, 3));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(
      line,
      "visit,started,registered,orders,country,device,came_from,seconds,pages,message,bought");
  int bought = 0, unknown = 0;
  std::set<std::string> sources, lists;
  while (std::getline(table, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 11u) << line;
    ASSERT_TRUE(cells[10] == "true" || cells[10] == "false") << line;
    // Nobody visits before the day on which they signed up.
    ASSERT_LE(cells[2], cells[1]) << line;
    ASSERT_EQ(cells[2].empty(), cells[3].empty()) << line;
    bought += cells[10] == "true";
    unknown += cells[2].empty();
    sources.insert(cells[6]);
    lists.insert(cells[8]);
  }
  EXPECT_NEAR(bought, 800, 120);
  EXPECT_GT(unknown, 20'000 * 2 / 5);
  EXPECT_GT(sources.size(), 200u);
  EXPECT_GT(lists.size(), 2'000u);
}

}  // namespace protium
