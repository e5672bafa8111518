// SPDX-License-Identifier: Apache-2.0
// Times that are moved, in names of columns: Spark's spelling depends on types.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sql_tree/names/name_writer.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using tree::Text;

// Whether it is an interval: a written one, or a multiple of one.
bool IsInterval(const Json& node) {
  const std::string& name = Text(node, "function_name");
  if (name.starts_with("to_") && node.contains("children") && node["children"].size() == 1) {
    static constexpr std::string_view kUnits[] = {
        "to_days",   "to_hours",    "to_microseconds", "to_milliseconds", "to_minutes",
        "to_months", "to_quarters", "to_seconds",      "to_weeks",        "to_years"};
    return std::ranges::find(kUnits, std::string_view(name)) != std::end(kUnits);
  }
  return name == "make_interval" ||
         (node.value("is_operator", false) && std::ranges::any_of(node["children"], IsInterval));
}

}  // namespace

// A date plus days is date_add(), also with an interval of days; other sums with a time are written
// without parentheses.
std::string NameWriter::MovedTime(bool plus, const Json& left, const Json& right) {
  const SqlType a = TimeType(left), b = TimeType(right);
  if (plus && !a.IsTime() && b.IsTime()) return MovedTime(true, right, left);
  if (!a.IsTime() || b.IsTime()) return "";
  const std::string interval = Interval(right), time = Expression(left);
  if (!IsInterval(right)) {
    if (a != SqlType::kDate) return "";
    return fmt::format("{}({}, {})", plus ? "date_add" : "date_sub", time, Expression(right));
  }
  if (a == SqlType::kDate && interval.ends_with(" DAY")) {
    const std::string days = fmt::format("extractansiintervaldays({})", interval);
    return fmt::format("date_add({}, {})", time, plus ? days : "(- " + days + ")");
  }
  return fmt::format("{} {} {}", time, plus ? "+" : "-", Expression(right));
}

// The type of what is recognisably a date or a timestamp; unknown otherwise.
SqlType NameWriter::TimeType(const Json& node) const {
  if (tree::FindKind(node) == tree::Kind::kColumn) return source_.column(node["column_names"]);
  if (tree::FindKind(node) == tree::Kind::kCast) {
    const std::string& id = Text(node["cast_type"], "id");
    return id.starts_with("TIMESTAMP") ? SqlType{SqlType::kTimestamp} : SqlType::FromDuck(id);
  }
  const std::string name = Lower(Text(node, "function_name"));
  if (name == "current_date" || name == "curdate") return {SqlType::kDate};
  if (!node.contains("children") || node["children"].empty()) return {};
  if (Text(node, "type") == "OPERATOR_COALESCE") {
    SqlType common;
    for (const Json& child : node["children"]) {
      const SqlType type = TimeType(child);
      if (type.IsTime() && common != SqlType::kTimestamp) common = type;
    }
    return common;
  }
  if (tree::FindKind(node) != tree::Kind::kFunction) return {};
  if (node.value("is_operator", false)) {
    const SqlType a = TimeType(node["children"][0]);
    return a.IsTime() || node["children"].size() < 2 ? a : TimeType(node["children"][1]);
  }
  const SqlFunction* const row = FindSqlFunction(name);
  if (name == "date" || (row != nullptr && (row->result | 0x20) == 'd')) return {SqlType::kDate};
  if (name == "timestamp" || (row != nullptr && (row->result | 0x20) == 's')) {
    return {SqlType::kTimestamp};
  }
  return row != nullptr && row->result == '1' ? TimeType(node["children"][0]) : SqlType{};
}

}  // namespace protium
