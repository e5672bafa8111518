// SPDX-License-Identifier: Apache-2.0
// Several names for the columns that one call makes: explode(map) AS (k, v). DuckDB's grammar
// allows only a single alias, so the names pass through its parser as one, with a separator that no
// name contains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace protium {

inline constexpr char kBetweenNames = '\x1f';

// The last argument of grouping_id() with fewer than two arguments, which DuckDB's parser would
// otherwise reject or confuse with grouping().
inline constexpr std::string_view kAllGroups = "pt_all_groups";

// The name of what follows LATERAL, within the query in FROM that replaces it: DuckDB's tree does
// not distinguish LATERAL (SELECT ...) from (SELECT ...).
inline constexpr std::string_view kLateralQuery = "pt_lateral";

// Each name begins with the separator, so that one name in parentheses differs from a plain alias.
inline std::string JoinGeneratedNames(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += kBetweenNames + name;
  return joined;
}

// Empty for a plain alias.
inline std::vector<std::string> SplitGeneratedNames(std::string_view alias) {
  std::vector<std::string> names;
  while (!alias.empty() && alias.front() == kBetweenNames) {
    const size_t end = alias.find(kBetweenNames, 1);
    names.emplace_back(alias.substr(1, end == std::string_view::npos ? end : end - 1));
    alias = end == std::string_view::npos ? "" : alias.substr(end);
  }
  return names;
}

}  // namespace protium
