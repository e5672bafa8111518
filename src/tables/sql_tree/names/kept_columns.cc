// SPDX-License-Identifier: Apache-2.0
// Saved as text, so that the following walks over the tree skip it.
#include "sql_tree/names/column_name.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"

namespace protium {
namespace {

constexpr const char* kMember = "pt_columns";

// Whether Spark invents a name for it.
bool IsUnnamed(const Json& column) {
  const tree::Kind kind = tree::FindKind(column);
  return kind != tree::Kind::kStar && kind != tree::Kind::kColumn &&
         tree::Text(column, "alias").empty();
}

}  // namespace

void KeepColumns(Json& tree) {
  if (!tree.is_structured()) return;
  for (Json& child : tree) KeepColumns(child);
  if (!tree.is_object() || tree::FindKind(tree) != tree::Kind::kSelect ||
      !tree.contains("select_list")) {
    return;
  }
  Json kept = Json::array();
  for (const Json& column : tree["select_list"]) {
    kept.push_back(IsUnnamed(column) ? Dump(column) : "");
  }
  tree[kMember] = std::move(kept);
}

Json KeptColumn(const Json& select, size_t index) {
  const auto kept = select.find(kMember);
  if (kept == select.end() || kept->size() != select["select_list"].size()) return nullptr;
  const auto& text = (*kept)[index].get_ref<const std::string&>();
  return text.empty() ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

void DropColumns(Json& tree) {
  if (!tree.is_structured()) return;
  if (tree.is_object()) tree.erase(kMember);
  for (Json& child : tree) DropColumns(child);
}

}  // namespace protium
