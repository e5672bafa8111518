// SPDX-License-Identifier: Apache-2.0
// Times by patterns, and clocks of time zones. The zones' rules are those of ICU's release, as
// Spark's are those of its Java: they may differ where a country changed its rules lately.
#include <fmt/format.h>
#include <unicode/ucal.h>

#include <chrono>
#include <cstdlib>
#include <memory>

#include "local/functions/row_function.h"
#include "local/functions/text_values.h"
#include "local/functions/themes.h"
#include "local/functions/time_pattern.h"

namespace protium {
namespace {

constexpr int64_t kMicrosOfMilli = 1000;

// The zone of a chunk's rows; most queries have one.
class Zones : public Chunk {
 public:
  // By how much a clock of the zone is ahead of UTC at the moment, in microseconds.
  std::optional<int64_t> Ahead(Text zone, Moment moment) {
    if (!Open(zone)) return std::nullopt;
    UErrorCode problem = U_ZERO_ERROR;
    ucal_setMillis(calendar_.get(), Millis(moment), &problem);
    return Offset(problem);
  }

  // The same where `local` is what the clock shows (java.time.ZonedDateTime.ofLocal). When summer
  // time ends an hour comes twice: the earlier moment counts. When it begins an hour is missing:
  // the offset from before counts.
  std::optional<int64_t> AheadOfLocal(Text zone, Moment local) {
    if (!Open(zone)) return std::nullopt;
    // The offsets a day before and after, assuming that a zone changes at most once between them.
    // If the clock of the first offset shows `local`, that moment is it; else that of the last;
    // else `local` fell into the missing hour.
    const auto first = Ahead(zone, {local.micros - kDay});
    const auto last = Ahead(zone, {local.micros + kDay});
    if (!first || !last) return std::nullopt;
    const auto shown = Ahead(zone, {local.micros - *first});
    if (!shown) return std::nullopt;
    if (*shown == *first) return first;  // The clock was not moved yet.
    const auto moved = Ahead(zone, {local.micros - *last});
    if (!moved) return std::nullopt;
    return *moved == *last ? last : first;
  }

 private:
  static constexpr int64_t kDay = int64_t{86400} * 1000000;
  struct Close {
    void operator()(UCalendar* calendar) const { ucal_close(calendar); }
  };

  // Rounded down, also before 1970, as ICU's clock has milliseconds; offsets do not change within
  // one.
  static double Millis(Moment moment) {
    const int64_t millis = moment.micros / kMicrosOfMilli;
    return static_cast<double>(moment.micros % kMicrosOfMilli < 0 ? millis - 1 : millis);
  }

  std::optional<int64_t> Offset(UErrorCode problem) {
    const int64_t standard = ucal_get(calendar_.get(), UCAL_ZONE_OFFSET, &problem);
    const int64_t summer = ucal_get(calendar_.get(), UCAL_DST_OFFSET, &problem);
    if (U_SUCCESS(problem)) return (standard + summer) * kMicrosOfMilli;
    error = fmt::format("cannot compute the local time of a zone: {}", u_errorName(problem));
    return std::nullopt;
  }

  // ICU takes an unknown zone for UTC, so names are checked first.
  bool Open(Text zone) {
    if (calendar_ != nullptr && zone == zone_) return true;
    const bool offset = zone.starts_with('+') || zone.starts_with('-');
    // ICU spells the zone of a fixed offset GMT+02:00.
    const std::string id = (offset ? "GMT" : "") + std::string(zone);
    const std::u16string wide(id.begin(), id.end());
    const auto length = static_cast<int32_t>(wide.size());
    UErrorCode problem = U_ZERO_ERROR;
    UChar canonical[128];
    UBool system = 0;
    ucal_getCanonicalTimeZoneID(wide.data(), length, canonical, 128, &system, &problem);
    if (U_FAILURE(problem)) {
      error = fmt::format("there is no time zone '{}'", zone.substr(0, 80));
      return false;
    }
    calendar_.reset(ucal_open(wide.data(), length, "", UCAL_GREGORIAN, &problem));
    zone_ = zone;
    return U_SUCCESS(problem);
  }

  std::string zone_;
  std::unique_ptr<UCalendar, Close> calendar_;
};

std::optional<Moment> FromUtc(Zones& zones, Moment moment, Text zone) {
  const auto ahead = zones.Ahead(zone, moment);
  if (!ahead) return std::nullopt;
  return Moment{moment.micros + *ahead};
}

std::optional<Moment> ToUtc(Zones& zones, Moment moment, Text zone) {
  const auto ahead = zones.AheadOfLocal(zone, moment);
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

// add_months: if the month has no such day, its last day counts (DateTimeUtils.dateAddMonths). Only
// the interval's months are used.
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
