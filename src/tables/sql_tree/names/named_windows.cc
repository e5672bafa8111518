// SPDX-License-Identifier: Apache-2.0
// Windows in names of columns, with Spark's default order and frame if none is given.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sql_tree/names/name_writer.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

using tree::Text;

// Functions whose frame is always all rows up to the current one.
constexpr std::string_view kRanks[] = {"dense_rank", "ntile", "percent_rank", "rank", "row_number"};

bool IsNone(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found == node.end() || !found->is_object();
}

}  // namespace

std::string NameWriter::Orders(const Json& nodes) {
  Texts texts;
  for (const Json& order : nodes) {
    const bool down = Text(order, "type") == "DESCENDING";
    const std::string nulls = Text(order, "null_order");
    const bool last = nulls.starts_with("NULLS") ? nulls.find("LAST") != std::string::npos : down;
    texts.push_back(fmt::format("{} {} NULLS {}", Expression(order["expression"]),
                                down ? "DESC" : "ASC", last ? "LAST" : "FIRST"));
  }
  return Listed(texts);
}

// lag() and lead() store their arguments in separate members.
std::string NameWriter::Window(const Json& node) {
  const std::string name = Lower(Text(node, "function_name"));
  std::string parts;
  if (!node["partitions"].empty()) parts += "PARTITION BY " + Listed(Each(node["partitions"]));
  if (!node["orders"].empty()) {
    parts += (parts.empty() ? "ORDER BY " : " ORDER BY ") + Orders(node["orders"]);
  }
  parts += parts.empty() ? "" : " ";
  if (node.value("ignore_nulls", false) && name.ends_with("_value")) {
    const std::string plain = name.substr(0, name.size() - 6);
    return fmt::format("{}({}) OVER ({}{})", plain, Listed(Each(node["children"])), parts,
                       Frame(node));
  }
  const bool shifted = name == "lag" || name == "lead";
  if (!shifted) return fmt::format("{} OVER ({}{})", Call(node), parts, Frame(node));
  const std::string offset = IsNone(node, "offset_expr") ? "1" : Expression(node["offset_expr"]);
  const std::string value =
      IsNone(node, "default_expr") ? "NULL" : Expression(node["default_expr"]);
  const std::string at = (name == "lag" ? "-" : "") + offset;
  return fmt::format("{0}({1}, {2}, {3}) OVER ({4}ROWS BETWEEN {5} FOLLOWING AND {5} FOLLOWING)",
                     name, Listed(Each(node["children"])), offset, value, parts, at);
}

std::string NameWriter::Frame(const Json& window) {
  const std::string name = Lower(Text(window, "function_name"));
  const std::string start = Text(window, "start"), end = Text(window, "end");
  const bool rank = std::ranges::find(kRanks, name) != std::end(kRanks);
  if (rank) return "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
  const bool given = start != "UNBOUNDED_PRECEDING" || end != "CURRENT_ROW_RANGE";
  if (!given && window["orders"].empty() && name != "cume_dist") {
    return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
  }
  const bool range = (start + end).find("RANGE") != std::string::npos;
  return fmt::format("{} BETWEEN {} AND {}", range ? "RANGE" : "ROWS", Bound(window, "start"),
                     Bound(window, "end"));
}

std::string NameWriter::Bound(const Json& window, const char* side) {
  const std::string bound = Text(window, side);
  if (bound.starts_with("CURRENT_ROW")) return "CURRENT ROW";
  const std::string_view way =
      bound.find("PRECEDING") != std::string::npos ? "PRECEDING" : "FOLLOWING";
  if (bound.starts_with("UNBOUNDED")) return fmt::format("UNBOUNDED {}", way);
  const std::string key = std::string(side) + "_expr";
  return fmt::format("{} {}", Expression(window[key]), way);
}

}  // namespace protium
