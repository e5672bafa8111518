// SPDX-License-Identifier: Apache-2.0
// Functions that DuckDB has under another name: casts called by the name of their type, array() and
// char(). DuckDB's grammar reserves most of these words, so FromSpark() has put them in quotes.
#include <algorithm>
#include <string_view>

#include "sql/rules/rule.h"
#include "sql/tree.h"

namespace protium {
namespace {

struct Renamed {
  std::string_view spark;
  const char* duckdb;
};

constexpr Renamed kRenamed[] = {
    {"array", "list_value"},  {"bigint", "pt_to_bigint"},       {"boolean", "pt_to_boolean"},
    {"char", "chr"},          {"date", "pt_to_date"},           {"double", "pt_to_double"},
    {"float", "pt_to_float"}, {"int", "pt_to_integer"},         {"smallint", "pt_to_smallint"},
    {"string", "pt_to_text"}, {"timestamp", "pt_to_timestamp"}, {"tinyint", "pt_to_tinyint"},
};

const Renamed* FindRenamed(const tree::View& node) {
  if (!node.Is(tree::Kind::kFunction)) return nullptr;
  const auto* const found = std::ranges::find(kRenamed, node.function(), &Renamed::spark);
  return found == std::end(kRenamed) ? nullptr : found;
}

}  // namespace

Rule RenameRule() {
  return {.name = "rename",
          .matches = [](const tree::View& node) { return FindRenamed(node) != nullptr; },
          .apply =
              [](Json& node) {
                node["function_name"] = FindRenamed(tree::View(node))->duckdb;
                return Status::OK();
              }};
}

}  // namespace protium
