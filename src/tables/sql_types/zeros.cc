// SPDX-License-Identifier: Apache-2.0
// Zeros as keys; see select_parts.h. Adding 0.0 makes both of them 0.0 and leaves all other values
// as they are.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/nested_values.h"
#include "sql_types/select_parts.h"

namespace protium {
namespace {

using tree::Text;

// The item of a select list that an expression of ORDER BY or GROUP BY names, or gives by position
// if `countable`; the size of the list if there is none.
size_t FindItem(const Json& key, const Json& list, bool countable) {
  int place = 0;
  if (tree::WholeValue(key, place)) {
    const bool within = countable && place > 0 && static_cast<size_t>(place) <= list.size();
    return within ? static_cast<size_t>(place) - 1 : list.size();
  }
  const bool name = tree::FindKind(key) == tree::Kind::kColumn && key["column_names"].size() == 1;
  if (!name) return list.size();
  const std::string lower = Lower(key["column_names"][0].get<std::string>());
  for (size_t i = 0; i < list.size(); ++i) {
    std::string given = Text(list[i], "alias");
    if (given.empty() && tree::FindKind(list[i]) == tree::Kind::kColumn) {
      given = list[i]["column_names"].back().get<std::string>();
    }
    if (Lower(given) == lower) return i;
  }
  return list.size();
}

// The column of a select list retains the name that it has without a sum.
void MergeItem(Json& item, const SqlType& type) {
  if (!HoldsReal(type) || tree::FindKind(item) == tree::Kind::kStar) return;
  if (Text(item, "alias").empty() && tree::FindKind(item) == tree::Kind::kColumn) {
    item["alias"] = item["column_names"].back();
  }
  MergePartZeros(item, type);
}

// g.a in a SELECT that groups by g: the field of what replaces g. False for other nodes.
bool ReplaceField(Json& node, const Json& key, const Json& merged) {
  const tree::Kind column = tree::Kind::kColumn;
  if (tree::FindKind(node) != column || tree::FindKind(key) != column) return false;
  const Json names = node["column_names"], &whole = key["column_names"];
  if (names.size() <= whole.size() || !std::equal(whole.begin(), whole.end(), names.begin())) {
    return false;
  }
  Json field = merged;
  for (size_t i = whole.size(); i < names.size(); ++i) {
    field = tree::Field(std::move(field), names[i].get<std::string>());
  }
  tree::Replace(node, std::move(field));
  return true;
}

// Replaces whatever equals `key` within a node, and its fields if it is a struct, but not the
// arguments of aggregates.
void ReplaceSame(Json& node, const Json& key, const Json& merged, bool is_struct) {
  const tree::Kind kind = tree::FindKind(node);
  if (kind == tree::Kind::kSubquery || !node.is_structured()) return;
  if (node.is_object() && IsSame(node, key)) {
    tree::Replace(node, merged);
    return;
  }
  if (is_struct && ReplaceField(node, key, merged)) return;
  if (kind == tree::Kind::kFunction && HoldsAggregate(node) && !HoldsAggregate(node["children"])) {
    return;
  }
  for (Json& child : node) ReplaceSame(child, key, merged, is_struct);
}

}  // namespace

void MergeZeros(Json& key, const SqlType& type) {
  if (!type.IsReal()) return;
  Json zero = tree::Cast(tree::WholeConstant(0), type);
  Json sum = tree::Call("+", Json::array({tree::Take(key), std::move(zero)}), key);
  sum["is_operator"] = true;
  tree::Replace(key, std::move(sum));
}

void MergePartZeros(Json& key, const SqlType& type) {
  if (HoldsReal(type)) tree::Replace(key, WithPlainZeros(tree::Take(key), type));
}

void SortZeros(Json& order, const SqlType& type, const Json& list,
               const std::vector<SqlColumn>& columns) {
  const bool countable = list.size() == columns.size();
  const size_t item = FindItem(order, list, countable);
  if (item == list.size()) {
    // The position of a column of *, which has a name.
    int place = 0;
    if (tree::WholeValue(order, place) && place > 0 && place <= std::ssize(columns)) {
      const SqlColumn& column = columns[static_cast<size_t>(place) - 1];
      if (!column.type.IsReal() || column.name.empty()) return;
      order = tree::ColumnRef(column.name);
      MergeZeros(order, column.type);
      return;
    }
    MergeZeros(order, type);
    return;
  }
  // What windows and queries compute is not computed twice just for a zero.
  const Json& meant = list[item];
  const SqlType of = countable ? columns[item].type : type;
  if (!of.IsReal() || HoldsWindow(meant) || tree::FindKind(meant) == tree::Kind::kSubquery ||
      IsGenerator(meant)) {
    return;
  }
  Json key = tree::Take(meant);
  MergeZeros(key, of);
  order = std::move(key);
}

void GroupZeros(Json& select, const std::vector<SqlType>& types,
                const std::vector<SqlColumn>& columns) {
  const tree::SelectParts parts(select);
  if (IsDistinct(select) && parts.list.size() == columns.size()) {
    for (size_t i = 0; i < columns.size(); ++i) MergeItem(parts.list[i], columns[i].type);
  }
  for (size_t i = 0; i < types.size(); ++i) {
    int place = 0;
    const bool counted = tree::WholeValue(parts.groups[i], place);
    if (!counted && !HoldsReal(types[i])) continue;
    Json key = parts.groups[i];
    const bool countable = parts.list.size() == columns.size();
    const size_t item = FindItem(key, parts.list, countable);
    if (countable && item < parts.list.size() &&
        (counted || !Text(parts.list[item], "alias").empty())) {
      // A name means a column of the tables before one of the list, which may have another type.
      const bool itself = IsSame(parts.list[item], key);
      if (!itself && (counted || columns[item].type == types[i])) {
        MergeItem(parts.list[item], columns[item].type);
        continue;
      }
    }
    if (counted) continue;
    Json merged = tree::Take(key);
    MergePartZeros(merged, types[i]);
    for (Json& each : parts.list) {
      if (IsSame(each, key)) {
        MergeItem(each, types[i]);
      } else {
        ReplaceSame(each, key, merged, types[i].IsStruct());
      }
    }
    for (Json* const part : {&parts.having, &parts.qualify, &select["modifiers"]}) {
      ReplaceSame(*part, key, merged, types[i].IsStruct());
    }
    parts.groups[i] = std::move(merged);
  }
}

}  // namespace protium
