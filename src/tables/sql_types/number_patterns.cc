// SPDX-License-Identifier: Apache-2.0
// to_char() and to_number(): the pattern, which must be a literal, decides the type of a number
// that is read.
#include <fmt/format.h>

#include <utility>

#include "sql_tree/tree.h"
#include "sql_types/calls.h"
#include "sql_words/digit_pattern.h"
#include "sql_words/java_pattern.h"

namespace protium {
namespace {

// The pattern of the call, as a literal.
Result<DigitPattern> PatternOf(const TypedCall& call) {
  const std::string* const text =
      call.types.size() == 2 ? tree::ConstantText(call.node["children"][1]) : nullptr;
  const auto pattern = text == nullptr ? std::nullopt : ReadDigitPattern(*text);
  if (pattern) return *pattern;
  return call.Refuse(fmt::format("{}() is not supported for {}", call.name,
                                 text == nullptr ? "a pattern that is not a literal"
                                                 : "the pattern '" + *text + "'"),
                     "a pattern is of the form [MI|S] [$] [0|9|G|,]* [.|D] [0|9]* [PR|MI|S]",
                     "write a pattern such as '$99,999.99'");
}

// For a time it is date_format().
Result<SqlType> WriteTime(TypedCall& call) {
  const std::string* const text =
      call.types.size() == 2 ? tree::ConstantText(call.argument(1)) : nullptr;
  if (text == nullptr || !ReadJavaPattern(*text, PatternUse::kWrite)) {
    return call.Refuse(call.name + "() is not supported for this pattern of a time",
                       "it has a letter of Java's patterns that the embedded engine does not have",
                       "use date_format(time, pattern) with y, M, d, H, h, m, s, S, a, E, Q, D");
  }
  call.CoerceTo(0, {SqlType::kTimestamp});
  call.node["function_name"] = "pt_format_time";
  return SqlType{SqlType::kText};
}

}  // namespace

Result<SqlType> TypeReadNumber(TypedCall& call) {
  PT_LET(const DigitPattern pattern, PatternOf(call));
  if (pattern.whole == 0) {
    return call.Refuse(call.name + "() is not supported for a pattern without whole digits",
                       "Spark fails where the text has some", "write a 9 before the point");
  }
  call.CoerceTo(0, SqlType{SqlType::kText});
  const bool tried = call.name.starts_with("try_");
  const SqlType type = SqlType::Decimal(pattern.whole + pattern.fraction, pattern.fraction);
  Json digits =
      tree::Call(tried ? "pt_try_read_number" : "pt_read_number", call.node["children"], call.node);
  tree::Replace(call.node, tree::Cast(std::move(digits), type));
  return type;
}

Result<SqlType> TypeWriteNumber(TypedCall& call) {
  if (!call.types.empty() && call.types[0].IsTime()) return WriteTime(call);
  PT_LET(const DigitPattern pattern, PatternOf(call));
  const SqlType type = call.types[0];
  if (type.IsReal() || type == SqlType::kText) {
    return call.Refuse(call.name + "() is given " + type.SparkName(),
                       "Spark makes a decimal of it first", "use CAST(x AS DECIMAL(p, s))");
  }
  if (!type.IsNumber() && type != SqlType::kNull) {
    return call.Refuse(call.name + "() is given " + type.SparkName(),
                       "the embedded engine writes only numbers by it",
                       "use CAST(x AS DECIMAL(p, s))");
  }
  if (type == SqlType::kNull) call.CoerceTo(0, {SqlType::kInt});
  call.CoerceTo(0, SqlType{SqlType::kText});
  call.node["function_name"] = "pt_write_number";
  return SqlType{SqlType::kText};
}

}  // namespace protium
