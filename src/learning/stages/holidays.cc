// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <set>
#include <sstream>

#include "base/fault.h"
#include "base/text.h"
#include "os/file.h"
#include "stages/buckets.h"
#include "stages/column_stage.h"
#include "stages/holiday_rules.h"
#include "stages/row.h"

// Whether a day is a public holiday, in how many days the next one is and how many days ago the
// last one was; of each input and each calendar three doubles. The day itself counts as neither
// the next nor the last. A calendar is that of a country (holiday_rules.h) or the user's own dates.
// Outside of the years that have rules, and after the last of the user's own dates, all three are
// NULL: nobody has said what comes there. Learns nothing.
//
// Engines only compare whole numbers: a day is its number since 1970, made of year() and
// day_of_year(), and a calendar is a step function of it. A file of dates is read when the stage is
// placed; its dates become options, so a model has them with it.

namespace protium {
namespace {

using Days = std::vector<int32_t>;

constexpr const char* kOwn = "own";
// Between these every fourth year is a leap year (DayNumber()).
constexpr int kFirstYear = 1901, kLastYear = 2099;
constexpr size_t kMostDates = 10'000;  // They become literals in SQL.
constexpr int64_t kMostBytes = 1 << 20;

// The day of "2025-12-24", since 1970; none for other texts and years.
std::optional<int32_t> DayOf(const std::string& text) {
  using namespace std::chrono;
  int y = 0, end = 0;
  unsigned m = 0, d = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &y, &m, &d, &end) != 3 ||
      end != int(text.size())) {
    return std::nullopt;
  }
  const year_month_day date{year(y), month(m), day(d)};
  if (!date.ok() || y < kFirstYear || y > kLastYear) return std::nullopt;
  return int32_t(sys_days(date).time_since_epoch().count());
}

struct HolidaysOptions {
  std::string id;
  Inputs inputs;
  Columns countries;
  Columns dates;
  std::string file;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit(
        "countries", countries,
        {.help = "whose public holidays: AT, BE, BR, CZ, DE, DK, FR, GB, IT, NL, NO, PL, PT, US"});
    visit("dates", dates, {.help = "days of a calendar of your own, such as \"2025-11-28\""});
    visit("file", file, {.help = "or a file with one such day in each line, read once"});
  }

  Status Check(const std::string& path) const {
    if (countries.empty() && dates.empty() && file.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "no holidays are named",
                   .where = path,
                   .fix = "set countries = [\"DE\"], or dates or file for days of your own"});
    }
    const Columns known = HolidayCountries();
    for (size_t i = 0; i < countries.size(); ++i) {
      const std::string where = fmt::format("{}.countries.{}", path, i);
      if (std::ranges::count(countries, countries[i]) > 1) {
        return Fail({.exit = Exit::kUsage,
                     .what = "country \"" + countries[i] + "\" is named twice",
                     .where = where});
      }
      if (std::ranges::count(known, countries[i]) > 0) continue;
      return Fail({.exit = Exit::kUsage,
                   .what = "the holidays of \"" + countries[i] + "\" are not known",
                   .where = where,
                   .fix = fmt::format("one of {}, or list the days yourself: dates or file",
                                      fmt::join(known, ", "))});
    }
    return CheckDates(dates, path + ".dates");
  }

 private:
  static Status CheckDates(const Columns& dates, const std::string& where) {
    if (dates.size() > kMostDates) {
      return fields::Refuse(where, fmt::format("at most {} days", kMostDates), dates.size());
    }
    for (size_t i = 0; i < dates.size(); ++i) {
      if (DayOf(dates[i])) continue;
      return fields::Refuse(fmt::format("{}.{}", where, i),
                            "a day from 1901 to 2099 such as \"2025-12-24\"", dates[i]);
    }
    return Status::OK();
  }
};

// The days in a file: what stands before the first comma of each line, without quotes. The first
// line may be a heading.
Result<Columns> ReadDates(const std::string& file, const std::string& where) {
  Result<std::string> text = ReadFile(file, kMostBytes);
  if (!text.ok()) {
    Fault fault = FaultOf(text.status());
    fault.where = where;
    return Fail(std::move(fault));
  }
  Columns dates;
  int64_t number = 0;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = Trimmed(line.substr(0, line.find(',')));
    if (line.size() > 1 && line.front() == '"' && line.back() == '"') {
      line = line.substr(1, line.size() - 2);
    }
    const bool day = DayOf(line).has_value();
    if (day) dates.push_back(line);
    if (day || line.empty() || number == 1) continue;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("line {} of {} begins with \"{}\", which is no day", number,
                                     file, line.substr(0, 40)),
                 .where = where,
                 .fix = "write days like 2025-12-24, one in each line"});
  }
  if (!dates.empty()) return dates;
  return Fail({.exit = Exit::kInput,
               .what = "there is no day in " + file,
               .where = where,
               .fix = "write days like 2025-12-24, one in each line"});
}

// Options with the dates of `file` in `dates`.
Result<Json> WithDatesRead(const Json& given, const std::string& path) {
  HolidaysOptions options;
  PT_TRY(FieldsFromJson(given, path, options));
  PT_TRY(options.Check(path));
  if (options.file.empty()) return FieldsToJson(options);
  PT_LET(const Columns read, ReadDates(options.file, path + ".file"));
  options.dates.insert(options.dates.end(), read.begin(), read.end());
  options.file.clear();
  PT_TRY(options.Check(path));
  return FieldsToJson(options);
}

