// SPDX-License-Identifier: Apache-2.0
// date_part('dow', d), to which EXTRACT(dow FROM d) is parsed. Parts get one of Spark's names for
// them (DatePart.parseExtractField). Spark numbers days of the week from Sunday = 1, calls the ISO
// year yearofweek, and returns seconds with their fraction. The check has refused other parts
// (CheckDatePart in check.cc).
#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

// The function for a part that DuckDB counts differently; nullptr where the two agree.
const char* PartFunction(const std::string& part) {
  if (part == "dayofweek") return "dayofweek";
  if (part == "dayofweek_iso") return "pt_isodow";
  if (part == "second") return "pt_second";
  return part == "yearofweek" ? "pt_isoyear" : nullptr;
}

}  // namespace

std::string_view FindPartFunction(std::string_view name) {
  struct Names {
    std::string_view part;
    std::array<std::string_view, 5> others;
  };
  static constexpr Names kParts[] = {{"year", {"y", "years", "yr", "yrs"}},
                                     {"yearofweek", {}},
                                     {"quarter", {"qtr"}},
                                     {"month", {"mon", "mons", "months"}},
                                     {"week", {"w", "weeks"}},
                                     {"day", {"d", "days"}},
                                     {"dayofweek", {"dow"}},
                                     {"dayofweek_iso", {"dow_iso"}},
                                     {"doy", {}},
                                     {"hour", {"h", "hours", "hr", "hrs"}},
                                     {"minute", {"m", "min", "mins", "minutes"}},
                                     {"second", {"s", "sec", "seconds", "secs"}}};
  for (const Names& each : kParts) {
    if (name == each.part) return each.part;
    if (!name.empty() && std::ranges::find(each.others, name) != each.others.end()) {
      return each.part;
    }
  }
  return {};
}

Rule DatePartRule() {
  return {.name = "date part",
          .matches =
              [](const tree::View& node) {
                return (node.Calls("date_part") || node.Calls("datepart")) &&
                       node.num_arguments() == 2 && node.ArgumentText(0) != nullptr;
              },
          .apply =
              [](Json& node) {
                const Json& value = node["children"][1];
                const std::string name(
                    FindPartFunction(Lower(*tree::ConstantText(node["children"][0]))));
                const char* const function = PartFunction(name);
                tree::Replace(node,
                              function == nullptr
                                  ? tree::Call("date_part",
                                               Json::array({tree::TextConstant(name), value}), node)
                                  : tree::Call(function, Json::array({value}), node));
                return Status::OK();
              }};
}

}  // namespace protium
