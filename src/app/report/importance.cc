// SPDX-License-Identifier: Apache-2.0
// The section on the columns, from result.json's "importance" (what train/importance.h measures).
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/report/chart.h"
#include "app/report/sections.h"

namespace protium {
namespace {

constexpr size_t kMostColumns = 30;

// A row of the table; bars are as long as their share of the longest. A column without which the
// metric was better has none.
std::string ColumnRow(const Json& each, double largest) {
  const Json column = AtPath(each, "column"), worse = AtPath(each, "worse");
  if (!column.is_string() || !worse.is_number()) return {};
  const double share = largest > 0 ? std::max(worse.get<double>() / largest, 0.0) : 0;
  return fmt::format(
      "<tr><td>{}</td><td class=\"num\">{:+.4g}</td><td style=\"width:60%\"><div "
      "class=\"bar\"><div "
      "class=\"key0\" style=\"width:{:.1f}%\"></div></div></td></tr>\n",
      Escaped(Shown(column)), worse.get<double>(), 100 * std::min(share, 1.0));
}

}  // namespace

std::string ImportanceSection(const ReportFacts& facts) {
  const Json importance = AtPath(facts.result, "importance");
  const Json columns = AtPath(importance, "columns");
  if (!columns.is_array() || columns.empty()) return {};
  const Json most = AtPath(columns[0], "worse");
  const double largest = most.is_number() ? most.get<double>() : 0;
  std::string rows;
  for (size_t i = 0; i < std::min(columns.size(), kMostColumns); ++i) {
    rows += ColumnRow(columns[i], largest);
  }
  if (rows.empty()) return {};
  const std::string metric = Escaped(Shown(AtPath(importance, "metric")));
  std::string says = fmt::format(
      "How much worse {} becomes when a column's values change places among {} validation rows, "
      "where it is {}. Of columns that say the same, each can do without the other.",
      metric, Escaped(Shown(AtPath(importance, "rows"))),
      Escaped(Shown(AtPath(importance, "value"))));
  if (columns.size() > kMostColumns) {
    says += fmt::format(" The {} most important of {} columns.", kMostColumns, columns.size());
  }
  return "<h2>Columns</h2>\n<p class=\"soft\">" + says +
         "</p>\n<div class=\"scroll\"><table><tr><th>column</th><th class=\"num\">" + metric +
         "</th><th></th></tr>\n" + rows + "</table></div>\n";
}

}  // namespace protium
