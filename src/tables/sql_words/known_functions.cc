// SPDX-License-Identifier: Apache-2.0
// Joins the themes of sql_words/functions into one table. Each theme is sorted by name, which a
// static_assert in its file checks, so that a look-up is a binary search in each.
#include "sql_words/known_functions.h"

#include <algorithm>
#include <utility>

#include "sql_words/functions/table.h"

namespace protium {

std::span<const std::span<const SqlFunction>> SqlFunctions() {
  using namespace functions;
  static const std::span<const SqlFunction> kThemes[] = {
      Pieces(), Aggregates(), Conditions(), Dates(),    EngineOnly(), JsonTexts(),
      Lists(),  Numbers(),    Operators(),  Patterns(), Text()};
  return kThemes;
}

const SqlFunction* FindSqlFunction(std::string_view name) {
  const auto name_of = [](const SqlFunction& row) { return row.known.name; };
  for (const std::span<const SqlFunction> theme : SqlFunctions()) {
    const auto found = std::ranges::lower_bound(theme, name, {}, name_of);
    if (found != theme.end() && found->known.name == name) return &*found;
  }
  return nullptr;
}

const KnownFunction* FindKnownFunction(std::string_view name) {
  const SqlFunction* const found = name.starts_with("pt_") ? nullptr : FindSqlFunction(name);
  return found == nullptr ? nullptr : &found->known;
}

std::vector<FunctionTheme> KnownFunctions() {
  using namespace functions;
  const std::pair<std::string_view, std::span<const SqlFunction>> themes[] = {
      {"aggregates and windows", Aggregates()},
      {"conditions", Conditions()},
      {"dates and times", Dates()},
      {"JSON", JsonTexts()},
      {"lists and structs", Lists()},
      {"numbers", Numbers()},
      {"operators", Operators()},
      {"patterns", Patterns()},
      {"text", Text()},
      {"of one engine only", EngineOnly()}};
  std::vector<FunctionTheme> known;
  for (const auto& [name, rows] : themes) {
    FunctionTheme& theme = known.emplace_back(FunctionTheme{.name = name});
    for (const SqlFunction& row : rows) {
      const bool for_users = !row.known.name.starts_with("pt_") && !row.known.parsed;
      if (for_users) theme.functions.push_back(&row.known);
    }
  }
  return known;
}

std::vector<std::string> KnownFunctionNames() {
  std::vector<std::string> names;
  for (const FunctionTheme& theme : KnownFunctions()) {
    for (const KnownFunction* each : theme.functions) {
      if (each->meaning != Meaning::kRefused) names.emplace_back(each->name);
    }
  }
  return names;
}

}  // namespace protium
