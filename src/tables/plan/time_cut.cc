// SPDX-License-Identifier: Apache-2.0
#include "plan/time_cut.h"

#include <fmt/format.h>

#include <utility>

#include "base/json.h"
#include "plan/aggregates.h"

namespace protium {
namespace {

// Spark's literal of a text.
std::string SqlText(const std::string& text) {
  std::string literal = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "'";
}

// The windows of such a text are over one row for each time.
Plan OverRows(std::string text, std::string verb, Plan rows) {
  return MakePlan(Sql{.text = std::move(text),
                      .names = {"rows"},
                      .verb = std::move(verb),
                      .without_ties = true},
                  {std::move(rows)});
}

// The time from which on rows are in the last part.
std::string Begin(const TimeCut& cut) {
  if (!cut.from.empty()) {
    if (cut.from.find_first_not_of("-0123456789") == cut.from.npos &&
        cut.from.find('-', 1) == cut.from.npos) {
      return cut.from;
    }
    const bool day = cut.from.find_first_of(" T:") == cut.from.npos;
    return fmt::format("CAST({} AS {})", SqlText(cut.from), day ? "DATE" : "TIMESTAMP");
  }
  // `later` counts the rows from a time on.
  return fmt::format(
      "(SELECT max(at) FROM (SELECT at, sum(num) OVER (ORDER BY at DESC ROWS BETWEEN UNBOUNDED "
      "PRECEDING AND CURRENT ROW) AS later, sum(num) OVER () AS everything FROM (SELECT {0} AS at, "
      "count(*) AS num FROM rows GROUP BY {0}) AS counts) AS sums WHERE later >= {1} * "
      "everything)",
      NameList({cut.time}), Dump(Json(cut.part)) + "D");
}

constexpr const char* kCut = "a cut in time";

std::string InLastPart(const TimeCut& cut) {
  // Whole numbers, since DuckDB evaluates an error that is a condition for all rows, or for none.
  return fmt::format("CASE WHEN {0} IS NULL THEN {1} WHEN {0} >= {2} THEN 1 ELSE 0 END = 1",
                     NameList({cut.time}), NoTimeInSql(cut.time, kCut), Begin(cut));
}

}  // namespace

std::string ErrorInSql(const std::string& why) {
  return fmt::format("raise_error({})", SqlText(why));
}

std::string NoTimeInSql(const std::string& time, const std::string& what) {
  return ErrorInSql(fmt::format("column \"{}\" has a NULL, and {} needs it", time, what));
}

Plan SideInTime(const TimeCut& cut, Split::Side side, Plan rows) {
  const bool part = side == Split::Side::kPart;
  return OverRows(
      fmt::format("SELECT * FROM rows WHERE {}({})", part ? "" : "NOT ", InLastPart(cut)),
      fmt::format("{} by time {}", part ? "the last part" : "all but the last part", cut.time),
      std::move(rows));
}

Plan MarkInTime(const TimeCut& cut, const std::string& column, Plan rows) {
  return OverRows(fmt::format("SELECT *, {} AS {} FROM rows", InLastPart(cut), NameList({column})),
                  fmt::format("mark the last part by time {}", cut.time), std::move(rows));
}

// A time's part follows from the number of rows before it. The part of the time that is `gap`
// further on says which folds may still learn from it.
Plan NumberInTime(const TimeFolds& folds, const std::string& part, const std::string& before,
                  Plan rows) {
  const std::string text = fmt::format(
      "SELECT rows.*, parts.part AS {2}, parts.part_before AS {3} FROM rows JOIN (SELECT at, part, "
      "coalesce(lead(part, {4}) OVER (ORDER BY at), {5}) AS part_before FROM (SELECT at, CAST((sum("
      "num) OVER (ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - num) * {6} DIV "
      "sum(num) OVER () - 1 AS BIGINT) AS part FROM (SELECT {0} AS at, sum(CASE WHEN {0} IS NULL "
      "THEN {7} ELSE 1 END) AS num FROM rows GROUP BY {0}) AS counts) AS numbered) AS parts ON {1} "
      "= parts.at",
      NameList({folds.time}), "rows." + NameList({folds.time}), NameList({part}),
      NameList({before}), folds.gap, folds.folds, folds.folds + 1, NoTimeInSql(folds.time, kCut));
  return OverRows(text, fmt::format("number {} folds by time {}", folds.folds, folds.time),
                  std::move(rows));
}

}  // namespace protium
