// SPDX-License-Identifier: Apache-2.0
#include "sql/known_functions.h"

#include <algorithm>

#include "sql/prelude.h"

namespace protium {
namespace {

constexpr std::string_view kSame[] = {"+",
                                      "-",
                                      "*",
                                      "/",
                                      "%",
                                      "||",
                                      "&",
                                      "|",
                                      "<<",
                                      ">>",
                                      "~~",
                                      "!~~",
                                      "~~*",
                                      "!~~*",
                                      "abs",
                                      "acos",
                                      "add_months",
                                      "ascii",
                                      "asin",
                                      "bit_and",
                                      "bit_length",
                                      "bit_or",
                                      "bit_xor",
                                      "bool_and",
                                      "bool_or",
                                      "bround",
                                      "ceil",
                                      "ceiling",
                                      "char_length",
                                      "character_length",
                                      "chr",
                                      "coalesce",
                                      "concat",
                                      "concat_ws",
                                      "contains",
                                      "count",
                                      "count_if",
                                      "count_star",
                                      "cume_dist",
                                      "date_add",
                                      "date_diff",
                                      "date_from_unix_date",
                                      "date_part",
                                      "date_sub",
                                      "date_trunc",
                                      "dateadd",
                                      "datediff",
                                      "day",
                                      "dayofmonth",
                                      "dayofweek",
                                      "dayofyear",
                                      "dense_rank",
                                      "endswith",
                                      "error",
                                      "every",
                                      "flatten",
                                      "floor",
                                      "from_unixtime",
                                      "greatest",
                                      "hour",
                                      "if",
                                      "ifnull",
                                      "instr",
                                      "isnan",
                                      "isnotnull",
                                      "isnull",
                                      "last_day",
                                      "least",
                                      "left",
                                      "length",
                                      "levenshtein",
                                      "like_escape",
                                      "not_like_escape",
                                      "ilike_escape",
                                      "not_ilike_escape",
                                      "list_value",
                                      "locate",
                                      "lower",
                                      "lpad",
                                      "ltrim",
                                      "make_date",
                                      "max",
                                      "md5",
                                      "median",
                                      "min",
                                      "minute",
                                      "mod",
                                      "month",
                                      "nanvl",
                                      "negate",
                                      "nullif",
                                      "nvl",
                                      "nvl2",
                                      "octet_length",
                                      "percent_rank",
                                      "pi",
                                      "pmod",
                                      "position",
                                      "quarter",
                                      "rank",
                                      "regexp",
                                      "regexp_extract",
                                      "regexp_extract_all",
                                      "regexp_like",
                                      "regexp_replace",
                                      "repeat",
                                      "replace",
                                      "reverse",
                                      "right",
                                      "rint",
                                      "rlike",
                                      "round",
                                      "rpad",
                                      "rtrim",
                                      "sign",
                                      "signum",
                                      "some",
                                      "space",
                                      "split",
                                      "split_part",
                                      "sqrt",
                                      "startswith",
                                      "substr",
                                      "substring",
                                      "substring_index",
                                      "to_date",
                                      "to_days",
                                      "to_hours",
                                      "to_minutes",
                                      "to_months",
                                      "to_seconds",
                                      "to_timestamp",
                                      "to_weeks",
                                      "to_years",
                                      "translate",
                                      "trim",
                                      "trunc",
                                      "unix_date",
                                      "unix_timestamp",
                                      "unnest",
                                      "upper",
                                      "weekday",
                                      "weekofyear",
                                      "year"};

constexpr std::string_view kLastBit = "the last bit may differ between engines";
constexpr std::string_view kFloatSum =
    "sums of doubles depend on the order of the rows; whole numbers are exact";
constexpr std::string_view kTies = "where rows tie in its order, either may come first";
constexpr std::string_view kAnyRow = "which row it takes depends on the order of the rows";
constexpr std::string_view kNow = "gives another value in every run";
constexpr std::string_view kTextOrder =
    "the order of its elements depends on the order of the rows";

constexpr KnownFunction kNotExact[] = {
    {"exp", Meaning::kNotExact, kLastBit, ""},
    {"expm1", Meaning::kNotExact, kLastBit, ""},
    {"ln", Meaning::kNotExact, kLastBit, ""},
    {"log", Meaning::kNotExact, kLastBit, ""},
    {"log2", Meaning::kNotExact, kLastBit, ""},
    {"log10", Meaning::kNotExact, kLastBit, ""},
    {"log1p", Meaning::kNotExact, kLastBit, ""},
    {"pow", Meaning::kNotExact, kLastBit, ""},
    {"power", Meaning::kNotExact, kLastBit, ""},
    {"cbrt", Meaning::kNotExact, kLastBit, ""},
    {"sin", Meaning::kNotExact, kLastBit, ""},
    {"cos", Meaning::kNotExact, kLastBit, ""},
    {"tan", Meaning::kNotExact, kLastBit, ""},
    {"atan", Meaning::kNotExact, kLastBit, ""},
    {"atan2", Meaning::kNotExact, kLastBit, ""},
    {"sinh", Meaning::kNotExact, kLastBit, ""},
    {"cosh", Meaning::kNotExact, kLastBit, ""},
    {"tanh", Meaning::kNotExact, kLastBit, ""},
    {"degrees", Meaning::kNotExact, kLastBit, ""},
    {"radians", Meaning::kNotExact, kLastBit, ""},
    {"sum", Meaning::kNotExact, kFloatSum, ""},
    {"avg", Meaning::kNotExact, kFloatSum, ""},
    {"mean", Meaning::kNotExact, kFloatSum, ""},
    {"std", Meaning::kNotExact, kFloatSum, ""},
    {"stddev", Meaning::kNotExact, kFloatSum, ""},
    {"stddev_samp", Meaning::kNotExact, kFloatSum, ""},
    {"stddev_pop", Meaning::kNotExact, kFloatSum, ""},
    {"variance", Meaning::kNotExact, kFloatSum, ""},
    {"var_samp", Meaning::kNotExact, kFloatSum, ""},
    {"var_pop", Meaning::kNotExact, kFloatSum, ""},
    {"corr", Meaning::kNotExact, kFloatSum, ""},
    {"covar_samp", Meaning::kNotExact, kFloatSum, ""},
    {"covar_pop", Meaning::kNotExact, kFloatSum, ""},
    {"skewness", Meaning::kNotExact, kFloatSum, ""},
    {"row_number", Meaning::kNotExact, kTies, ""},
    {"ntile", Meaning::kNotExact, kTies, ""},
    {"lag", Meaning::kNotExact, kTies, ""},
    {"lead", Meaning::kNotExact, kTies, ""},
    {"nth_value", Meaning::kNotExact, kTies, ""},
    {"first_value", Meaning::kNotExact, kTies, ""},
    {"last_value", Meaning::kNotExact, kTies, ""},
    {"first", Meaning::kNotExact, kAnyRow, ""},
    {"last", Meaning::kNotExact, kAnyRow, ""},
    {"any_value", Meaning::kNotExact, kAnyRow, ""},
    {"max_by", Meaning::kNotExact, kTies, ""},
    {"min_by", Meaning::kNotExact, kTies, ""},
    {"mode", Meaning::kNotExact, "among values that are equally frequent it takes any", ""},
    {"collect_list", Meaning::kNotExact, kTextOrder, ""},
    {"collect_set", Meaning::kNotExact, kTextOrder, ""},
    {"array_agg", Meaning::kNotExact, "Spark leaves nulls out; the order depends on the rows", ""},
    {"string_agg", Meaning::kNotExact, kTextOrder, ""},
    {"listagg", Meaning::kNotExact, kTextOrder, ""},
    {"now", Meaning::kNotExact, kNow, ""},
    {"current_date", Meaning::kNotExact, kNow, ""},
    {"current_timestamp", Meaning::kNotExact, kNow, ""},
    {"rand", Meaning::kNotExact, kNow, ""},
    {"random", Meaning::kNotExact, kNow, ""},
    {"uuid", Meaning::kNotExact, kNow, ""},
    {"range", Meaning::kNotExact, "its column is called range here and id in Spark", ""},
};

constexpr std::string_view kJava =
    "its patterns are Java's, which the embedded engine does not have";
constexpr std::string_view kOneSide = "the embedded engine has it, Spark has not";
constexpr std::string_view kHash = "every engine has a hash of its own";
constexpr std::string_view kFiles = "SQL text reads tables by name; files are declared outside it";
constexpr std::string_view kDeclare =
    "declare it: [tables] name = { csv = \"...\" }, or Session::Read()";
constexpr std::string_view kCastText = "for text in ISO form use CAST(... AS DATE) or AS TIMESTAMP";

constexpr KnownFunction kRefused[] = {
    {"^", Meaning::kRefused, "it is a power here and exclusive or in Spark", "use power(a, b)"},
    {"**", Meaning::kRefused, kOneSide, "use power(a, b)"},
    {"//", Meaning::kRefused, kOneSide, "use CAST(a / b AS BIGINT)"},
    {"~", Meaning::kRefused, "it matches a pattern here and flips bits in Spark",
     "use regexp_like(text, pattern)"},
    {"!~", Meaning::kRefused, kOneSide, "use NOT regexp_like(text, pattern)"},
    {"^@", Meaning::kRefused, kOneSide, "use startswith(text, start)"},
    {"->", Meaning::kRefused, kOneSide, ""},
    {"->>", Meaning::kRefused, kOneSide, ""},
    {"xor", Meaning::kRefused, kOneSide, ""},
    {"date_format", Meaning::kRefused, kJava, "use year(), month(), lpad() and concat()"},
    {"to_char", Meaning::kRefused, kJava, ""},
    {"format_string", Meaning::kRefused, kJava, "use concat() and lpad()"},
    {"format_number", Meaning::kRefused, kJava, ""},
    {"printf", Meaning::kRefused, kJava, "use concat() and lpad()"},
    {"format", Meaning::kRefused, kOneSide, "use concat()"},
    {"strftime", Meaning::kRefused, kOneSide, "use year(), month(), lpad() and concat()"},
    {"strptime", Meaning::kRefused, kOneSide, kCastText},
    {"months_between", Meaning::kRefused, "its fractions follow rules of Spark's own",
     "use datediff(a, b)"},
    {"hash", Meaning::kRefused, kHash, "use md5(text)"},
    {"xxhash64", Meaning::kRefused, kHash, "use md5(text)"},
    {"murmur_hash3", Meaning::kRefused, kHash, "use md5(text)"},
    {"approx_count_distinct", Meaning::kRefused, "every engine estimates in its own way",
     "use count(DISTINCT x)"},
    {"approx_percentile", Meaning::kRefused, "every engine estimates in its own way",
     "use median(x)"},
    {"percentile_approx", Meaning::kRefused, "every engine estimates in its own way",
     "use median(x)"},
    {"approx_quantile", Meaning::kRefused, "every engine estimates in its own way",
     "use median(x)"},
    {"quantile", Meaning::kRefused, kOneSide, "use median(x)"},
    {"quantile_cont", Meaning::kRefused, kOneSide, "use median(x)"},
    {"quantile_disc", Meaning::kRefused, kOneSide, "use median(x)"},
    {"week", Meaning::kRefused, kOneSide, "use weekofyear(date)"},
    {"yearweek", Meaning::kRefused, kOneSide, "use weekofyear(date)"},
    {"isodow", Meaning::kRefused, kOneSide, "use weekday(date), where Monday is 0"},
    {"epoch", Meaning::kRefused, kOneSide, "use unix_timestamp(time)"},
    {"strlen", Meaning::kRefused, kOneSide, "use octet_length(text)"},
    {"strpos", Meaning::kRefused, kOneSide, "use instr(text, part)"},
    {"string_split", Meaning::kRefused, kOneSide, "use split(text, pattern)"},
    {"regexp_matches", Meaning::kRefused, kOneSide, "use regexp_like(text, pattern)"},
    {"regexp_full_match", Meaning::kRefused, kOneSide, "use regexp_like(text, '^...$')"},
    {"starts_with", Meaning::kRefused, kOneSide, "use startswith(text, start)"},
    {"ends_with", Meaning::kRefused, kOneSide, "use endswith(text, end)"},
    {"list", Meaning::kRefused, kOneSide, "use collect_list(x)"},
    {"typeof", Meaning::kRefused, "types have other names in Spark", ""},
    {"hex", Meaning::kRefused, "Spark writes negative numbers otherwise", ""},
    {"initcap", Meaning::kRefused, "the embedded engine has not got it", ""},
    {"next_day", Meaning::kRefused, "the embedded engine has not got it", "use date_add()"},
    {"sha2", Meaning::kRefused, "the embedded engine has not got it", "use md5(text)"},
    {"monotonically_increasing_id", Meaning::kRefused, "it depends on Spark's partitions", ""},
    {"spark_partition_id", Meaning::kRefused, "it depends on Spark's partitions", ""},
    {"read_csv", Meaning::kRefused, kFiles, kDeclare},
    {"read_csv_auto", Meaning::kRefused, kFiles, kDeclare},
    {"read_parquet", Meaning::kRefused, kFiles, kDeclare},
    {"parquet_scan", Meaning::kRefused, kFiles, kDeclare},
    {"read_json", Meaning::kRefused, kFiles, kDeclare},
    {"read_json_auto", Meaning::kRefused, kFiles, kDeclare},
    {"read_text", Meaning::kRefused, kFiles, kDeclare},
    {"read_blob", Meaning::kRefused, kFiles, kDeclare},
    {"read_ndjson", Meaning::kRefused, kFiles, kDeclare},
    {"read_ndjson_auto", Meaning::kRefused, kFiles, kDeclare},
    {"read_json_objects", Meaning::kRefused, kFiles, kDeclare},
    {"glob", Meaning::kRefused, kFiles, kDeclare},
    {"query", Meaning::kRefused, "SQL inside SQL is not checked", ""},
    {"query_table", Meaning::kRefused, "SQL inside SQL is not checked", ""},
    {"getenv", Meaning::kRefused, kOneSide, ""},
};

bool IsMacro(std::string_view name) {
  const auto macros = DuckDbMacros();
  return !name.starts_with("pt_") &&
         std::any_of(macros.begin(), macros.end(),
                     [&](const Macro& each) { return each.name == name; });
}

template <size_t N>
const KnownFunction* Find(const KnownFunction (&table)[N], std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const KnownFunction& each) { return each.name == name; });
  return found == std::end(table) ? nullptr : found;
}

constexpr KnownFunction kTheSame = {"", Meaning::kSame, "", ""};

}  // namespace

const KnownFunction* FindKnownFunction(std::string_view name) {
  if (const auto* refused = Find(kRefused, name)) return refused;
  if (const auto* not_exact = Find(kNotExact, name)) return not_exact;
  const bool same = std::find(std::begin(kSame), std::end(kSame), name) != std::end(kSame);
  return same || IsMacro(name) ? &kTheSame : nullptr;
}

std::vector<std::string> KnownFunctionNames() {
  std::vector<std::string> names(std::begin(kSame), std::end(kSame));
  for (const KnownFunction& each : kNotExact) names.emplace_back(each.name);
  for (const Macro& macro : DuckDbMacros()) {
    if (!macro.name.starts_with("pt_")) names.emplace_back(macro.name);
  }
  return names;
}

}  // namespace protium
