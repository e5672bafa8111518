// SPDX-License-Identifier: Apache-2.0
#include "sql/known_functions.h"

#include <algorithm>

#include "sql/functions/table.h"

namespace protium {

std::span<const std::span<const SqlFunction>> SqlFunctions() {
  using namespace functions;
  static const std::span<const SqlFunction> kThemes[] = {
      Pieces(), Aggregates(), Conditions(), Dates(),    EngineOnly(),
      Lists(),  Numbers(),    Operators(),  Patterns(), Text()};
  return kThemes;
}

const KnownFunction* FindKnownFunction(std::string_view name) {
  if (name.starts_with("pt_")) return nullptr;
  for (const std::span<const SqlFunction> theme : SqlFunctions()) {
    const auto found = std::find_if(theme.begin(), theme.end(), [&](const SqlFunction& each) {
      return each.known.name == name;
    });
    if (found != theme.end()) return &found->known;
  }
  return nullptr;
}

std::vector<std::string> KnownFunctionNames() {
  std::vector<std::string> names;
  for (const std::span<const SqlFunction> theme : SqlFunctions()) {
    for (const SqlFunction& each : theme) {
      const bool offered =
          each.known.meaning != Meaning::kRefused && !each.known.name.starts_with("pt_");
      if (offered) names.emplace_back(each.known.name);
    }
  }
  return names;
}

}  // namespace protium
