// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/digest.h"
#include "examples/example.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

class FlightsExampleTables : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("protium-flights-{}", getpid());
  void TearDown() override { fs::remove_all(folder_); }

  std::string Text(const fs::path& file) { return ReadTextFile(file).ValueOrDie(); }
  std::string Write(int64_t rows, int64_t seed) {
    EXPECT_TRUE(WriteFlightsExample(folder_, {.rows = rows, .seed = seed}).ok());
    std::string digests;
    for (const char* table : {"airlines", "airports", "planes", "weather", "flights"}) {
      digests += Sha256Hex(Text(folder_ / fmt::format("{}.csv", table)));
    }
    return digests;
  }
};

TEST_F(FlightsExampleTables, AreTheSameForTheSameSeedOnly) {
  const std::string first = Write(500, 1);
  EXPECT_EQ(Write(500, 1), first);
  EXPECT_NE(Write(500, 2), first);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 5);
}

// The bytes of seed 1, so that a change of compiler or machine that moves them is noticed.
TEST_F(FlightsExampleTables, HaveKnownBytes) {
  EXPECT_EQ(Sha256Hex(Write(500, 1)).substr(0, 16), "c4e4f00850f9299c");
}

TEST_F(FlightsExampleTables, HaveRaggedEdgesAsRealOnesDo) {
  Write(3000, 3);
  std::istringstream flights(Text(folder_ / "flights.csv"));
  const std::string planes = Text(folder_ / "planes.csv");
  std::string line;
  std::getline(flights, line);
  EXPECT_EQ(std::count(line.begin(), line.end(), ','), 15);
  int rows = 0, cancelled = 0, strangers = 0;
  while (std::getline(flights, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 16u) << line;
    ++rows;
    cancelled += cells[6] == "NA";
    strangers += planes.find("\n" + cells[8] + ",") == planes.npos;
  }
  EXPECT_EQ(rows, 3000);
  EXPECT_GT(cancelled, 10);
  EXPECT_GT(strangers, 200);
  EXPECT_LT(strangers, 700);
}

}  // namespace protium
