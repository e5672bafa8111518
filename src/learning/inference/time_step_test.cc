// SPDX-License-Identifier: Apache-2.0
#include "inference/time_step.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/fault.h"

namespace protium {
namespace {

using namespace std::chrono_literals;

int64_t At(int year, unsigned month, unsigned day, std::chrono::microseconds of_day = 0s) {
  const std::chrono::sys_days date{std::chrono::year(year) / std::chrono::month(month) /
                                   std::chrono::day(day)};
  return std::chrono::microseconds(date.time_since_epoch() + of_day).count();
}

TEST(TimeSteps, AreWhatMostRowsAreApart) {
  const auto hours = TimeStep::Find(
      {{At(2024, 3, 1, 1h), At(2024, 3, 1, 2h), At(2024, 3, 1, 3h), At(2024, 3, 1, 7h)},
       {At(2024, 3, 1, 5h), At(2024, 3, 1, 6h)}},
      true);
  ASSERT_TRUE(hours.ok());
  EXPECT_EQ(hours->text(), "1 hour");
  EXPECT_EQ(hours->After(At(2024, 3, 1, 23h)), At(2024, 3, 2));
  EXPECT_EQ(hours->StepsIn(90 * 60'000'000LL), 2);
  const auto weeks = TimeStep::Find({{At(2024, 3, 1), At(2024, 3, 8), At(2024, 3, 15)}}, true);
  EXPECT_EQ(weeks->text(), "7 days");
  const auto numbers = TimeStep::Find({{3, 5, 7, 9, 12}}, false);
  EXPECT_EQ(numbers->text(), "2");
  EXPECT_EQ(numbers->After(12), 14);
}

TEST(TimeSteps, OfMonthsFollowTheCalendar) {
  const auto months = TimeStep::Find({{At(2023, 11, 15), At(2023, 12, 15), At(2024, 1, 15)}}, true);
  EXPECT_EQ(months->text(), "1 month");
  EXPECT_EQ(months->After(At(2024, 1, 15)), At(2024, 2, 15));
  EXPECT_EQ(months->After(At(2024, 12, 15)), At(2025, 1, 15));
  EXPECT_EQ(months->StepsIn(365 * 86'400'000'000LL), 12);
  const auto ends = TimeStep::Find({{At(2023, 11, 30), At(2023, 12, 31), At(2024, 1, 31)}}, true);
  EXPECT_EQ(ends->After(At(2024, 1, 31)), At(2024, 2, 29));
  EXPECT_EQ(ends->After(At(2024, 2, 29)), At(2024, 3, 31));
  const auto years = TimeStep::Find({{At(2021, 1, 1), At(2022, 1, 1), At(2023, 1, 1)}}, true);
  EXPECT_EQ(years->After(At(2024, 1, 1)), At(2025, 1, 1));
}

TEST(TimeSteps, OfWorkingDaysLeaveOutWeekends) {
  // 1 March 2024 was a Friday.
  SeriesTimes days;
  for (const unsigned day : {1, 4, 5, 6, 7, 8, 11, 12}) days.push_back(At(2024, 3, day));
  const auto working = TimeStep::Find({days}, true);
  EXPECT_EQ(working->text(), "1 working day");
  EXPECT_EQ(working->After(At(2024, 3, 14)), At(2024, 3, 15));
  EXPECT_EQ(working->After(At(2024, 3, 15)), At(2024, 3, 18));
  // Four days of one week say nothing about weekends.
  const auto daily = TimeStep::Find({{At(2024, 3, 4), At(2024, 3, 5), At(2024, 3, 6)}}, true);
  EXPECT_EQ(daily->After(At(2024, 3, 15)), At(2024, 3, 16));
}

TEST(TimeSteps, ThatNobodyCanSeeAreRefused) {
  const auto text = [](const std::vector<SeriesTimes>& series) {
    const auto step = TimeStep::Find(series, true);
    EXPECT_FALSE(step.ok());
    return Render(FaultOf(step.status()));
  };
  EXPECT_NE(text({{At(2024, 3, 1)}, {At(2024, 3, 2)}}).find("a single row"), std::string::npos);
  EXPECT_NE(text({{At(2024, 3, 1), At(2024, 3, 2), At(2024, 3, 9)}}).find("no common step"),
            std::string::npos);
  EXPECT_NE(text({}).find("a single row"), std::string::npos);
}

}  // namespace
}  // namespace protium
