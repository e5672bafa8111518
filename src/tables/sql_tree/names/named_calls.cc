// SPDX-License-Identifier: Apache-2.0
// Calls and operators in names of columns. Spark spells most functions as the query does, some in
// capitals, and fills in omitted arguments.
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

// Functions that Spark does not spell in lower case.
constexpr std::string_view kCapitals[] = {
    "acos",        "acosh",        "asin",  "asinh",  "atan",    "atan2",   "atanh",
    "cbrt",        "cos",          "cosh",  "cot",    "csc",     "degrees", "dense_rank",
    "e",           "exp",          "expm1", "hypot",  "log",     "log10",   "log1p",
    "log2",        "percent_rank", "pi",    "power",  "radians", "rank",    "regexp",
    "regexp_like", "rlike",        "sec",   "signum", "sin",     "sinh",    "sqrt",
    "tan",         "tanh"};

// Functions that are casts, which Spark omits.
constexpr std::string_view kCasts[] = {"bigint",   "binary", "boolean", "date",
                                       "decimal",  "double", "float",   "int",
                                       "smallint", "string", "tinyint", "timestamp"};

// Aggregates whose second argument says whether to skip nulls, which the name omits.
constexpr std::string_view kIgnoring[] = {"any_value", "first", "first_value", "last",
                                          "last_value"};

// The value of an omitted argument. Rows of one function are in the order of their positions.
struct Default {
  std::string_view function;
  size_t place;
  std::string_view value;
};
constexpr std::string_view kFinish = "lambdafunction(namedlambdavariable(), namedlambdavariable())";
constexpr std::string_view kAscending =
    "lambdafunction((IF(((namedlambdavariable() IS NULL) AND (namedlambdavariable() IS NULL)), 0, "
    "(IF((namedlambdavariable() IS NULL), 1, (IF((namedlambdavariable() IS NULL), -1, "
    "(IF((namedlambdavariable() < namedlambdavariable()), -1, (IF((namedlambdavariable() > "
    "namedlambdavariable()), 1, 0)))))))))), namedlambdavariable(), namedlambdavariable())";
constexpr Default kDefaults[] = {{"aggregate", 3, kFinish},
                                 {"approx_percentile", 2, "10000"},
                                 {"array_sort", 1, kAscending},
                                 {"bround", 1, "0"},
                                 {"from_unixtime", 1, "yyyy-MM-dd HH:mm:ss"},
                                 {"listagg", 1, "NULL"},
                                 {"locate", 2, "1"},
                                 {"lpad", 2, " "},
                                 {"mask", 1, "X"},
                                 {"mask", 2, "x"},
                                 {"mask", 3, "n"},
                                 {"mask", 4, "NULL"},
                                 {"months_between", 2, "true"},
                                 {"overlay", 3, "-1"},
                                 {"percentile", 2, "1"},
                                 {"percentile_approx", 2, "10000"},
                                 {"position", 2, "1"},
                                 {"reduce", 3, kFinish},
                                 {"regexp_extract", 2, "1"},
                                 {"regexp_extract_all", 2, "1"},
                                 {"regexp_instr", 2, "0"},
                                 {"regexp_replace", 3, "1"},
                                 {"replace", 2, ""},
                                 {"round", 1, "0"},
                                 {"rpad", 2, " "},
                                 {"sort_array", 1, "true"},
                                 {"split", 2, "-1"},
                                 {"str_to_map", 1, ","},
                                 {"str_to_map", 2, ":"},
                                 {"string_agg", 1, "NULL"},
                                 {"substr", 2, "2147483647"},
                                 {"substring", 2, "2147483647"},
                                 {"to_unix_timestamp", 1, "yyyy-MM-dd HH:mm:ss"},
                                 {"unix_timestamp", 1, "yyyy-MM-dd HH:mm:ss"}};

// DuckDB's parser's name for a function of Spark's.
struct Parsed {
  std::string_view duckdb, spark;
};
constexpr Parsed kParsed[] = {{"array_agg", "collect_list"},
                              {"curdate", "current_date"},
                              {"dateadd", "date_add"},
                              {"grouping_function", "grouping"},
                              {"list_value", "array"},
                              {"quantile_cont", "percentile_cont"},
                              {"quantile_disc", "percentile_disc"},
                              {"regexp_full_match", "rlike"},
                              {"row", "struct"},
                              {"string_agg", "listagg"}};

// Functions that the reader writes for an operator.
constexpr Parsed kShifts[] = {
    {"shiftleft", "<<"}, {"shiftright", ">>"}, {"shiftrightunsigned", ">>>"}};

template <class Words>
bool IsAmong(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

}  // namespace

