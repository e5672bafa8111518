// SPDX-License-Identifier: Apache-2.0
// A series from `init` to predictions: the daily rides of a city over 20 years, with a trend,
// weekly and yearly seasons, weather and a break, made by a formula; in no order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "examples/random.h"
#include "whole/command.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

constexpr int kDays = 20 * 365;

std::string DayText(int day) {
  using namespace std::chrono;
  const year_month_day date{sys_days(year(2005) / 1 / 1) + days(day)};
  return fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()));
}

// The rides of each day. In spring of the 16th year the city stands still for weeks, and fewer ride
// afterwards.
std::vector<int> Rides() {
  Random random(20);
  constexpr double kWeek[] = {0.6, 1, 1.05, 1.1, 1.1, 1.2, 0.8};
  std::vector<int> rides;
  double weather = 0;
  for (int day = 0; day < kDays; ++day) {
    const double season = std::sin(2 * 3.14159265358979 * (day - 100) / 365.25);
    weather = 0.6 * weather + 0.05 * random.Normal();
    double level = 20000 + 1.5 * day;
    if (day > 5570) level *= day < 5630 ? 0.3 : 0.8;
    rides.push_back(int(level * kWeek[(day + 6) % 7] * (1 + 0.25 * season) *
                        std::exp(weather + 0.03 * random.Normal())));
  }
  return rides;
}

class Series {
 public:
  Series() : rides_(Rides()) {
    std::ofstream out(scratch_.path() / "rides.csv");
    out << "day,rides\n";
    // Steps of a number without a common divisor pass through all days.
    for (int i = 0; i < kDays; ++i) out << Line(i * 2003 % kDays);
  }
  fs::path operator/(const char* name) const { return scratch_.path() / name; }

  Outcome Protium(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), ProtiumCommand());
    return Running(arguments, scratch_.path()).Wait(std::chrono::seconds(300));
  }
  const std::vector<int>& rides() const { return rides_; }

 private:
  std::string Line(int day) const {
    return fmt::format("{},{}\n", DayText(day), rides_[size_t(day)]);
  }

  Scratch scratch_;
  std::vector<int> rides_;
};

}  // namespace

TEST(Series, IsFoundLearnedAndPredictedBetterThanByItsLastSeason) {
  const Series series;
  const std::string job = series / "rides.toml";
  const Outcome init = series.Protium(
      {"init", series / "rides.csv", "--label", "rides", "--estimator", "trees", "--output", job});
  ASSERT_EQ(init.exit, 0) << init.err;
  // Windows are in the order of times, of which each series has one a row.
  const Outcome plan = series.Protium({"plan", job});
  EXPECT_NE(plan.out.find("every engine gives the same rows"), std::string::npos) << plan.out;
  EXPECT_NE(init.out.find("one row per day, by day"), std::string::npos) << init.out;
  const Outcome run = series.Protium({"run", job, "--runs-dir", series / "runs", "--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const double ours = run.json["metrics"]["test"]["rmse"].get<double>();
  const double naive = run.json["metrics"]["baseline"]["rmse"].get<double>();
  RecordProperty("rmse", fmt::format("{}", ours));
  RecordProperty("naive", fmt::format("{}", naive));
  EXPECT_LT(ours, 0.9 * naive) << ours << " " << naive;

  // A split by a hash of the rows.
  std::string text = ReadText(job);
  const size_t cut = text.find("by_time = \"day\"");
  ASSERT_NE(cut, std::string::npos);
  std::ofstream(series / "torn.toml") << text.replace(cut, text.find('\n', cut) - cut, "");
  const Outcome torn = series.Protium({"plan", series / "torn.toml"});
  EXPECT_EQ(torn.exit, 2);
  EXPECT_NE(torn.err.find("split takes single rows out of the series"), std::string::npos)
      << torn.err;

  // The week after the last known day.
  std::ofstream next(series / "next.csv");
  next << "day\n";
  for (int day = kDays; day < kDays + 7; ++day) next << DayText(day) << "\n";
  next.close();
  const Outcome predict =
      series.Protium({"predict", "--model", run.json["model"].get<std::string>(), "--input",
                      series / "next.csv", "--output", series / "week.csv"});
  ASSERT_EQ(predict.exit, 0) << predict.err;
  EXPECT_TRUE(ReadText(series / "week.csv").starts_with("\"day\",\"prediction\"\n2024-12-27,"));
  EXPECT_NE(predict.err.find("rows seem to be missing"), std::string::npos) << predict.err;
  // The same week, behind all rows that there are.
  const Outcome forward =
      series.Protium({"predict", "--model", run.json["model"].get<std::string>(), "--data",
                      series / ".", "--horizon", "7d", "--output", series / "forward.csv"});
  ASSERT_EQ(forward.exit, 0) << forward.err;
  EXPECT_EQ(forward.err.find("rows seem to be missing"), std::string::npos) << forward.err;
  const std::string week = ReadText(series / "forward.csv");
  EXPECT_TRUE(week.starts_with("\"day\",\"prediction\"\n2024-12-27,")) << week;
  EXPECT_EQ(std::ranges::count(week, '\n'), 8);
  EXPECT_NE(week, ReadText(series / "week.csv"));
}

}  // namespace protium::whole
