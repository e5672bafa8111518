// SPDX-License-Identifier: Apache-2.0
// Functions that mean something else for lists and maps than for other types.
#include <fmt/format.h>

#include <utility>

#include "sql_tree/tree.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"

namespace protium {

// reverse() of a list is a different function in DuckDB.
Result<SqlType> TypeReversed(TypedCall& call) {
  if (call.types.size() == 1 && call.types[0].IsMap()) {
    return call.Refuse("reverse() is given " + call.types[0].SparkName(),
                       "Spark reverses only text and lists", "use map_entries(m)");
  }
  if (call.types.size() == 1 && call.types[0] == SqlType::kBinary) {
    call.node["function_name"] = "pt_bytes_reverse";
    return call.types[0];
  }
  if (call.types.size() != 1 || !call.types[0].IsList()) return TypeBySignature(call);
  Json list = Json::array({tree::Take(call.argument(0))});
  tree::Replace(call.node, tree::Call("list_reverse", std::move(list), call.node));
  return call.types[0];
}

namespace {

Status RefuseSequence(const TypedCall& call) {
  std::string types;
  for (const SqlType& type : call.types) {
    types += (types.empty() ? "" : ", ") + type.SparkName();
  }
  return call.Refuse(fmt::format("sequence({}) is not supported", types),
                     "Spark counts in whole numbers, or from a time to a time by an interval",
                     "cast the ends to one type");
}

// Numbers: the list has the common type of all arguments; the macro counts in BIGINT.
Result<SqlType> TypeNumbers(TypedCall& call) {
  const auto common = CommonType(call.types);
  if (!common || !common->IsWhole()) return RefuseSequence(call);
  call.CoerceAll({SqlType::kBigint});
  const SqlType list = SqlType::ListOf(*common);
  call.CastResult(list);
  return list;
}

// Times, by a step of fixed length or of months. Months are counted from the start, so that the
// last day of a month is not lost on the way.
Result<SqlType> TypeTimes(TypedCall& call) {
  const auto common = CommonType(call.types[0], call.types[1]);
  if (!common || !common->IsTime()) return RefuseSequence(call);
  const bool days = call.types.size() == 2 && *common == SqlType::kDate;
  for (size_t i = 0; i < 2 && !days; ++i) call.CoerceTo(i, {SqlType::kTimestamp});
  Json arguments = call.node["children"];
  const char* function = "pt_days";
  if (!days && arguments.size() == 2) function = "pt_day_steps";
  if (arguments.size() == 3) {
    function = call.types[2] == SqlType::kMonths ? "pt_month_steps"
               : *common == SqlType::kDate       ? "pt_date_steps"
                                                 : "pt_time_steps";
  }
  tree::Replace(call.node, tree::Call(function, std::move(arguments), call.node));
  const SqlType list = SqlType::ListOf(*common);
  call.CastResult(list);
  return list;
}

}  // namespace

Result<SqlType> TypeSequence(TypedCall& call) {
  const size_t count = call.types.size();
  for (const SqlType& type : call.types) {
    if (type == SqlType::kUnknown) return TypeBySignature(call);
  }
  if (count < 2 || count > 3) return TypeBySignature(call);
  if (!call.types[0].IsTime() && !call.types[1].IsTime()) return TypeNumbers(call);
  const bool interval =
      count == 3 && (call.types[2] == SqlType::kInterval || call.types[2] == SqlType::kMonths);
  return count == 2 || interval ? TypeTimes(call) : RefuseSequence(call);
}

}  // namespace protium
