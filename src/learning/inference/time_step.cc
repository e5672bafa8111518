// SPDX-License-Identifier: Apache-2.0
#include "inference/time_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

namespace chrono = std::chrono;

constexpr int64_t kDay = 86'400'000'000;

struct Moment {
  chrono::year_month_day date;
  int64_t micros;  // Of the day.
};

Moment MomentOf(int64_t time) {
  const auto day = chrono::floor<chrono::days>(chrono::sys_time(chrono::microseconds(time)));
  return {chrono::year_month_day(day), time - chrono::microseconds(day.time_since_epoch()).count()};
}

int64_t TimeOf(chrono::sys_days day, int64_t micros) {
  return chrono::microseconds(day.time_since_epoch()).count() + micros;
}

int64_t MonthOf(const Moment& moment) {
  return int64_t(int(moment.date.year())) * 12 + unsigned(moment.date.month()) - 1;
}

bool EndsMonth(const Moment& moment) {
  return moment.date.day() == (moment.date.year() / moment.date.month() / chrono::last).day();
}

bool IsWeekend(int64_t time) {
  const chrono::weekday day{chrono::sys_days(MomentOf(time).date)};
  return day == chrono::Saturday || day == chrono::Sunday;
}

// A value for each two rows that follow each other, and how often each value comes.
template <class Between>
std::map<int64_t, int64_t> CountPairs(const std::vector<SeriesTimes>& series, Between between) {
  std::map<int64_t, int64_t> counts;
  for (const SeriesTimes& times : series) {
    for (size_t i = 1; i < times.size(); ++i) ++counts[between(times[i - 1], times[i])];
  }
  return counts;
}

// The value of more than half of all pairs.
std::optional<int64_t> MostOf(const std::map<int64_t, int64_t>& counts) {
  int64_t all = 0;
  for (const auto& [value, count] : counts) all += count;
  for (const auto& [value, count] : counts) {
    if (2 * count > all) return value;
  }
  return std::nullopt;
}

template <class Holds>
bool AllOf(const std::vector<SeriesTimes>& series, Holds holds) {
  return std::ranges::all_of(
      series, [&](const SeriesTimes& times) { return std::ranges::all_of(times, holds); });
}

// Whether all times are of the first one's day of the month and time of the day.
bool SameDays(const std::vector<SeriesTimes>& series, const Moment& first) {
  return AllOf(series, [&](int64_t time) {
    const Moment each = MomentOf(time);
    return each.date.day() == first.date.day() && each.micros == first.micros;
  });
}

bool AllEndMonths(const std::vector<SeriesTimes>& series, const Moment& first) {
  return AllOf(series, [&](int64_t time) {
    const Moment each = MomentOf(time);
    return EndsMonth(each) && each.micros == first.micros;
  });
}

// Rows of a week and more, none of them on a weekend.
bool AreWorkingDays(const std::vector<SeriesTimes>& series) {
  const auto longest = std::ranges::max(
      series, {}, [](const SeriesTimes& times) { return times.back() - times.front(); });
  return longest.back() - longest.front() >= 7 * kDay &&
         AllOf(series, [](int64_t time) { return !IsWeekend(time); });
}

}  // namespace

Result<TimeStep> TimeStep::Find(const std::vector<SeriesTimes>& series, bool moments) {
  const auto steps = CountPairs(series, [](int64_t a, int64_t b) { return b - a; });
  const auto most = MostOf(steps);
  if (!steps.empty() && moments) {
    const auto months = MostOf(CountPairs(
        series, [](int64_t a, int64_t b) { return MonthOf(MomentOf(b)) - MonthOf(MomentOf(a)); }));
    const Moment first = MomentOf(series.front().front());
    if (months && *months > 0 && SameDays(series, first)) return TimeStep(Kind::kMonths, *months);
    if (months && *months > 0 && AllEndMonths(series, first)) {
      return TimeStep(Kind::kMonthEnds, *months);
    }
    if (most == kDay && AreWorkingDays(series)) return TimeStep(Kind::kWorkingDays, 1);
  }
  if (most && *most > 0) return TimeStep(moments ? Kind::kMicros : Kind::kNumber, *most);
  return Fail({.exit = Exit::kUsage,
               .what = steps.empty() ? "the model keeps a single row of each series, which shows "
                                       "no step from row to row"
                                     : "the rows of the model's series have no common step",
               .fix = "give the rows to predict, with their times: --input"});
}

int64_t TimeStep::After(int64_t time) const {
  if (kind_ == Kind::kNumber || kind_ == Kind::kMicros) return time + length_;
  if (kind_ == Kind::kWorkingDays) {
    int64_t next = time + kDay;
    while (IsWeekend(next)) next += kDay;
    return next;
  }
  const Moment from = MomentOf(time);
  const auto month =
      from.date.year() / from.date.month() + chrono::months(static_cast<int>(length_));
  const chrono::sys_days last(month / chrono::last);
  if (kind_ == Kind::kMonthEnds) return TimeOf(last, from.micros);
  return TimeOf(std::min(chrono::sys_days(month / chrono::day(1)) +
                             chrono::days(unsigned(from.date.day()) - 1),
                         last),
                from.micros);
}

std::string TimeStep::text() const {
  if (kind_ == Kind::kNumber) return fmt::format("{}", length_);
  if (kind_ == Kind::kWorkingDays) return "1 working day";
  if (kind_ != Kind::kMicros) return Counted(length_, "month");
  constexpr std::pair<int64_t, const char*> kUnits[] = {
      {kDay, "day"}, {3'600'000'000, "hour"}, {60'000'000, "minute"}, {1'000'000, "second"}};
  for (const auto& [micros, unit] : kUnits) {
    if (length_ % micros == 0) return Counted(length_ / micros, unit);
  }
  return Counted(length_, "microsecond");
}

int64_t TimeStep::StepsIn(int64_t micros) const {
  constexpr double kMonth = 2'629'746e6;  // Of the calendar, on average.
  const double length = kind_ == Kind::kMicros        ? double(length_)
                        : kind_ == Kind::kWorkingDays ? double(kDay) * 7 / 5
                                                      : kMonth * double(length_);
  // A month of 31 days is one step of a month, not two.
  const double steps = double(micros) / length;
  const bool whole = kind_ == Kind::kMicros;
  return std::max(int64_t{1}, int64_t(whole ? std::ceil(steps) : std::round(steps)));
}

}  // namespace protium
