// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_series.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/fault.h"
#include "os/file.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using testing::ElementsAre;

// A table of `rows` lines, line i as `line` makes it, in an order that is not theirs.
class Table {
 public:
  Table(const std::string& header, int rows, const std::function<std::string(int)>& line) {
    std::string text = header + "\n";
    for (int i = 0; i < rows; ++i) text += line(i * 101 % rows) + "\n";
    EXPECT_TRUE(WriteFile(folder_.path() / "t.csv", text).ok());
  }

  Result<FirstSeries> Find(const SeriesGiven& given = {}) const {
    const TypedPlace place(folder_.path() / "t.csv");
    PT_LET(LookedPlace found, LookForTables(place, {}, "y", ""));
    LookedTable main = std::move(found.tables.front());
    PT_LET(const FirstSource source, FindSource(std::move(main), {}, "y"));
    return FindSeries(source, "y", given);
  }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::Make();
};

std::string Day(int day) {
  return fmt::format("2024-{:02}-{:02}", day / 28 % 12 + 1, day % 28 + 1);
}
std::string Hour(int hour) {
  return fmt::format("2024-03-{:02} {:02}:00:00", hour / 24 + 1, hour % 24);
}

TEST(FindSeries, TakesOneRowForEachStepAsASeriesInAnyOrder) {
  const Table table("at,y", 240, [](int i) { return fmt::format("{},{}", Hour(i), i % 17); });
  const FirstSeries series = table.Find().ValueOrDie();
  EXPECT_EQ(series.time, "at");
  EXPECT_EQ(series.by, "");
  EXPECT_EQ(series.step, "hour");
  EXPECT_EQ(series.season, 24);
  EXPECT_THAT(series.Lags(), ElementsAre(24, 48, 72));
}

TEST(FindSeries, FindsTheColumnThatNamesSeveral) {
  const Table table("y,kind,shop,day,visitors", 200, [](int i) {
    return fmt::format("{},{},S{},{},{}", i % 23, i % 5 % 2 == 0 ? "city" : "mall", i % 5,
                       Day(i / 5), i % 31);
  });
  const FirstSeries series = table.Find({.horizon = "14d"}).ValueOrDie();
  EXPECT_EQ(series.by, "shop");
  EXPECT_EQ(series.num_rows, 40);
  EXPECT_EQ(series.horizon, 14);
  EXPECT_EQ(series.NaiveLag(), 14);
  EXPECT_THAT(series.Lags(), ElementsAre(14));
  EXPECT_THAT(series.unknown, ElementsAre("visitors"));
  EXPECT_THAT(table.Find({.horizon = "3", .kept = {"visitors"}}).ValueOrDie().unknown,
              ElementsAre());
}

TEST(FindSeries, TakesNoDateThatSeveralRowsShareOrThatLeavesGaps) {
  const Table born("born,y", 200, [](int i) { return Day(i * 7 % 90) + fmt::format(",{}", i); });
  EXPECT_FALSE(born.Find().ValueOrDie().any());
  const Table rare("at,y", 60, [](int i) {
    return fmt::format("20{:02}-{:02}-11,{}", i % 20, i * i % 12 + 1, i);
  });
  EXPECT_FALSE(rare.Find().ValueOrDie().any());
}

TEST(FindSeries, TakesAGivenColumnInAnyCase) {
  const Table table("born,y", 200, [](int i) { return Day(i * 7 % 90) + fmt::format(",{}", i); });
  const FirstSeries series = table.Find({.time = "born"}).ValueOrDie();
  EXPECT_EQ(series.time, "born");
  EXPECT_FALSE(series.looks_back());
  EXPECT_EQ(FaultOf(table.Find({.time = "bron"}).status()).fix, "did you mean \"born\"?");
  EXPECT_EQ(FaultOf(table.Find({.time = "y"}).status()).what,
            "\"y\" is not a column of dates or times");
  EXPECT_EQ(FaultOf(table.Find({.horizon = "7d"}).status()).where, "--horizon");
}

}  // namespace
}  // namespace protium
