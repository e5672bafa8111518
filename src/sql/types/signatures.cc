// SPDX-License-Identifier: Apache-2.0
// Functions whose arguments have fixed types: one row each.
#include <algorithm>

#include "sql/tree.h"
#include "sql/types/calls.h"
#include "sql/types/convert.h"

namespace protium {
namespace {

// Arguments, one letter each, the last one for all that follow:
//   t text   d date   s timestamp   n double   b boolean   i whole number of 32 bits
//   k the same, which nothing wider may become   * anything
// Result: a letter as above, l for BIGINT, v for an interval or m for one of months; capital where
// DuckDB gives that type by itself; 1 for the type of the first argument, A for a list of it, ? for
// what DuckDB says.
struct Signature {
  std::string_view name, arguments;
  char result;
};

constexpr Signature kSignatures[] = {
    {"!~~", "t", 'B'},
    {"!~~*", "t", 'B'},
    {"acos", "n", 'N'},
    {"add_months", "di", 'D'},
    {"any_value", "*", '1'},
    {"array_agg", "*", 'A'},
    {"ascii", "t", 'i'},
    {"asin", "n", 'N'},
    {"atan", "n", 'N'},
    {"atan2", "n", 'N'},
    {"bit_and", "*", '1'},
    {"bit_count", "*", 'i'},
    {"bit_length", "t", 'i'},
    {"bit_or", "*", '1'},
    {"bit_xor", "*", '1'},
    {"bool_and", "b", 'B'},
    {"bool_or", "b", 'B'},
    {"btrim", "t", 'T'},
    {"cbrt", "n", 'N'},
    {"char_length", "t", 'i'},
    {"character_length", "t", 'i'},
    {"collect_list", "*", 'A'},
    {"collect_set", "*", 'A'},
    {"contains", "t", 'B'},
    {"corr", "n", 'N'},
    {"cos", "n", 'N'},
    {"cosh", "n", 'N'},
    {"count", "*", 'L'},
    {"count_if", "b", 'L'},
    {"count_star", "*", 'L'},
    {"covar_pop", "n", 'N'},
    {"covar_samp", "n", 'N'},
    {"cume_dist", "*", 'N'},
    {"date_add", "dk", 'D'},
    {"date_diff", "d", 'I'},
    {"date_from_unix_date", "i", 'D'},
    {"date_part", "**", 'i'},
    {"date_sub", "dk", 'D'},
    {"date_trunc", "ts", 'S'},
    {"dateadd", "dk", 'D'},
    {"datediff", "d", 'I'},
    {"day", "d", 'i'},
    {"dayname", "d", 'T'},
    {"dayofmonth", "d", 'i'},
    {"dayofweek", "d", 'i'},
    {"dayofyear", "d", 'i'},
    {"degrees", "n", 'N'},
    {"dense_rank", "*", 'i'},
    {"endswith", "t", 'B'},
    {"every", "b", 'B'},
    {"exp", "n", 'N'},
    {"expm1", "n", 'N'},
    {"first", "*", '1'},
    {"first_value", "*", '1'},
    {"hour", "s", 'i'},
    {"ilike_escape", "t", 'B'},
    {"initcap", "t", 'T'},
    {"instr", "t", 'i'},
    {"isnan", "n", 'B'},
    {"isnotnull", "*", 'B'},
    {"isnull", "*", 'B'},
    {"kurtosis", "n", 'N'},
    {"lag", "*", '1'},
    {"last", "*", '1'},
    {"last_day", "d", 'D'},
    {"last_value", "*", '1'},
    {"lcase", "t", 'T'},
    {"lead", "*", '1'},
    {"left", "ti", 'T'},
    {"length", "t", 'i'},
    {"levenshtein", "tti", 'i'},
    {"like_escape", "t", 'B'},
    {"list", "*", 'A'},
    {"listagg", "t", 'T'},
    {"ln", "n", 'N'},
    {"locate", "tti", 'i'},
    {"log", "n", 'N'},
    {"log10", "n", 'N'},
    {"log1p", "n", 'N'},
    {"log2", "n", 'N'},
    {"lower", "t", 'T'},
    {"lpad", "tit", 'T'},
    {"ltrim", "t", 'T'},
    {"make_date", "i", 'D'},
    {"max", "*", '1'},
    {"max_by", "*", '1'},
    {"median", "n", 'N'},
    {"min", "*", '1'},
    {"min_by", "*", '1'},
    {"minute", "s", 'i'},
    {"mode", "*", '1'},
    {"month", "d", 'i'},
    {"monthname", "d", 'T'},
    {"months_between", "ssb", 'N'},
    {"next_day", "dt", 'D'},
    {"not_ilike_escape", "t", 'B'},
    {"not_like_escape", "t", 'B'},
    {"nth_value", "*", '1'},
    {"ntile", "*", 'i'},
    {"octet_length", "t", 'i'},
    {"percent_rank", "*", 'N'},
    {"percentile", "n*", '?'},
    {"position", "tti", 'i'},
    {"pow", "n", 'N'},
    {"power", "n", 'N'},
    {"pt_format_time", "s*", 'T'},
    {"pt_ilike", "t", 'B'},
    {"pt_isodow", "d", 'i'},
    {"pt_like", "t", 'B'},
    {"pt_not_ilike", "t", 'B'},
    {"pt_not_like", "t", 'B'},
    {"pt_or_empty", "*", '1'},
    {"quantile_cont", "n*", 'N'},
    {"quarter", "d", 'i'},
    {"radians", "n", 'N'},
    {"rank", "*", 'i'},
    {"regexp", "t", 'B'},
    {"regexp_count", "t", 'i'},
    {"regexp_extract", "tti", 'T'},
    {"regexp_extract_all", "tti", '?'},
    {"regexp_like", "t", 'B'},
    {"regexp_replace", "ttti", 'T'},
    {"regr_intercept", "n", 'N'},
    {"regr_slope", "n", 'N'},
    {"repeat", "ti", 'T'},
    {"replace", "t", 'T'},
    {"reverse", "t", '1'},
    {"right", "ti", 'T'},
    {"rint", "n", 'N'},
    {"rlike", "t", 'B'},
    {"row_number", "*", 'i'},
    {"rpad", "tit", 'T'},
    {"rtrim", "t", 'T'},
    {"second", "s", 'i'},
    {"sign", "n", 'N'},
    {"signum", "n", 'N'},
    {"sin", "n", 'N'},
    {"sinh", "n", 'N'},
    {"skewness", "n", 'N'},
    {"some", "b", 'B'},
    {"space", "i", 'T'},
    {"split", "tti", '?'},
    {"split_part", "tti", 'T'},
    {"sqrt", "n", 'N'},
    {"startswith", "t", 'B'},
    {"std", "n", 'N'},
    {"stddev", "n", 'N'},
    {"stddev_pop", "n", 'N'},
    {"stddev_samp", "n", 'N'},
    {"string_agg", "t", 'T'},
    {"substr", "tii", 'T'},
    {"substring", "tii", 'T'},
    {"substring_index", "tti", 'T'},
    {"tan", "n", 'N'},
    {"tanh", "n", 'N'},
    {"to_date", "d", 'D'},
    {"to_days", "*", 'V'},
    {"to_hours", "*", 'V'},
    {"to_minutes", "*", 'V'},
    {"to_months", "*", 'M'},
    {"to_quarters", "*", 'M'},
    {"to_seconds", "*", 'V'},
    {"to_timestamp", "s", 'S'},
    {"to_weeks", "*", 'V'},
    {"to_years", "*", 'M'},
    {"translate", "t", 'T'},
    {"trim", "t", 'T'},
    {"ucase", "t", 'T'},
    {"unix_date", "d", 'I'},
    {"unix_timestamp", "s", 'L'},
    {"upper", "t", 'T'},
    {"var_pop", "n", 'N'},
    {"var_samp", "n", 'N'},
    {"variance", "n", 'N'},
    {"weekday", "d", 'i'},
    {"weekofyear", "d", 'i'},
    {"year", "d", 'i'},
    {"~~", "t", 'B'},
    {"~~*", "t", 'B'},
};

const Signature* FindSignature(std::string_view name) {
  const auto* const found = std::lower_bound(
      std::begin(kSignatures), std::end(kSignatures), name,
      [](const Signature& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(kSignatures) && found->name == name ? found : nullptr;
}

SqlType::Kind KindOf(char letter) {
  switch (letter) {
    case 't':
      return SqlType::kText;
    case 'd':
      return SqlType::kDate;
    case 's':
      return SqlType::kTimestamp;
    case 'n':
      return SqlType::kDouble;
    case 'b':
      return SqlType::kBoolean;
    case 'i':
    case 'k':
      return SqlType::kInt;
    case 'l':
      return SqlType::kBigint;
    case 'v':
      return SqlType::kInterval;
    case 'm':
      return SqlType::kMonths;
    default:
      return SqlType::kUnknown;
  }
}

Status RefuseArgument(const TypedCall& call, size_t i, std::string why, std::string fix) {
  return call.Refuse(call.name + "() is given " + call.types[i].SparkName(), std::move(why),
                     std::move(fix));
}

// Brings an argument to its type. What is not cast here is left to DuckDB, which refuses it.
Status Bring(TypedCall& call, size_t i, char letter) {
  const SqlType type = call.types[i], wanted{KindOf(letter)};
  if (type == SqlType::kUnknown || type == SqlType::kOther || type == wanted) return Status::OK();
  const bool text = type == SqlType::kText || type == SqlType::kNull;
  switch (letter) {
    case 't':
      call.CoerceTo(i, wanted);
      return Status::OK();
    case 'd':
    case 's':
      if (text || type.IsTime()) call.CoerceTo(i, wanted);
      return Status::OK();
    case 'n':
      if (text || type.IsNumber()) {
        call.CoerceTo(i, wanted);
        return Status::OK();
      }
      return RefuseArgument(call, i, "Spark takes numbers alone there", "cast it to a number");
    case 'b':
      if (text) call.CoerceTo(i, wanted);
      if (!type.IsNumber()) return Status::OK();
      return RefuseArgument(call, i, "Spark takes true and false alone there",
                            "compare it with a value");
    case 'k':
      if (!text && (type == SqlType::kBigint || !type.IsWhole())) {
        return RefuseArgument(call, i, "Spark moves dates by numbers of 32 bits alone",
                              "use CAST(... AS INT)");
      }
      call.CoerceTo(i, wanted);
      return Status::OK();
    case 'i':
      if (text || (type.IsNumber() && !type.IsWhole())) call.CoerceTo(i, wanted);
      return Status::OK();
    default:
      return Status::OK();
  }
}

}  // namespace

Result<SqlType> TypeBySignature(TypedCall& call) {
  const Signature* const row = FindSignature(call.name);
  if (row == nullptr) return call.typer.AskType(call.name, call.types);
  for (size_t i = 0; i < call.types.size(); ++i) {
    PT_TRY(Bring(call, i, row->arguments[std::min(i, row->arguments.size() - 1)]));
  }
  if (row->result == '?') return call.typer.AskType(call.name, call.types);
  if (row->result == '1') return call.types.empty() ? SqlType{} : call.types[0];
  if (row->result == 'A') return call.types.empty() ? SqlType{} : SqlType::ListOf(call.types[0]);
  const bool given = row->result >= 'A' && row->result <= 'Z';
  const SqlType result{KindOf(static_cast<char>(row->result | 0x20))};
  if (!given) call.CastResult(result);
  return result;
}

}  // namespace protium
