// SPDX-License-Identifier: Apache-2.0
// Functions that DuckDB has under another name: casts called by the name of their type, array() and
// char(). DuckDB's grammar reserves most of these words, so FromSpark() has put them in quotes.
// decimal(x) has no function to become, and is written as the cast that it is.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/fault.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

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

bool IsDecimal(const tree::View& node) {
  return node.Is(tree::Kind::kFunction) && node.function() == "decimal";
}

// DuckDB's message would name the function that it is given, which the user has not written.
Status CheckOneValue(const Json& node) {
  if (node["children"].size() == 1) return Status::OK();
  const std::string& name = tree::Text(node, "function_name");
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("{}() is a cast of one value, and has {}", name,
                                   node["children"].size()),
               .fix = fmt::format("write {}(value)", name)});
}

Status ApplyRename(Json& node) {
  const Renamed* const found = FindRenamed(tree::View(node));
  const bool cast = found == nullptr || std::string_view(found->duckdb).starts_with("pt_to_");
  if (cast) PT_TRY(CheckOneValue(node));
  if (found != nullptr) {
    node["function_name"] = found->duckdb;
  } else {
    // A DECIMAL without digits is DECIMAL(10,0) for Spark, and DECIMAL(18,3) for DuckDB.
    tree::Replace(node, tree::Cast(tree::Take(node["children"][0]), SqlType::Decimal(10, 0)));
  }
  return Status::OK();
}

}  // namespace

Rule RenameRule() {
  return {
      .name = "rename",
      .matches =
          [](const tree::View& node) { return IsDecimal(node) || FindRenamed(node) != nullptr; },
      .apply = ApplyRename};
}

}  // namespace protium
