// SPDX-License-Identifier: Apache-2.0
#include "sql/windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

// Spark's requirements on a function's order.
struct WindowOrder {
  std::string_view function;
  bool needed;  // Otherwise it must have none.
};

constexpr WindowOrder kOrders[] = {{"cume_dist", true},
                                   {"dense_rank", true},
                                   {"lag", true},
                                   {"lead", true},
                                   {"median", false},
                                   {"nth_value", true},
                                   {"ntile", true},
                                   {"percent_rank", true},
                                   {"percentile_cont", false},
                                   {"percentile_disc", false},
                                   {"quantile_cont", false},
                                   {"quantile_disc", false},
                                   {"rank", true},
                                   {"row_number", true}};

bool HasOrder(const Json& window) {
  const auto orders = window.find("orders");
  return orders != window.end() && !orders->empty();
}

// Whether a part of the window is a whole number, or missing.
bool IsConstant(const Json& window, const char* part) {
  const auto found = window.find(part);
  int value = 0;
  return found == window.end() || found->is_null() || tree::WholeValue(*found, value);
}

}  // namespace

Status CheckWindow(const tree::View& window, const std::string& place) {
  const std::string& name = window.function();
  const auto refuse = [&](std::string what, std::string why, std::string fix) {
    return Fail({.exit = Exit::kUsage,
                 .what = std::move(what),
                 .where = place,
                 .why = std::move(why),
                 .fix = std::move(fix)});
  };
  const auto* const order = std::ranges::find(kOrders, name, &WindowOrder::function);
  if (order != std::end(kOrders) && order->needed != HasOrder(window.json())) {
    return order->needed
               ? refuse(fmt::format("function \"{}\" has a window without an order", name),
                        "its value would depend on the order in which the rows arrive",
                        "write OVER (ORDER BY ...)")
               : refuse(fmt::format("function \"{}\" has a window with an order", name),
                        "Spark computes it over the whole partition", "leave ORDER BY out");
  }
  int place_of = 1;
  const bool nth = name == "nth_value" && window.num_arguments() > 1;
  const bool tiles = name == "ntile" && window.num_arguments() > 0;
  const bool whole =
      !nth && !tiles ? true : tree::WholeValue(window.argument(nth ? 1 : 0), place_of);
  if (!whole || place_of < 1 || !IsConstant(window.json(), "offset_expr")) {
    return refuse(fmt::format("function \"{}\" is given an offset that is not a constant", name),
                  "Spark takes a whole number, which counts from 1 in nth_value() and ntile()",
                  "write the number");
  }
  return Status::OK();
}

}  // namespace protium
