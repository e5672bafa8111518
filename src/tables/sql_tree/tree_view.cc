// SPDX-License-Identifier: Apache-2.0
#include "sql_tree/tree_view.h"

#include <algorithm>
#include <iterator>

#include "base/status.h"
#include "base/text.h"
#include "sql_tree/tree.h"

namespace protium::tree {
namespace {

struct NamedKind {
  std::string_view name;
  Kind kind;
};

// Sorted by name for a binary search: every node of every text is looked up here.
constexpr NamedKind kKinds[] = {{"BASE_TABLE", Kind::kTable},
                                {"BETWEEN", Kind::kBetween},
                                {"CASE", Kind::kCase},
                                {"CAST", Kind::kCast},
                                {"COLUMN_REF", Kind::kColumn},
                                {"COMPARISON", Kind::kComparison},
                                {"CONJUNCTION", Kind::kConjunction},
                                {"CONSTANT", Kind::kConstant},
                                {"FUNCTION", Kind::kFunction},
                                {"LAMBDA", Kind::kLambda},
                                {"OPERATOR", Kind::kOperator},
                                {"SELECT_NODE", Kind::kSelect},
                                {"STAR", Kind::kStar},
                                {"SUBQUERY", Kind::kSubquery},
                                {"TABLE_FUNCTION", Kind::kTableFunction},
                                {"WINDOW", Kind::kWindow}};
static_assert(std::ranges::is_sorted(kKinds, {}, &NamedKind::name));

// Whether a kind has its name in "type". SUBQUERY is both: in FROM it is the type of a table, among
// expressions a class; only the latter is a Kind.
bool IsOfTables(Kind kind) {
  return kind == Kind::kSelect || kind == Kind::kTable || kind == Kind::kTableFunction;
}

}  // namespace

Kind FindKind(const Json& node) {
  const std::string& name = Text(node, "class");
  const std::string& looked = name.empty() ? Text(node, "type") : name;
  const auto* const found = std::ranges::lower_bound(kKinds, looked, {}, &NamedKind::name);
  if (found == std::end(kKinds) || found->name != looked) return Kind::kOther;
  return IsOfTables(found->kind) == name.empty() ? found->kind : Kind::kOther;
}

View::View(const Json& node) : node_(node), kind_(FindKind(node)) {
  if (kind_ == Kind::kFunction || kind_ == Kind::kWindow) {
    function_ = Lower(Text(node, "function_name"));
  }
}

const std::string& View::type() const { return Text(node_, "type"); }

size_t View::num_arguments() const {
  const auto found = node_.find("children");
  return found != node_.end() && found->is_array() ? found->size() : 0;
}

const Json& View::argument(size_t i) const {
  PT_CHECK(i < num_arguments());
  return node_["children"][i];
}

const std::string* View::ArgumentText(size_t i) const {
  return i < num_arguments() ? ConstantText(argument(i)) : nullptr;
}

std::optional<uint64_t> View::place() const {
  const auto found = node_.find("query_location");
  if (found == node_.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto at = found->get<uint64_t>();
  return at == kNowhere ? std::nullopt : std::optional(at);
}

}  // namespace protium::tree