std::string NameWriter::Call(const Json& node) {
  std::string name = Lower(Text(node, "function_name"));
  if (name == "count_star") name = "count";
  const std::string interval = Interval(node);
  if (!interval.empty()) return interval;
  const bool sign = name == "-" || name == "+" || name == "~" || name == "!";
  if (sign || node.value("is_operator", false)) return Sign(name, node);
  const auto* const parsed = std::ranges::find(kParsed, name, &Parsed::duckdb);
  if (parsed != std::end(kParsed)) name = parsed->spark;
  Texts arguments = Arguments(node);
  if (IsAmong(kCasts, name) && arguments.size() == 1) return arguments[0];
  if (name.find("like_escape") != std::string::npos || name == "like") return Like(name, arguments);
  if (name == "like_any" && arguments.size() > 2) return LikeAny(node, arguments);
  if (name == "binary_literal") return "X'" + Upper(Listed(arguments)) + "'";
  if (name == "from_json") arguments.resize(1);
  if (name == "datepart" && arguments.size() == 2) {
    return fmt::format("datepart({} FROM {})", arguments[0], arguments[1]);
  }
  if (name == "date_part" && Begins(node, "EXTRACT")) return Extract(node);
  if (name.ends_with("trim") && name != "btrim") return Trim(name, node, arguments);
  const auto* const shift = std::ranges::find(kShifts, name, &Parsed::duckdb);
  if (shift != std::end(kShifts) && !Begins(node, Upper(name)) && arguments.size() == 2) {
    return fmt::format("({} {} {})", arguments[0], shift->spark, arguments[1]);
  }
  if (name == "isnull" && arguments.size() == 1) return fmt::format("({} IS NULL)", arguments[0]);
  if (name == "isnotnull" && arguments.size() == 1) {
    return fmt::format("({} IS NOT NULL)", arguments[0]);
  }
  if (name == "positive" && arguments.size() == 1) return fmt::format("(+ {})", arguments[0]);
  return Plain(name, node, std::move(arguments));
}

// The arguments as written; count(*) counts a 1. Names within struct(a AS b) are aliases.
NameWriter::Texts NameWriter::Arguments(const Json& node) {
  const std::string name = Lower(Text(node, "function_name"));
  if (name == "count_star" || (name == "count" && node["children"].empty())) return {"1"};
  Texts texts;
  for (const Json& child : node["children"]) {
    const std::string alias = Text(child, "alias");
    texts.push_back(Expression(child) + (alias.empty() ? "" : " AS " + alias));
  }
  return texts;
}

std::string NameWriter::Plain(const std::string& name, const Json& node, Texts arguments) {
  for (const Default& each : kDefaults) {
    if (each.function == name && each.place == arguments.size()) {
      arguments.emplace_back(each.value);
    }
  }
  if (IsAmong(kIgnoring, name) && arguments.size() > 1) arguments.resize(1);
  if (name == "log" && arguments.size() == 1) arguments.insert(arguments.begin(), "E()");
  if (name == "locate" && Begins(node, "POSITION")) return Position(node, arguments);
  if (name == "convert_timezone" && arguments.size() == 2) {
    arguments.insert(arguments.begin(), "current_timezone()");
  }
  if (name == "assert_true" && arguments.size() == 1) {
    arguments.push_back("'" + arguments[0] + "' is not true!");
  }
  if (name == "raise_error" && arguments.size() == 1) {
    arguments[0] = "USER_RAISED_EXCEPTION, map(errorMessage, " + arguments[0] + ")";
  }
  const bool rounded = (name == "ceil" || name == "floor") && arguments.size() == 1;
  std::string text = rounded || IsAmong(kCapitals, name) ? Upper(name) : name;
  text +=
      fmt::format("({}{})", node.value("distinct", false) ? "DISTINCT " : "", Listed(arguments));
  if (node.contains("order_bys") && node["order_bys"].is_object() &&
      !node["order_bys"]["orders"].empty()) {
    const Json& orders = node["order_bys"]["orders"];
    const bool plain = name.starts_with("percentile_");
    const bool down = Text(orders[0], "type") == "DESCENDING";
    text += fmt::format(
        " WITHIN GROUP (ORDER BY {})",
        plain ? Expression(orders[0]["expression"]) + (down ? " DESC" : "") : Orders(orders));
  }
  for (const char* const key : {"filter", "filter_expr"}) {
    if (node.contains(key) && node[key].is_object()) {
      text += fmt::format(" FILTER (WHERE {})", Expression(node[key]));
    }
  }
  return text;
}

// position(a, b), which the reader respells, looks like position(a IN b): the name retains the word
// only if a comma comes first.
std::string NameWriter::Position(const Json& node, const Texts& arguments) const {
  const std::string text = Upper(source_.text(node));
  const bool comma = text.find(',') < text.find(" IN ");
  return fmt::format("{}({})", comma ? "position" : "locate", Listed(arguments));
}

// LIKE is followed by ESCAPE if that is not a backslash.
std::string NameWriter::Like(const std::string& name, const Texts& arguments) const {
  if (arguments.size() < 2) return name;
  const bool caseless = name.find("ilike") != std::string::npos;
  const std::string escape =
      arguments.size() > 2 && arguments[2] != "\\" ? fmt::format(" ESCAPE '{}'", arguments[2]) : "";
  std::string text = caseless ? fmt::format("ilike({}, {})", arguments[0], arguments[1])
                              : fmt::format("{} LIKE {}{}", arguments[0], arguments[1], escape);
  return name.starts_with("not_") ? "(NOT " + text + ")" : text;
}

