// SPDX-License-Identifier: Apache-2.0
// date_part('dow', d), which is also what EXTRACT(dow FROM d) is parsed as: days of the week and
// years of weeks are numbered otherwise.
#include <string>

#include "base/ascii.h"
#include "sql/rules/rule.h"
#include "sql/tree.h"

namespace protium {
namespace {

// The function for a part that DuckDB's date_part counts otherwise; nullptr for all others.
const char* PartFunction(const std::string& part) {
  if (part == "dow" || part == "dayofweek") return "dayofweek";
  if (part == "dow_iso" || part == "dayofweek_iso") return "pt_isodow";
  if (part == "second" || part == "seconds") return "pt_second";
  return part == "yearofweek" ? "pt_isoyear" : nullptr;
}

}  // namespace

Rule DatePartRule() {
  return {.name = "date part",
          .matches =
              [](const tree::View& node) {
                return (node.Calls("date_part") || node.Calls("datepart")) &&
                       node.num_arguments() == 2 && node.ArgumentText(0) != nullptr;
              },
          .apply =
              [](Json& node) {
                const Json& children = node["children"];
                const char* const function = PartFunction(Lower(*tree::ConstantText(children[0])));
                tree::Replace(node, function == nullptr
                                        ? tree::Call("date_part", children, node)
                                        : tree::Call(function, Json::array({children[1]}), node));
                return Status::OK();
              }};
}

}  // namespace protium
