// SPDX-License-Identifier: Apache-2.0
// date_part('dow', d), which EXTRACT(dow FROM d) parses to. Spark numbers days of the week from
// Sunday = 1, knows the ISO year by the name yearofweek, and returns seconds with their fraction.
// The check has refused other parts that differ (CheckDatePart in check.cc).
#include <string>

#include "base/ascii.h"
#include "sql/rules/rule.h"
#include "sql/tree.h"

namespace protium {
namespace {

// The function for a part that DuckDB counts differently; nullptr where the two agree.
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
