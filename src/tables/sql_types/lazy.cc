// SPDX-License-Identifier: Apache-2.0
#include "sql_types/lazy.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/select_parts.h"

namespace protium {
namespace {

// The functions that fail for some values, which users exclude by conditions: casts of text,
// divisions and elements of lists.
bool IsCarefullyCalled(std::string_view function) {
  static constexpr std::string_view kDivisions[] = {"/", "//", "%", "div", "mod", "pmod"};
  return function.starts_with("pt_to_") || function.starts_with("pt_text_to_") ||
         function.starts_with("pt_decimal_") || function == "pt_element" ||
         function == "element_at" ||
         std::ranges::find(kDivisions, function) != std::end(kDivisions);
}

bool MayFail(const Json& node) {
  if (!node.is_structured()) return false;
  if (node.is_object()) {
    const tree::Kind kind = tree::FindKind(node);
    if (kind == tree::Kind::kCast && !node.value("try_cast", false)) return true;
    if (kind == tree::Kind::kFunction && IsCarefullyCalled(tree::View(node).function()))
      return true;
  }
  return std::any_of(node.begin(), node.end(), MayFail);
}

// `first` AND `rest`, or OR; `rest` is computed only where `first` does not decide.
Json Decided(const char* type, Json first, Json rest) {
  const bool both = std::string_view(type) == "CONJUNCTION_AND";
  Json decides =
      both ? tree::Operator("OPERATOR", "OPERATOR_NOT", Json::array({first})) : Json(first);
  Json open = tree::Operator("CONJUNCTION", type, Json::array({std::move(first), std::move(rest)}));
  return tree::Case(std::move(decides), tree::BooleanConstant(!both), std::move(open));
}

}  // namespace

void MakeLazy(Json& node) {
  const tree::View view(node);
  if (view.Is(tree::Kind::kOperator) && view.type() == "OPERATOR_NOT") {
    return MakeLazy(node["children"][0]);
  }
  if (!view.Is(tree::Kind::kConjunction) || HoldsQuery(node)) return;
  Json& children = node["children"];
  if (std::none_of(children.begin() + 1, children.end(), MayFail)) return;
  const char* const type = view.type() == "CONJUNCTION_AND" ? "CONJUNCTION_AND" : "CONJUNCTION_OR";
  for (Json& child : children) MakeLazy(child);
  Json made = tree::Take(children.back());
  for (size_t i = children.size() - 1; i-- > 0;) {
    made = Decided(type, tree::Take(children[i]), std::move(made));
  }
  tree::Replace(node, std::move(made));
}

}  // namespace protium
