// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/digest.h"
#include "examples/example.h"
#include "examples/stores_world.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

class StoresExampleTables : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("protium-stores-{}", getpid());
  void TearDown() override { fs::remove_all(folder_); }

  std::string Text(const char* name) { return ReadTextFile(folder_ / name).ValueOrDie(); }
  int64_t Lines(const char* name) {
    const std::string text = Text(name);
    return std::count(text.begin(), text.end(), '\n');
  }
  std::string Write(int64_t rows, int64_t seed) {
    EXPECT_TRUE(WriteStoresExample(folder_, {.rows = rows, .seed = seed}).ok());
    std::string digests;
    for (const Example& each : ListExamples()) {
      if (each.name != std::string("stores")) continue;
      for (const std::string& file : each.files) digests += Sha256Hex(Text(file.c_str()));
    }
    return digests;
  }
};

TEST_F(StoresExampleTables, AreTheSameForTheSameSeedOnly) {
  const std::string first = Write(2000, 1);
  EXPECT_EQ(Write(2000, 1), first);
  EXPECT_NE(Write(2000, 2), first);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 7);
}

// The bytes of seed 1, so that a change of compiler or machine that moves them is noticed.
TEST_F(StoresExampleTables, HaveKnownBytes) {
  EXPECT_EQ(Sha256Hex(Write(2000, 1)).substr(0, 16), "d9bddd5c699d698f");
}

TEST_F(StoresExampleTables, HaveWholeShopsAndTheDaysToCome) {
  Write(20 * 942 - 5, 3);
  EXPECT_EQ(Lines("stores.csv"), 21);
  EXPECT_EQ(Lines("store_regions.csv"), 21);
  EXPECT_EQ(Lines("regions.csv"), 13);
  EXPECT_EQ(Lines("weather.csv"), 1 + 12 * 990);
  EXPECT_EQ(Lines("future.csv"), 1 + 20 * 48);
  // Some report nothing for half a year of 184 days.
  EXPECT_LE(Lines("sales.csv"), 1 + 20 * 942);
  EXPECT_EQ((1 + 20 * 942 - Lines("sales.csv")) % 184, 0);
}

// Closed shops sell nothing, and open ones something.
TEST_F(StoresExampleTables, HaveSalesOnOpenDaysOnly) {
  Write(20 * 942, 4);
  std::istringstream sales(Text("sales.csv"));
  std::string line;
  std::getline(sales, line);
  EXPECT_EQ(line, "store,date,weekday,open,promo,public_holiday,school_holiday,sales,customers");
  int64_t closed = 0;
  while (std::getline(sales, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 9u) << line;
    ASSERT_EQ(cells[3] == "1", std::stoll(cells[7]) > 0) << line;
    closed += cells[3] == "0";
  }
  EXPECT_GT(closed, 20 * 942 / 8);
  EXPECT_LT(closed, 20 * 942 / 4);
}

TEST(StoresCalendar, CountsDaysFromTheFirstOf2013) {
  EXPECT_EQ(stores::DateText(0), "2013-01-01");
  EXPECT_EQ(stores::DateText(stores::kKnownDays - 1), "2015-07-31");
  EXPECT_EQ(stores::DateText(-3), "2012-12-29");
  EXPECT_EQ(stores::WeekdayOf(0), 2);
  EXPECT_EQ(stores::WeekdayOf(5), 7);
}

}  // namespace protium
