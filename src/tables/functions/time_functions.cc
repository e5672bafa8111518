// SPDX-License-Identifier: Apache-2.0
// Times by patterns, and what clocks of time zones show.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/text_values.h"
#include "java/time_pattern.h"
#include "java/zone_clock.h"

namespace protium {
namespace {

// The zone of a chunk's rows; most queries have one.
struct Zones : Chunk {
  ZoneClock clock;

  bool Open(Text zone) {
    if (clock.Open(zone)) return true;
    error = fmt::format("there is no time zone '{}'", zone.substr(0, 80));
    return false;
  }
};

std::optional<Moment> FromUtc(Zones& zones, Moment moment, Text zone) {
  if (!zones.Open(zone)) return std::nullopt;
  const auto ahead = zones.clock.Ahead(moment.micros);
  if (!ahead) return std::nullopt;
  return Moment{moment.micros + *ahead};
}

std::optional<Moment> ToUtc(Zones& zones, Moment moment, Text zone) {
  if (!zones.Open(zone)) return std::nullopt;
  const auto ahead = zones.clock.AheadOfLocal(moment.micros);
  if (!ahead) return std::nullopt;
  return Moment{moment.micros - *ahead};
}

// The pattern of a chunk's rows; most queries have one.
struct TimePatterns : Chunk {
  std::string pattern;
  std::optional<std::vector<TimeField>> fields;

  bool Read(Text given, PatternUse use) {
    if (fields && given == pattern) return true;
    pattern = given;
    fields = ReadJavaPattern(given, use);
    if (!fields) error = fmt::format("the pattern '{}' is not supported by every engine", given);
    return fields.has_value();
  }
};

std::optional<std::string> FormatTime(TimePatterns& patterns, Moment moment, Text pattern) {
  if (!patterns.Read(pattern, PatternUse::kWrite)) return std::nullopt;
  return WriteTime(moment, *patterns.fields);
}

std::optional<Moment> TryParseTime(TimePatterns& patterns, Text text, Text pattern) {
  if (!patterns.Read(pattern, PatternUse::kRead)) return std::nullopt;
  return ReadTime(text, *patterns.fields);
}

std::optional<Moment> ParseTime(TimePatterns& patterns, Text text, Text pattern) {
  const auto moment = TryParseTime(patterns, text, pattern);
  if (!moment && patterns.error.empty()) {
    patterns.error = fmt::format("the pattern '{}' does not fit the time '{}'",
                                 pattern.substr(0, 80), text.substr(0, 80));
  }
  return moment;
}

// add_months: if the month has no such day, its last day is used (DateTimeUtils.dateAddMonths).
// Only the interval's months are used.
std::optional<Moment> AddMonths(Chunk& chunk, Moment moment, duckdb_interval interval) {
  using namespace std::chrono;
  // Sums must fit the library's years, which have 15 bits and a sign.
  constexpr days kMostDays{7'300'000};
  constexpr int32_t kMostMonths = 120'000;
  const sys_time<microseconds> time{microseconds(moment.micros)};
  const auto day = floor<days>(time);
  if (abs(day.time_since_epoch()) > kMostDays || std::abs(interval.months) > kMostMonths) {
    chunk.error = fmt::format("a time moved by {} months is out of range", interval.months);
    return std::nullopt;
  }
  year_month_day date = year_month_day(day) + months(interval.months);
  if (!date.ok()) date = date.year() / date.month() / last;
  return Moment{(sys_days(date) + (time - day)).time_since_epoch().count()};
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&AddMonths>("pt_add_months"),
    AsRowFunction<&FormatTime>("pt_write_time").FailsFor({1}),
    AsRowFunction<&FromUtc>("pt_from_utc").FailsFor({1}),
    AsRowFunction<&ParseTime>("pt_read_time").FailsFor({0, 1}),
    AsRowFunction<&ToUtc>("pt_to_utc").FailsFor({1}),
    AsRowFunction<&TryParseTime>("pt_try_read_time").FailsFor({0, 1}),
};

}  // namespace

std::span<const RowFunction> TimeFunctions() { return kFunctions; }

}  // namespace protium
