// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "base/digest.h"
#include "examples/example.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

class ClicksExample : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("protium-clicks-{}", getpid());
  void TearDown() override { fs::remove_all(folder_); }

  std::string Write(const ExampleSize& size) {
    EXPECT_TRUE(WriteClicksExample(folder_, size).ok());
    return ReadTextFile(folder_ / "clicks.csv").ValueOrDie();
  }
};

TEST_F(ClicksExample, IsTheSameForTheSameSeedAndNumberOfIdsOnly) {
  const std::string first = Write({.rows = 300, .seed = 1});
  EXPECT_EQ(Write({.rows = 300, .seed = 1}), first);
  EXPECT_NE(Write({.rows = 300, .seed = 2}), first);
  EXPECT_NE(Write({.rows = 300, .seed = 1, .ids = 1000}), first);
}

// The bytes of seed 1, so that a change of compiler or machine that moves them is noticed.
TEST_F(ClicksExample, HasKnownBytes) {
  EXPECT_EQ(Sha256Hex(Write({.rows = 300, .seed = 1})).substr(0, 16), "312b8c085f389711");
}

TEST_F(ClicksExample, HasFewFrequentIdsAndManyRareOnes) {
  std::istringstream table(Write({.rows = 20'000, .seed = 3}));
  std::string line;
  std::getline(table, line);
  EXPECT_TRUE(line.starts_with("shown,n1,") && line.ends_with(",c26,clicked")) << line;
  int clicked = 0, unknown = 0;
  std::map<std::string, int> ids;  // Of the largest column.
  while (std::getline(table, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 41u) << line;
    clicked += cells[40] == "1";
    unknown += cells[14 + 7].empty();
    ++ids[cells[14]];
  }
  EXPECT_NEAR(clicked, 4'400, 1'000);
  EXPECT_NEAR(unknown, 2'000, 200);
  // Of 40,000 ids with Zipf's frequencies the first has 6 rows in 100.
  EXPECT_GT(ids.size(), 4'000u);
  const auto most = std::ranges::max_element(ids, {}, [](const auto& each) { return each.second; });
  EXPECT_NEAR(most->second, 1'290, 300);
}

}  // namespace protium
