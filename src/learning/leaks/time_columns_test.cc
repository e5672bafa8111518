// SPDX-License-Identifier: Apache-2.0
#include "leaks/time_columns.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

constexpr double kDay = 86'400e6;

TEST(TimeColumns, ReadQuartersMonthsDatesAndTimes) {
  for (const char* text : {"2019-Q3", "2019Q3", "2019 Q3", "Q3 2019", "Q3-2019", "2019-07",
                           "2019-07-01", "2019-07-01T00:00", "2019/07/01"}) {
    ASSERT_TRUE(TimeOfText(text).has_value()) << text;
    EXPECT_EQ(*TimeOfText(text), 18'078 * kDay) << text;
  }
  EXPECT_EQ(*TimeOfText("2019-07-01 12:00:01"), 18'078.5 * kDay + 1e6);
  for (const char* text : {"", "2019", "2019-Q5", "2019-13", "2019-02-30", "Q3", "Q3 19", "201907",
                           "2019-07-01 noon", "2019-Q3 "}) {
    EXPECT_FALSE(TimeOfText(text).has_value()) << text;
  }
}

TEST(TimeColumns, ReadTimesOfDay) {
  EXPECT_EQ(*TimeOfDayOfText("14:05"), (14 * 60 + 5) * 60e6);
  EXPECT_EQ(*TimeOfDayOfText("9:05:10"), ((9 * 60 + 5) * 60 + 10) * 1e6);
  for (const char* text : {"", "14", "24:00", "14:5", "14:60", "14:05:61", "14:05 PM"}) {
    EXPECT_FALSE(TimeOfDayOfText(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace protium
