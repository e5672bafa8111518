// SPDX-License-Identifier: Apache-2.0
// Turns PIVOT and UNPIVOT into the queries that they stand for, as Spark's analyser does.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/typer.h"

namespace protium {
namespace {

using tree::Text;

// Adds the names, in lower case, of all columns within a node.
void AddNames(const Json& node, std::set<std::string>& names) {
  if (tree::FindKind(node) == tree::Kind::kColumn) {
    names.insert(Lower(node["column_names"].back().get<std::string>()));
  }
  if (!node.is_structured()) return;
  for (const Json& child : node) AddNames(child, names);
}

// SELECT list FROM table.
Json SelectOf(Json list, Json table) {
  Json select = tree::SelectFrom(std::move(list), Json::object(), "", Json::array());
  select["from_table"] = std::move(table);
  return select;
}

Json Named(Json node, const std::string& name) {
  node["alias"] = name;
  return node;
}

// Spark's name for the column of a value; empty for values that are not supported here.
std::string ValueName(const Json& value) {
  if (value.value("is_null", false)) return "null";
  const std::string type = Text(value["type"], "id");
  const Json& held = value["value"];
  if (held.is_string()) return held.get<std::string>();
  if (held.is_boolean()) return held.get<bool>() ? "true" : "false";
  if (!held.is_number_integer() || type == "DATE" || type == "TIMESTAMP") return "";
  std::string digits = Dump(held);
  const Json info = value["type"].value("type_info", Json());
  const int scale = type == "DECIMAL" && info.is_object() ? info.value("scale", 0) : 0;
  if (scale == 0) return digits;
  const bool minus = digits.starts_with('-');
  if (minus) digits.erase(0, 1);
  if (std::cmp_less_equal(digits.size(), scale)) {
    digits.insert(0, static_cast<size_t>(scale) + 1 - digits.size(), '0');
  }
  digits.insert(digits.size() - static_cast<size_t>(scale), ".");
  return (minus ? "-" : "") + digits;
}

// Spark's name for the columns of one entry of IN.
std::string EntryName(const Json& entry) {
  if (!Text(entry, "alias").empty()) return Text(entry, "alias");
  std::string name;
  for (const Json& value : entry["values"]) {
    const std::string each = ValueName(value);
    if (each.empty()) return "";
    name += (name.empty() ? "" : ", ") + each;
  }
  return entry["values"].size() > 1 ? "{" + name + "}" : name;
}

// Spark's name for an aggregate: its alias, or f(column); empty for others.
std::string AggregateName(const Json& call) {
  if (!Text(call, "alias").empty()) return Text(call, "alias");
  const tree::View view(call);
  if (view.function() == "count_star") return "count(1)";
  const bool plain = view.Is(tree::Kind::kFunction) && view.num_arguments() == 1 &&
                     tree::FindKind(view.argument(0)) == tree::Kind::kColumn &&
                     !call.value("distinct", false) && !call.value("is_operator", false);
  if (!plain) return "";
  return fmt::format("{}({})", view.function(),
                     view.argument(0)["column_names"].back().get<std::string>());
}

Json Constant(const Json& value) {
  Json node = tree::NullConstant();
  node["value"] = value;
  return node;
}

// column IS NOT DISTINCT FROM value, for all columns of an entry.
Json IsEntry(const Json& entry) {
  Json all = Json::array();
  for (size_t i = 0; i < entry["values"].size(); ++i) {
    all.push_back(tree::Comparison("COMPARE_NOT_DISTINCT_FROM",
                                   tree::ColumnRef(fmt::format("pt_key_{}", i + 1)),
                                   Constant(entry["values"][i])));
  }
  return all.size() == 1 ? all[0] : tree::Operator("CONJUNCTION", "CONJUNCTION_AND", all);
}

// Groups by the first `groups` items of the list.
void GroupBy(Json& select, size_t groups) {
  Json set = Json::array();
  for (size_t i = 0; i < groups; ++i) {
    Json key = tree::Take(select["select_list"][i]);
    select["group_expressions"].push_back(std::move(key));
    set.push_back(i);
  }
  if (groups > 0) select["group_sets"].push_back(std::move(set));
}

bool IsList(const Json& aggregate) {
  const std::string function = tree::View(aggregate).function();
  return function == "pt_or_empty";
}

// The common type of columns that UNPIVOT puts into one: text and other types have none.
std::optional<SqlType> MetInUnpivot(const SqlType& a, const SqlType& b) {
  const bool texts = (a == SqlType::kText) == (b == SqlType::kText);
  if (!texts && !(a == SqlType::kNull) && !(b == SqlType::kNull)) return std::nullopt;
  return CommonType(a, b);
}

// The rows of a query for which one of the conditions holds.
Json WhereAny(Json query, const Json& conditions) {
  Json star = Json::array({tree::Star("")});
  Json rows = tree::SelectFrom(std::move(star), std::move(query), "pt_unpivot", Json::array());
  rows["where_clause"] = conditions.size() == 1
                             ? conditions[0]
                             : tree::Operator("CONJUNCTION", "CONJUNCTION_OR", conditions);
  return rows;
}

}  // namespace

// Finds the columns of the pivot's source by typing a copy of it.
Status Typer::Pivot(Json& node, const Scope& scope) {
  Scope within{.outer = scope.outer};
  Json source = node["source"];
  PT_TRY(From(source, within));
  for (const Relation& relation : within.relations) {
    if (!relation.open) continue;
    return Refuse(node, "the columns of a pivot's table are not known before the query runs",
                  "the columns that it does not name are its groups",
                  "list the columns in a query");
  }
  if (node["pivots"].size() != 1) {
    return Refuse(node, "a pivot has several FOR", "Spark takes one", "write FOR (a, b) IN (...)");
  }
  PT_LET(Json query,
         node["aggregates"].empty() ? UnpivotQuery(node, within) : PivotQuery(node, within));
  Json made = tree::SelectFrom(Json::array(), std::move(query), Text(node, "alias"),
                               node["column_name_alias"])["from_table"];
  made["query_location"] = node["query_location"];
  node = std::move(made);
  return Status::OK();
}

// Groups twice, as Spark does: by the groups and the pivot's columns, then by the groups alone. In
// the second step an entry's aggregate is the one of the row that has its values, or NULL.
Result<Json> Typer::PivotQuery(Json& node, const Scope& within) const {
  Json& pivot = node["pivots"][0];
  std::set<std::string> used;
  AddNames(node["aggregates"], used);
  AddNames(pivot["pivot_expressions"], used);
  Json inner = Json::array(), outer = Json::array();
  for (const Output& output : within.outputs) {
    if (used.contains(Lower(output.column.name))) continue;
    inner.push_back(Named(ValueOf(within, output), output.column.name));
    outer.push_back(Named(tree::ColumnRef(output.column.name), output.column.name));
  }
  const size_t groups = outer.size();
  for (const Json& key : pivot["pivot_expressions"]) {
    inner.push_back(Named(key, fmt::format("pt_key_{}", inner.size() - groups + 1)));
  }
  const size_t keys = inner.size();
  const size_t aggregates = node["aggregates"].size();
  for (const Json& entry : pivot["entries"]) {
    for (size_t i = 0; i < aggregates; ++i) {
      const Json& aggregate = node["aggregates"][i];
      if (!HoldsAggregate(aggregate)) {
        return Refuse(aggregate, "a pivot is given something other than an aggregate",
                      "Spark takes aggregates there", "write sum(x), or first(x)");
      }
      const std::string value = EntryName(entry), name = AggregateName(aggregate);
      if (value.empty() || (aggregates > 1 && name.empty())) {
        return Refuse(node, "a column of a pivot has no name",
                      "the engines would name it in different ways",
                      "name it: sum(x) AS s, 'a' AS a");
      }
      Json first = tree::Call(
          "max", Json::array({tree::ColumnRef(fmt::format("pt_value_{}", i + 1))}), aggregate);
      first["filter"] = IsEntry(entry);
      if (IsList(aggregate)) first = tree::Call("pt_or_empty", Json::array({first}), aggregate);
      outer.push_back(Named(std::move(first), aggregates > 1 ? value + "_" + name : value));
    }
  }
  for (size_t i = 0; i < aggregates; ++i) {
    inner.push_back(Named(node["aggregates"][i], fmt::format("pt_value_{}", i + 1)));
  }
  Json select = SelectOf(std::move(inner), node["source"]);
  GroupBy(select, keys);
  Json query = tree::SelectFrom(std::move(outer), std::move(select), "pt_pivot", Json::array());
  GroupBy(query, groups);
  return query;
}

// Makes one row per entry from each row: the columns that no entry names, the entry's name, and its
// values, which lists hold side by side.
Result<Json> Typer::UnpivotQuery(Json& node, const Scope& within) const {
  Json& pivot = node["pivots"][0];
  std::set<std::string> used;
  const size_t values = node["unpivot_names"].size();
  Json names = Json::array();
  std::vector<Json> lists(values, Json::array());
  std::vector<SqlType> types(values, SqlType{SqlType::kNull});
  for (const Json& entry : pivot["entries"]) {
    std::string name;
    if (entry["values"].size() != values) {
      return Refuse(node, "an entry of UNPIVOT has another number of columns than values",
                    "Spark requires as many", "write ((v, w) FOR name IN ((a, b), (c, d)))");
    }
    for (size_t i = 0; i < values; ++i) {
      const std::string column = Text(entry["values"][i], "value");
      const auto found = std::ranges::find_if(within.outputs, [&](const Output& output) {
        return Lower(output.column.name) == Lower(column);
      });
      if (found == within.outputs.end()) {
        return Refuse(node, fmt::format("UNPIVOT names no column \"{}\" of its table", column), "",
                      "name columns without a table's name");
      }
      const auto common = MetInUnpivot(types[i], found->column.type);
      if (!common) {
        return Refuse(node,
                      fmt::format("UNPIVOT puts {} and {} into one column", types[i].SparkName(),
                                  found->column.type.SparkName()),
                      "Spark has no common type for them", "cast them to one type");
      }
      types[i] = *common;
      used.insert(Lower(column));
      name += (name.empty() ? "" : "_") + found->column.name;
      lists[i].push_back(ValueOf(within, *found));
    }
    names.push_back(tree::TextConstant(Text(entry, "alias").empty() ? name : Text(entry, "alias")));
  }
  Json list = Json::array();
  for (const Output& output : within.outputs) {
    if (used.contains(Lower(output.column.name))) continue;
    list.push_back(Named(ValueOf(within, output), output.column.name));
  }
  // unnest(), not explode(): a SELECT would accept only one of those.
  const auto rows = [&](Json each, const Json& name) {
    Json made = tree::Call("list_value", std::move(each), node);
    made = tree::Call("unnest", Json::array({std::move(made)}), node);
    return Named(std::move(made), name.get<std::string>());
  };
  list.push_back(rows(std::move(names), pivot["unpivot_names"][0]));
  Json kept = Json::array();
  for (size_t i = 0; i < values; ++i) {
    const Json& name = node["unpivot_names"][i];
    list.push_back(rows(std::move(lists[i]), name));
    kept.push_back(tree::Operator("OPERATOR", "OPERATOR_IS_NOT_NULL",
                                  Json::array({tree::ColumnRef(name.get<std::string>())})));
  }
  Json query = SelectOf(std::move(list), node["source"]);
  return node.value("include_nulls", false) ? query : WhereAny(std::move(query), kept);
}

}  // namespace protium
