// SPDX-License-Identifier: Apache-2.0
// The section on the columns whose test rows differ from those that were learned from, from
// profile.json (docs/page.md, "What the columns held").
#include <fmt/format.h>

#include <string>

#include "app/report/sections.h"

namespace protium {
namespace {

// The median of a column of numbers, the most frequent text of others; empty: it has neither.
std::string Middle(const Json& column) {
  const Json quantiles = AtPath(column, "quantiles"), top = AtPath(column, "top");
  if (quantiles.is_array() && AtPath(column, "kind") == "number") {
    for (const Json& each : quantiles) {
      const bool pair = each.is_array() && each.size() == 2 && each[1].is_number();
      if (pair && each[0] == 0.5) return fmt::format("median {:.4g}", each[1].get<double>());
    }
  }
  if (!top.is_array() || top.empty() || !top[0].is_array() || top[0].size() != 2) return {};
  if (!top[0][1].is_number()) return {};
  return fmt::format("{:.0f} % {}", 100 * top[0][1].get<double>(), Escaped(Shown(top[0][0])));
}

Json FindColumn(const Json& side, const Json& name) {
  const Json columns = AtPath(side, "columns");
  if (!columns.is_array()) return {};
  for (const Json& each : columns) {
    if (AtPath(each, "column") == name) return each;
  }
  return {};
}

}  // namespace

std::string DriftSection(const ReportFacts& facts) {
  const Json columns = AtPath(facts.profile, "test.columns");
  if (!columns.is_array()) return {};
  std::string rows;
  for (const Json& each : columns) {
    const Json psi = AtPath(each, "psi");
    if (AtPath(each, "drifted") != true || !psi.is_number()) continue;
    const Json name = AtPath(each, "column");
    rows += fmt::format("<tr><td>{}</td><td class=\"num\">{:.2f}</td><td>{}</td><td>{}</td></tr>\n",
                        Escaped(Shown(name)), psi.get<double>(),
                        Middle(FindColumn(AtPath(facts.profile, "train"), name)), Middle(each));
  }
  if (rows.empty()) return {};
  return "<h2>Columns that drifted</h2>\n<p class=\"soft\">Their test rows differ from those that "
         "were learned from by more than chance: a population stability index (PSI) of 0.2 or "
         "more.</p>\n<div class=\"scroll\"><table><tr><th>column</th><th class=\"num\">PSI</th>"
         "<th>training</th><th>test</th></tr>\n" +
         rows + "</table></div>\n";
}

}  // namespace protium
