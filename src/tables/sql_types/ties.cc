// SPDX-License-Identifier: Apache-2.0
#include "sql_types/ties.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/select_parts.h"

namespace protium {
namespace {

using tree::Text;

// The same for all rows that tie.
constexpr std::string_view kOfPeers[] = {"cume_dist", "dense_rank", "percent_rank", "rank"};
// They count rows, whatever the frame.
constexpr std::string_view kOfPlaces[] = {"lag", "lead", "ntile", "row_number"};
// The same for any order of the rows in the frame; sums of doubles have a note of their own.
constexpr std::string_view kOfSets[] = {
    "avg",        "bit_and", "bit_or", "bit_xor", "bool_and",      "bool_or",       "count",
    "count_star", "max",     "median", "min",     "quantile_cont", "quantile_disc", "sum"};

bool IsAmong(std::span<const std::string_view> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string FunctionOf(const Json& window) { return Lower(Text(window, "function_name")); }

// Both ends of the frame; only CURRENT ROW and n PRECEDING say what they count.
bool FrameCounts(const Json& window, std::string_view what) {
  return Text(window, "start").ends_with(what) || Text(window, "end").ends_with(what);
}

bool DependsOnTies(const Json& window) {
  const std::string name = FunctionOf(window);
  if (IsAmong(kOfPeers, name)) return false;
  return IsAmong(kOfPlaces, name) || FrameCounts(window, "_ROWS") || !IsAmong(kOfSets, name);
}

// A longer order parts rows that tie: where the frame has them together, that is another result.
bool MayBeLonger(const Json& window) {
  if (!window.contains("orders") || window["orders"].empty()) return false;
  if (!Text(window, "exclude_clause").empty() && Text(window, "exclude_clause") != "NO_OTHER") {
    return false;
  }
  if (window.contains("arg_orders") && !window["arg_orders"].empty()) return false;
  return IsAmong(kOfPlaces, FunctionOf(window)) ||
         (!FrameCounts(window, "_RANGE") && !FrameCounts(window, "_GROUPS"));
}

// Users' calls of hash() are calls of ours by now, and have a position.
bool IsBroken(const Json& window) {
  const auto orders = window.find("orders");
  if (orders == window.end() || orders->empty()) return false;
  const tree::View last(orders->back()["expression"]);
  return last.Calls("hash") && !last.place();
}

// Whether values that DuckDB compares as equal are equal to the last bit, but for the sign of a
// double.
bool IsComparable(const SqlType& type) {
  if (type == SqlType::kUnknown || type.IsInterval()) return false;
  if (type != SqlType::kOther) return true;
  constexpr std::array kLoose = {"DOUBLE", "FLOAT", "INTERVAL", "HUGEINT"};
  return type.IsNested() && std::ranges::none_of(kLoose, [&](const char* each) {
           return type.name.find(each) != std::string::npos;
         });
}

// What a SELECT reads of a row.
class RowParts {
 public:
  explicit RowParts(const Scope& scope) : scope_(scope) {}

  // False if it is not known.
  bool Read(const Json& node) {
    if (!node.is_structured()) return true;
    if (node.is_array()) {
      return std::ranges::all_of(node, [this](const Json& each) { return Read(each); });
    }
    switch (tree::FindKind(node)) {
      case tree::Kind::kSubquery:
      case tree::Kind::kLambda:
        return ReadAll(tree::Star(""));
      case tree::Kind::kStar:
        return ReadAll(node);
      case tree::Kind::kColumn:
        return ReadColumn(node["column_names"]);
      default:
        return std::ranges::all_of(node, [this](const Json& each) { return Read(each); });
    }
  }

  // hash(a, b, signbit(b), ...): DuckDB's hash is the same for both zeros.
  Json Hash() && {
    return tree::Call("hash", std::move(parts_), {{"query_location", tree::kNowhere}});
  }

 private:
  bool ReadAll(const Json& star) {
    std::vector<Output> outputs;
    if (!ExpandStar(scope_, star, outputs)) return false;
    std::vector<Json> seen;
    return std::ranges::all_of(outputs, [&](const Output& output) {
      // A name that two columns have may mean either.
      const bool bare = scope_.relations.size() > 1 && output.joined.is_null() &&
                        scope_.relations[output.relation].name.empty();
      Json value = ValueOf(scope_, output);
      if (bare || std::ranges::find(seen, value) != seen.end()) return false;
      seen.push_back(value);
      return Add(std::move(value), output.column.type);
    });
  }
  bool ReadColumn(const Json& names) {
    if (IsAlias(scope_, names)) return true;  // Its expression is in the list, too.
    const NamedColumn found = FindNamed(scope_, names);
    if (found.names == 0) return false;
    if (found.at != &scope_) return true;  // The same for all rows.
    Json column = tree::ColumnRef("");
    column["column_names"] =
        Json(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(found.names));
    return Add(std::move(column), found.type);
  }
  bool Add(Json value, const SqlType& type) {
    if (!IsComparable(type)) return false;
    if (std::ranges::any_of(parts_, [&](const Json& part) { return IsSame(part, value); })) {
      return true;
    }
    if (type.IsReal()) parts_.push_back(tree::Call("signbit", Json::array({value}), value));
    parts_.push_back(std::move(value));
    return true;
  }

  const Scope& scope_;
  Json parts_ = Json::array();
};

// The windows of this SELECT, not those of queries within it.
void FindWindows(Json& node, std::vector<Json*>& found) {
  if (!node.is_structured() || (node.is_object() && tree::FindKind(node) == tree::Kind::kSubquery))
    return;
  if (node.is_object() && tree::FindKind(node) == tree::Kind::kWindow) found.push_back(&node);
  for (Json& child : node) FindWindows(child, found);
}

}  // namespace

void BreakTies(Json& select, const Scope& scope) {
  std::vector<Json*> windows;
  for (const char* const part : {"select_list", "qualify", "modifiers"}) {
    if (select.contains(part)) FindWindows(select[part], windows);
  }
  std::erase_if(windows, [](const Json* window) {
    return !DependsOnTies(*window) || !MayBeLonger(*window) || IsBroken(*window);
  });
  if (windows.empty()) return;
  RowParts parts(scope);
  for (const char* const part : {"select_list", "qualify", "modifiers"}) {
    if (select.contains(part) && !parts.Read(select[part])) return;
  }
  const Json hash = std::move(parts).Hash();
  for (Json* const window : windows) {
    (*window)["orders"].push_back(
        {{"type", "ORDER_DEFAULT"}, {"null_order", "ORDER_DEFAULT"}, {"expression", hash}});
  }
}

bool HasTies(const Json& tree) {
  if (!tree.is_structured()) return false;
  if (tree.is_object() && tree::FindKind(tree) == tree::Kind::kWindow && DependsOnTies(tree) &&
      !IsBroken(tree)) {
    return true;
  }
  return std::ranges::any_of(tree, HasTies);
}

}  // namespace protium