struct Calendar {
  std::string name;
  Days days;                 // Ascending, each once.
  int32_t from = 0, to = 0;  // The days of which it is known what they are.
};

int32_t FirstOf(int year) {
  using namespace std::chrono;
  return int32_t(sys_days(std::chrono::year(year) / January / 1).time_since_epoch().count());
}

std::vector<Calendar> CalendarsOf(const HolidaysOptions& options) {
  std::vector<Calendar> all;
  for (const std::string& country : options.countries) {
    all.push_back({Lower(country), HolidaysOf(country), FirstOf(kFirstHolidayYear),
                   FirstOf(kLastHolidayYear + 1) - 1});
  }
  if (options.dates.empty()) return all;
  std::set<int32_t> own;
  for (const std::string& each : options.dates) own.insert(DayOf(each).value_or(0));
  all.push_back({kOwn, Days(own.begin(), own.end()), FirstOf(kFirstYear), *own.rbegin()});
  return all;
}

Expr Number(int32_t day) { return Lit(double(day)); }
Expr Null() { return Lit(std::monostate()); }

// The last day of the calendar up to x, and the first one after it; NULL where there is none.
Expr UpTo(const Expr& x, const Days& days) {
  std::vector<Expr> bounds, values = {Null()};
  for (const int32_t day : days) {
    bounds.push_back(Number(day));
    values.push_back(Number(day));
  }
  return Stepped(x, bounds, values);
}
Expr After(const Expr& x, const Days& days) {
  std::vector<Expr> bounds;
  for (const int32_t day : days) bounds.push_back(Number(day));
  std::vector<Expr> values = bounds;
  values.push_back(Null());
  return Stepped(x, bounds, values);
}

constexpr const char* kParts[] = {"", "_to_next", "_since_last"};
constexpr size_t kNumParts = std::size(kParts);

class HolidaysStage : public PlainStage {
 public:
  HolidaysStage(const HolidaysOptions& options, StageNames names)
      : PlainStage(std::move(names)), calendars_(CalendarsOf(options)) {
    Columns outputs;
    for (const std::string& input : inputs()) {
      for (const Calendar& each : calendars_) {
        for (const char* part : kParts) {
          outputs.push_back(fmt::format("{}__{}__{}{}", input, id(), each.name, part));
        }
      }
    }
    SetOutputs(std::move(outputs));
  }

  std::vector<size_t> inputs_of(size_t i) const override {
    return {i / (kNumParts * calendars_.size())};
  }

  Status CheckType(const arrow::DataType& type) const override {
    const auto id = type.id();
    if (id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP) return Status::OK();
    return Status::TypeError("a date or a time");
  }

  // The number of the day is a column of its own below the last projection.
  Plan Apply(Plan rows, const Columns& columns) const override {
    std::vector<NamedExpr> numbers, added;
    size_t output = 0;
    for (const std::string& input : inputs()) {
      const std::string name = FreeName("__day__" + input, columns);
      numbers.push_back({name, DayNumber(Col(input))});
      for (const Calendar& each : calendars_) {
        for (size_t part = 0; part < kNumParts; ++part) {
          added.push_back({outputs()[output++], PartOf(part, Col(name), each)});
        }
      }
    }
    rows = WithColumns(std::move(rows), columns, std::move(numbers));
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 private:
  // Days since 1970-01-01, for the years 1901 to 2099, in which every fourth is a leap year.
  static Expr DayNumber(const Expr& date) {
    const Expr year = MakeCall("cast_double", {MakeCall("year", {date})});
    const Expr leaps =
        MakeCall("cast_double", {MakeCall("floor", {(year - Lit(1969.0)) / Lit(4.0)})});
    const Expr of_year = MakeCall("cast_double", {MakeCall("day_of_year", {date})});
    return (year - Lit(1970.0)) * Lit(365.0) + leaps + of_year - Lit(1.0);
  }

  static Expr PartOf(size_t part, const Expr& day, const Calendar& calendar) {
    const Expr value = part == 0   ? IsHoliday(day, calendar.days)
                       : part == 1 ? After(day, calendar.days) - day
                                   : day - UpTo(day - Lit(1.0), calendar.days);
    const Expr outside = day < Number(calendar.from) || day > Number(calendar.to);
    // Where a date is NULL, so is the comparison.
    return IfNull(day, Null(), MakeCall("if", {outside, Null(), value}));
  }

  static Expr IsHoliday(const Expr& day, const Days& days) {
    const Expr last = MakeCall("coalesce", {UpTo(day, days), day - Lit(1.0)});
    return MakeCall("if", {last == day, Lit(1.0), Lit(0.0)});
  }

  std::vector<Calendar> calendars_;
};

}  // namespace

StageRow HolidaysRow() {
  StageRow row = MakeStageRow<HolidaysStage, HolidaysOptions>(
      "holidays",
      "public holidays of countries, or days of your own: <input>__<id>__de is 1 on one, and "
      "<input>__<id>__de_to_next and __de_since_last count the days to the next and since the "
      "last");
  row.complete = WithDatesRead;
  return row;
}

}  // namespace protium
