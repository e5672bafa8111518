// SPDX-License-Identifier: Apache-2.0
#include "terminal/values.h"

#include <fmt/format.h>

#include "run/terminal.h"

namespace protium {
namespace {

// Descends into objects and into lists of objects or lists, such as the pipeline; a list of plain
// values is best read as one leaf.
void AddLeaves(const Json& node, const std::string& path,
               std::vector<std::pair<std::string, Json>>& leaves) {
  const bool branch =
      node.is_object() || (node.is_array() && !node.empty() && node[0].is_structured());
  if (!branch || node.empty()) {
    leaves.emplace_back(path, node);
    return;
  }
  for (const auto& [key, value] : node.items()) {
    AddLeaves(value, path.empty() ? key : path + "." + key, leaves);
  }
}

}  // namespace

std::string Shown(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return Figure(value.get<double>(), 5);
  if (value.is_number_integer()) return Grouped(value.get<int64_t>());
  if (!value.is_array()) return Dump(value);
  std::string list;
  for (const Json& each : value) list += (list.empty() ? "" : ", ") + Shown(each);
  return list;
}

std::string ValueText(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_string()) return Dump(value);
  const std::string text = value.get<std::string>();
  return text.find('\n') == text.npos ? text : fmt::format("({} characters)", text.size());
}

std::vector<std::pair<std::string, Json>> Leaves(const Json& tree) {
  std::vector<std::pair<std::string, Json>> leaves;
  if (!tree.empty()) AddLeaves(tree, "", leaves);
  return leaves;
}

}  // namespace protium