// x LIKE ANY ('a', 'b') is likeany(x), whatever the patterns, if they are constants; otherwise, and
// always for ILIKE ANY, the comparisons that it stands for.
std::string NameWriter::LikeAny(const Json& node, const Texts& arguments) const {
  const std::string& form = arguments[0];
  const bool caseless = form.find("ILIKE") != std::string::npos;
  bool constant = !caseless;
  for (size_t i = 2; i < arguments.size(); ++i) {
    constant = constant && tree::ConstantText(node["children"][i]) != nullptr;
  }
  if (constant) {
    std::string name =
        Lower(form.ends_with("SOME") ? form.substr(0, form.size() - 4) + "ANY" : form);
    std::erase(name, ' ');
    return fmt::format("{}({})", name, arguments[1]);
  }
  const std::string sign =
      fmt::format("{}{}", form.starts_with("NOT") ? "not_" : "", caseless ? "ilike" : "like");
  Texts sides;
  for (size_t i = 2; i < arguments.size(); ++i) {
    sides.push_back(Like(sign, {arguments[1], arguments[i]}));
  }
  return sides.size() == 1 ? sides[0] : Conjunction(form.ends_with("ALL") ? "AND" : "OR", sides);
}

// trim('a', x) has its letters first, TRIM(BOTH 'a' FROM x) comes with the text first.
std::string NameWriter::Trim(const std::string& name, const Json& node,
                             const Texts& arguments) const {
  if (arguments.size() < 2) return fmt::format("{}({})", name, Listed(arguments));
  const auto first = tree::View(node["children"][0]).place(),
             second = tree::View(node["children"][1]).place();
  const bool turned = first && second && *first > *second;
  const std::string_view side = name == "ltrim" ? "LEADING" : name == "rtrim" ? "TRAILING" : "BOTH";
  return fmt::format("TRIM({} {} FROM {})", side, arguments[turned ? 1 : 0],
                     arguments[turned ? 0 : 1]);
}

// The part is written as the user spelt it, which DuckDB's parser does not preserve.
std::string NameWriter::Extract(const Json& node) {
  std::string part = *tree::ConstantText(node["children"][0]);
  const std::string_view text = source_.text(node);
  const size_t open = text.find('(');
  if (open != std::string_view::npos) {
    const size_t first = text.find_first_not_of(" \t\n", open + 1);
    const size_t last = text.find_first_of(" \t\n", first);
    if (last != std::string_view::npos) part = text.substr(first, last - first);
  }
  return fmt::format("extract({} FROM {})", part, Expression(node["children"][1]));
}

std::string NameWriter::Sign(const std::string& sign, const Json& node) {
  const Json& operands = node["children"];
  if (operands.size() == 1) {
    const std::string operand = Expression(operands[0]);
    if (sign == "~") return "~" + operand;
    return sign == "!" ? fmt::format("(NOT {})", operand) : fmt::format("({} {})", sign, operand);
  }
  if (sign == "+" || sign == "-") {
    std::string moved = MovedTime(sign == "+", operands[0], operands[1]);
    if (!moved.empty()) return moved;
  }
  const Texts sides = Each(operands);
  const std::string &a = sides[0], &b = sides[1];
  if (sign == "||") return fmt::format("concat({}, {})", a, b);
  if (sign == "~~" || sign == "~~*") return Like(sign == "~~" ? "like" : "ilike", sides);
  if (sign == "!~~" || sign == "!~~*") return Like(sign == "!~~" ? "not_like" : "not_ilike", sides);
  return fmt::format("({} {} {})", a, sign == "//" ? "div" : sign, b);
}

std::string CastTypeName(const Json& type) {
  const std::string id = Text(type, "id");
  const Json info = type.value("type_info", Json());
  if (id == "DECIMAL" && info.is_object()) {
    return fmt::format("DECIMAL({},{})", info.value("width", 10), info.value("scale", 0));
  }
  if (id == "LIST" && info.is_object()) return "ARRAY<" + CastTypeName(info["child_type"]) + ">";
  if (id == "MAP" && info.is_object()) {
    const Json& pair = info["child_type"]["type_info"]["child_types"];
    return fmt::format("MAP<{}, {}>", CastTypeName(pair[0]["second"]),
                       CastTypeName(pair[1]["second"]));
  }
  if (id == "BLOB") return "BINARY";
  // TIMESTAMP_S stands for TIMESTAMP_NTZ: see spark_types.cc.
  if (id.starts_with("TIMESTAMP")) return id == "TIMESTAMP_S" ? "TIMESTAMP_NTZ" : "TIMESTAMP";
  return Upper(SqlType::FromDuck(id).SparkName());
}

}  // namespace protium
