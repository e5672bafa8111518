// SPDX-License-Identifier: Apache-2.0
#include "duckdb/operator_times.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"

namespace protium {
namespace {

constexpr size_t kMostOperators = 500;
constexpr size_t kMostText = 300;

// DuckDB returns every metric as text.
std::string TextOf(duckdb_profiling_info info, const char* key) {
  duck::Value value(duckdb_profiling_info_get_value(info, key));
  if (value.get() == nullptr) return {};
  char* const text = duckdb_get_varchar(value.get());
  std::string read = text == nullptr ? "" : text;
  duckdb_free(text);
  return read;
}

void Remove(std::string& text, std::string_view what) {
  for (size_t at; (at = text.find(what)) != text.npos;) text.erase(at, what.size());
}

// Shortens "{Groups=b, __estimated_cardinality__=7}" to "Groups=b": the estimate is not a result of
// the run.
std::string Plainly(std::string text) {
  constexpr std::string_view kEstimate = "__estimated_cardinality__=";
  if (const size_t at = text.find(kEstimate); at != text.npos) {
    const size_t end = text.find_first_not_of("0123456789", at + kEstimate.size());
    text.erase(at, std::min(end, text.size()) - at);
  }
  Remove(text, "__projections__=");
  Remove(text, "{");
  Remove(text, "}");
  while (text.ends_with(", ")) text.resize(text.size() - 2);
  std::ranges::replace(text, '\n', ' ');
  return Shortened(text, kMostText);
}

double NumberOf(duckdb_profiling_info info, const char* key) {
  const double number = std::strtod(TextOf(info, key).c_str(), nullptr);
  return std::isfinite(number) ? number : 0;
}

void AddOperators(duckdb_profiling_info info, int depth, Json& list) {
  const std::string name = TextOf(info, "OPERATOR_NAME");
  if (!name.empty() && list.size() < kMostOperators) {
    Json each = {{"name", name},
                 {"depth", depth},
                 {"seconds", NumberOf(info, "OPERATOR_TIMING")},
                 {"rows", int64_t(NumberOf(info, "OPERATOR_CARDINALITY"))}};
    const auto scanned = int64_t(NumberOf(info, "OPERATOR_ROWS_SCANNED"));
    if (scanned > 0) each["scanned"] = scanned;
    std::string what = Plainly(TextOf(info, "EXTRA_INFO"));
    if (!what.empty()) each["what"] = std::move(what);
    list.push_back(std::move(each));
    ++depth;
  }
  for (idx_t i = 0; i < duckdb_profiling_info_get_child_count(info); ++i) {
    AddOperators(duckdb_profiling_info_get_child(info, i), depth, list);
  }
}

}  // namespace

Status CountOperatorTimes(const duck::Connection& connection) {
  return duck::Do(connection, "PRAGMA enable_profiling = 'no_output'");
}

Json OperatorTimes(const duck::Connection& connection) {
  const duckdb_profiling_info root = duckdb_get_profiling_info(connection.get());
  if (root == nullptr) return Json::object();
  Json operators = Json::array();
  AddOperators(root, 0, operators);
  if (operators.empty()) return Json::object();
  return {{"seconds", NumberOf(root, "LATENCY")},
          {"cpu_seconds", NumberOf(root, "CPU_TIME")},
          {"operators", std::move(operators)}};
}

}  // namespace protium
