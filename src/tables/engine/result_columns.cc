// SPDX-License-Identifier: Apache-2.0
#include "engine/result_columns.h"

#include <fmt/format.h>

#include <set>

#include "base/fault.h"

namespace protium {
namespace {

Status CheckDistinct(const std::vector<ResultColumn>& columns) {
  std::set<std::string_view> seen;
  for (const ResultColumn& column : columns) {
    if (seen.insert(column.name).second) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "two columns of the result are named \"" + column.name + "\"",
                 .fix = "rename one: ... AS other_name"});
  }
  return Status::OK();
}

}  // namespace

Result<std::string> ConvertedColumns(const std::vector<ResultColumn>& columns) {
  PT_TRY(CheckDistinct(columns));
  std::string list;
  bool any = false;
  for (const ResultColumn& column : columns) {
    list += list.empty() ? "" : ", ";
    if (column.conversion.empty()) {
      list += column.quoted;
      continue;
    }
    any = true;
    list += fmt::format(fmt::runtime(column.conversion), column.quoted) + " AS " + column.quoted;
  }
  return any ? list : std::string();
}

}  // namespace protium
