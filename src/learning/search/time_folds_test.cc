// SPDX-License-Identifier: Apache-2.0
// Folds, splits and validation rows by time: `id` of the table of 200 rows counts up.
#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "base/fault.h"
#include "search/folds.h"
#include "testing/search_fixture.h"

namespace protium {
namespace {

using testing::HasSubstr;

class TimeFolds : public SearchTest {
 protected:
  // "first-last (rows)" of the whole numbers in a column.
  static std::string Range(const DataFrame& rows, const char* column = "id") {
    const auto stream = rows.Stream();
    if (!stream.ok()) return FaultOf(stream.status()).what;
    int64_t low = INT64_MAX, high = INT64_MIN, count = 0;
    while (true) {
      const auto batch = (*stream)->Next();
      if (!batch.ok()) return FaultOf(batch.status()).what;
      if (!*batch) return fmt::format("{}-{} ({})", low, high, count);
      const auto cells = (*batch)->GetColumnByName(column);
      for (int64_t i = 0; i < cells->length(); ++i) {
        const int64_t value = static_cast<const arrow::Int64Array&>(*cells).Value(i);
        low = std::min(low, value);
        high = std::max(high, value);
      }
      count += cells->length();
    }
  }
};

TEST_F(TimeFolds, PredictEachPartFromAllBeforeItButTheGap) {
  const DataFrame table = Table();
  const auto folds = Folds::Make(table, {.k = 3, .by_time = "id", .gap = 2}, "folds");
  ASSERT_TRUE(folds.ok()) << folds.status();
  ASSERT_EQ(folds->fits(), 3);
  for (const auto& [fold, learning, held_out] :
       {std::tuple{0, "0-47 (48)", "50-99 (50)"}, std::tuple{1, "0-97 (98)", "100-149 (50)"},
        std::tuple{2, "0-147 (148)", "150-199 (50)"}}) {
    EXPECT_EQ(Range({*session_, folds->Learning(fold)}), learning);
    EXPECT_EQ(Range({*session_, folds->HeldOut(fold)}), held_out);
  }
}

TEST_F(TimeFolds, KeepRowsOfOneTimeTogether) {
  const DataFrame table = Table("SELECT id, id DIV 30 AS month FROM t");
  const auto folds = Folds::Make(table, {.k = 2, .by_time = "month"}, "folds");
  ASSERT_TRUE(folds.ok()) << folds.status();
  EXPECT_EQ(Range({*session_, folds->Learning(0)}), "0-89 (90)");
  EXPECT_EQ(Range({*session_, folds->HeldOut(0)}), "90-149 (60)");
}

TEST_F(TimeFolds, SplitsHoldOutTheLatestTimes) {
  const DataFrame table = Table("SELECT id, id DIV 30 AS month FROM t ORDER BY hash(id)");
  const Sides each = table.Split({.test = 0.2, .by_time = "id"});
  EXPECT_EQ(Range(each.train), "0-159 (160)");
  EXPECT_EQ(Range(each.test), "160-199 (40)");
  // 20 rows of the last month are fewer than a fifth.
  EXPECT_EQ(Range(table.Split({.test = 0.2, .by_time = "month"}).test), "150-199 (50)");
  EXPECT_EQ(Range(table.Split({.by_time = "month", .from = "6"}).test), "180-199 (20)");
}

TEST_F(TimeFolds, SplitsFromADayHoldOutThatDayToo) {
  const DataFrame table = Table(
      "SELECT id, date_add(DATE '2024-01-01', CAST(id AS INT)) AS day, "
      "timestamp_seconds(1704067200 + id * 3600) AS hour FROM t");
  EXPECT_EQ(Range(table.Split({.by_time = "day", .from = "2024-07-01"}).test), "182-199 (18)");
  EXPECT_EQ(Range(table.Split({.by_time = "hour", .from = "2024-01-08 12:00"}).test),
            "180-199 (20)");
}

TEST_F(TimeFolds, RefuseRowsWithoutATime) {
  const DataFrame table = Table("SELECT id, CASE WHEN id <> 7 THEN id END AS time FROM t");
  EXPECT_THAT(Range(table.Split({.by_time = "time"}).train),
              HasSubstr("column \"time\" has a NULL"));
}

TEST_F(TimeFolds, RefuseWhatIsNoTimeAndOptionsOfHashes) {
  const auto fault = [&](const FoldOptions& folds) {
    return FaultOf(CrossValidate(Stages(), Table(), folds).status());
  };
  EXPECT_EQ(fault({.by_time = "plane"}).what,
            "column \"plane\" is string, not a date, a time or whole numbers");
  EXPECT_EQ(fault({.by_time = "idd"}).fix, "did you mean \"id\" or \"kind\"?");
  EXPECT_EQ(fault({.repeats = 2, .by_time = "id"}).where, "folds.repeats");
  EXPECT_EQ(fault({.gap = 1}).what, "folds have a gap, and no column of times");
}

}  // namespace
}  // namespace protium
