// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_series.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "inference/forecast.h"
#include "inspect/first_columns.h"
#include "inspect/sql_names.h"
#include "pipeline/usual_steps.h"

namespace protium {
namespace {

constexpr double kTooDense = 1.05;  // Rows there are, of those that there could be.

bool IsMoment(const ColumnProfile& column) {
  const auto id = column.type->id();
  return id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP;
}

// Seconds since 1970 of "2024-04-01 10:26:27" or "2024-04-01".
std::optional<double> SecondsOf(const std::string& text) {
  using namespace std::chrono;
  int y = 0;
  unsigned m = 0, d = 0, hour = 0, minute = 0;
  double second = 0;
  const int read =
      std::sscanf(text.c_str(), "%d-%u-%u%*1[ T]%u:%u:%lf", &y, &m, &d, &hour, &minute, &second);
  const year_month_day date{year(y), month(m), day(d)};
  if (read < 3 || !date.ok()) return std::nullopt;
  const auto days = double(sys_days(date).time_since_epoch().count());
  return days * 86400 + hour * 3600 + minute * 60 + second;
}

const UsualStep* StepOf(const ColumnProfile& time) {
  const auto from = SecondsOf(time.least), to = SecondsOf(time.greatest);
  return from && to ? FindUsualStep(*to - *from, time.distinct) : nullptr;
}

// Whether a row for each pair of time and group fills at least this share of all pairs.
bool Fills(const TableProfile& table, const ColumnProfile& time, int64_t groups) {
  constexpr double kLeast = 0.5;
  const double pairs = double(time.distinct) * double(groups);
  return double(table.rows) >= kLeast * pairs && double(table.rows) <= kTooDense * pairs;
}

bool MayName(const ColumnProfile& column) {
  const auto id = column.type->id();
  const bool fits = id == arrow::Type::STRING || arrow::is_integer(id);
  return fits && column.nulls == 0 && column.distinct >= 2;
}

// Counts over the rows of the source.
class Counting {
 public:
  static Result<Counting> Make(const FirstSource& source) {
    PT_LET(std::unique_ptr<Session> session, OpenTables(source.tables));
    return Counting(source, std::move(session));
  }

  Result<bool> Differ(const std::vector<std::string>& columns) const {
    PT_LET(const int64_t twice, Rows("SELECT 1 AS one FROM (" + Select(columns) +
                                     ") AS s GROUP BY " + Names(columns) + " HAVING count(*) > 1"));
    return twice == 0;
  }
  Result<int64_t> Distinct(const std::vector<std::string>& columns) const {
    return Rows("SELECT DISTINCT " + Names(columns) + " FROM (" + Select(columns) + ") AS s");
  }

 private:
  Counting(const FirstSource& source, std::unique_ptr<Session> session)
      : source_(source), session_(std::move(session)) {}

  static std::string Names(const std::vector<std::string>& columns) {
    std::string list;
    for (const std::string& each : columns) list += (list.empty() ? "" : ", ") + SqlName(each);
    return list;
  }
  std::string Select(const std::vector<std::string>& columns) const {
    std::string list;
    for (const std::string& each : columns) {
      list += (list.empty() ? "" : ", ") + ReadOf(source_, each);
    }
    return "SELECT " + list + " FROM " + source_.from;
  }
  Result<int64_t> Rows(const std::string& sql) const { return session_->Sql(sql).Count(); }

