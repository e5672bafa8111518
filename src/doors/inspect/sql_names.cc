// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace protium {
namespace {

// Words with another meaning where a column may appear, and words that begin or join parts of a
// query: those of SQL:2016 that Spark or DuckDB reserve.
constexpr std::string_view kWords[] = {
    "all",     "analyse",     "and",      "any",     "array",      "as",        "asc",
    "between", "both",        "by",       "case",    "cast",       "check",     "collate",
    "column",  "cross",       "create",   "cube",    "current",    "date",      "default",
    "desc",    "describe",    "distinct", "do",      "else",       "end",       "escape",
    "except",  "exists",      "false",    "fetch",   "filter",     "for",       "foreign",
    "from",    "full",        "grant",    "group",   "grouping",   "having",    "in",
    "inner",   "intersect",   "interval", "into",    "is",         "isnull",    "join",
    "lambda",  "lateral",     "leading",  "left",    "like",       "limit",     "map",
    "minus",   "natural",     "not",      "notnull", "null",       "of",        "offset",
    "on",      "only",        "or",       "order",   "outer",      "overlaps",  "pivot",
    "placing", "primary",     "qualify",  "range",   "references", "returning", "right",
    "rollup",  "row",         "rows",     "select",  "semi",       "anti",      "session_user",
    "set",     "show",        "similar",  "some",    "struct",     "summarize", "symmetric",
    "table",   "tablesample", "then",     "time",    "timestamp",  "to",        "trailing",
    "true",    "union",       "unique",   "unpivot", "user",       "using",     "values",
    "when",    "where",       "window",   "with"};

}  // namespace

bool IsPlainName(const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  if (!std::ranges::all_of(name, letter)) return false;
  const std::string word = Lower(name);
  return !word.starts_with("current_") && std::ranges::find(kWords, word) == std::end(kWords);
}

std::string SqlName(const std::string& name) {
  if (IsPlainName(name)) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace protium
