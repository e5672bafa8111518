// SPDX-License-Identifier: Apache-2.0
// Functions that mean something else for lists and maps than for other types.
#include <fmt/format.h>

#include <utility>

#include "sql/tree.h"
#include "sql/types/calls.h"

namespace protium {

// m[k] of a map: ElementRule took k for a position that counts from 0.
Result<SqlType> TypeElement(TypedCall& call) {
  if (call.types.size() == 2 && call.types[0] == SqlType::kText) {
    return call.Refuse("a subscript is given a text", "Spark takes subscripts of lists and maps",
                       "use substring(text, 1, 1), which counts from 1");
  }
  if (call.types.size() != 2 || !call.types[0].IsMap()) return TypeBySignature(call);
  call.node["function_name"] = "pt_map_value";
  return call.typer.AskType("pt_map_value", call.types);
}

// reverse() of a list is another function in DuckDB.
Result<SqlType> TypeReversed(TypedCall& call) {
  if (call.types.size() == 1 && call.types[0].IsMap()) {
    return call.Refuse("reverse() is given " + call.types[0].SparkName(),
                       "Spark reverses only text and lists", "use map_entries(m)");
  }
  if (call.types.size() != 1 || !call.types[0].IsList()) return TypeBySignature(call);
  Json list = Json::array({tree::Take(call.argument(0))});
  tree::Replace(call.node, tree::Call("list_reverse", std::move(list), call.node));
  return call.types[0];
}

// sequence() of numbers has a macro; of two dates it counts days, and other steps are refused.
Result<SqlType> TypeSequence(TypedCall& call) {
  const auto time = [&](size_t i) { return i < call.types.size() && call.types[i].IsTime(); };
  if (!time(0) && !time(1)) return TypeBySignature(call);
  if (call.types.size() == 2 && call.types[0] == SqlType::kDate && call.types[0] == call.types[1]) {
    Json ends = Json::array({tree::Take(call.argument(0)), tree::Take(call.argument(1))});
    tree::Replace(call.node, tree::Call("pt_days", std::move(ends), call.node));
    return SqlType::ListOf({SqlType::kDate});
  }
  std::string types;
  for (const SqlType& type : call.types) {
    types += (types.empty() ? "" : ", ") + type.SparkName();
  }
  return call.Refuse(
      fmt::format("sequence({}) is not supported by every engine", types),
      "the embedded engine counts only in days, without a step",
      "use sequence(date, date), or transform(sequence(0, n), i -> add_months(first, i))");
}

}  // namespace protium