  const FirstSource& source_;
  std::unique_ptr<Session> session_;
};

Status RefuseTime(const TableProfile& table, const std::string& time) {
  std::vector<std::string> moments;
  for (const ColumnProfile& each : table.columns) {
    if (IsMoment(each)) moments.push_back(each.name);
  }
  const ColumnProfile* const found = table.Find(time);
  return Fail({.exit = Exit::kUsage,
               .what = found == nullptr ? "the table has no column \"" + time + "\""
                       : found->nulls > 0
                           ? fmt::format("\"{}\" is missing in {} rows", time, found->nulls)
                           : "\"" + time + "\" is not a column of dates or times",
               .where = "--time",
               .fix = Suggest(time, moments)});
}

// Fills in what tells the rows of one time apart; returns whether something does.
Result<bool> FindGroups(const Counting& rows, const TableProfile& table, const ColumnProfile& time,
                        const std::string& label, FirstSeries& series) {
  if (Fills(table, time, 1)) {
    PT_LET(const bool one, rows.Differ({time.name}));
    series.num_rows = table.rows;
    if (one) return true;
  }
  for (const ColumnProfile& each : table.columns) {
    if (each.name == label || !MayName(each) || !Fills(table, time, each.distinct)) continue;
    PT_LET(const bool apart, rows.Differ({each.name, time.name}));
    if (!apart) continue;
    series.by = each.name;
    series.num_rows = table.rows / each.distinct;
    return true;
  }
  return false;
}

// Columns that are the same in all rows of a series are known ahead.
Status FindUnknown(const Counting& rows, const TableProfile& table, const std::string& label,
                   const SeriesGiven& given, FirstSeries& series) {
  const ColumnProfile* const by = table.Find(series.by);
  for (const ColumnProfile& each : table.columns) {
    const bool own = each.name == label || each.name == series.time || each.name == series.by;
    if (own || std::ranges::count(given.kept, each.name) > 0) continue;
    int64_t pairs = each.distinct;
    if (by != nullptr) {
      PT_LET(pairs, rows.Distinct({by->name, each.name}));
    }
    if (pairs > (by != nullptr ? by->distinct : 1)) series.unknown.push_back(each.name);
  }
  return Status::OK();
}

Status TakeHorizon(const std::string& text, const UsualStep* step, FirstSeries& series) {
  const auto horizon = ReadHorizon(text);
  if (horizon.ok() && horizon->micros == 0) {
    series.horizon = horizon->rows;
  } else if (horizon.ok() && step != nullptr) {
    const double steps = double(horizon->micros) / 1e6 / step->seconds;
    series.horizon = std::max(int64_t(std::ceil(steps)), int64_t{1});
  } else {
    return Fail({.exit = Exit::kUsage,
                 .what = "\"" + text + "\" is not a horizon",
                 .where = "--horizon",
                 .fix = "give a time such as 7d, or a number of rows, 1 or more"});
  }
  series.asked = true;
  return Status::OK();
}

// The first column of times that orders series, or the given one.
Result<const ColumnProfile*> FindTime(const Counting& rows, const TableProfile& table,
                                      const std::string& label, const SeriesGiven& given,
                                      FirstSeries& series) {
  for (const ColumnProfile& each : table.columns) {
    if (each.name == label || !IsMoment(each) || each.nulls > 0) continue;
    if (!given.time.empty() && each.name != given.time) continue;
    const bool dense = each.distinct >= kFewestTimes && StepOf(each) != nullptr;
    PT_LET(const bool apart,
           dense ? FindGroups(rows, table, each, label, series) : Result<bool>(false));
    if (apart) series.step = StepOf(each)->name;
    if (apart || !given.time.empty()) return &each;
  }
  return nullptr;
}

}  // namespace

std::vector<int64_t> FirstSeries::Lags() const {
  const int64_t phase = NaiveLag();
  std::vector<int64_t> lags = {horizon, phase, phase + season, phase + 2 * season};
  const int64_t longer = step == "day" ? 364 : step == "hour" ? 168 : 0;
  if (longer >= horizon) lags.push_back(longer);
  std::ranges::sort(lags);
  lags.erase(std::ranges::unique(lags).begin(), lags.end());
  // A lag that half of the rows lack says little.
  std::erase_if(lags, [&](int64_t lag) { return lag > phase && lag * 2 > num_rows; });
  return lags;
}

int64_t FirstSeries::NaiveLag() const { return (horizon + season - 1) / season * season; }

std::string FirstSeries::Steps(int64_t count) const {
  if (step == "quarter of an hour") return fmt::format("{} minutes", 15 * count);
  return Counted(count, step);
}

Result<FirstSeries> FindSeries(const FirstSource& source, const std::string& label,
                               const SeriesGiven& given) {
  const TableProfile& table = source.seen;
  FirstSeries series;
  const bool moments = std::ranges::any_of(table.columns, IsMoment);
  if (!moments && given.time.empty() && given.horizon.empty()) return series;
  PT_LET(const Counting rows, Counting::Make(source));
  PT_LET(const ColumnProfile* const time, FindTime(rows, table, label, given, series));
  if (time == nullptr && !given.time.empty()) return RefuseTime(table, given.time);
  if (time == nullptr && !given.horizon.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the rows are not a time series: no column of dates has one row per step",
                 .where = "--horizon",
                 .fix = "name the column that orders them: --time COLUMN"});
  }
  if (time == nullptr) return series;
  series.time = time->name;
  series.first = time->least;
  const UsualStep* const step = series.step.empty() ? nullptr : StepOf(*time);
  if (step != nullptr) series.season = step->season;
  if (step != nullptr) series.horizon = step->horizon;
  if (!given.horizon.empty()) PT_TRY(TakeHorizon(given.horizon, step, series));
  if (series.asked) PT_TRY(FindUnknown(rows, table, label, given, series));
  return series;
}

}  // namespace protium
