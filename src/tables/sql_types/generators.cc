// SPDX-License-Identifier: Apache-2.0
// Functions that make rows in a select list. A single one becomes unnest() of a list for each of
// its columns, which DuckDB reads side by side. If there are several, or a window beside one, each
// becomes a table that is joined, as in Spark: DuckDB would make all rows side by side, and after
// the windows.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/calls.h"
#include "sql_types/select_parts.h"
#include "sql_types/typer.h"
#include "sql_words/generated_names.h"

namespace protium {
namespace {

using tree::Text;

Json Of(const char* function, const Json& argument) {
  return tree::Call(function, Json::array({tree::Take(argument)}), argument);
}

using Generated = Typer::Generated;

void Add(Generated& made, const std::string& name, const SqlType& type, Json list) {
  made.columns.push_back({name, type});
  made.lists.push_back(std::move(list));
}

// explode(), posexplode(): a list's elements, or a map's keys and values, after their positions.
Generated Exploded(const Json& argument, const SqlType& type, bool map, bool places) {
  Generated made;
  Json keys = map ? Of("map_keys", argument) : tree::Take(argument);
  if (places) Add(made, "pos", {SqlType::kInt}, Of("pt_places", keys));
  Add(made, map ? "key" : "col", map ? type.Key() : type.Element(), keys);
  if (map) Add(made, "value", type.Value(), Of("map_values", argument));
  return made;
}

// stack(n, a, b, ...): n rows of the values, one after the other.
Generated Stacked(Json& arguments, const std::vector<SqlType>& types, size_t rows) {
  const size_t values = arguments.size() - 1, wide = (values + rows - 1) / rows;
  Generated made;
  for (size_t i = 0; i < wide; ++i) {
    Json list = Json::array();
    SqlType type{SqlType::kNull};
    for (size_t at = i; at < rows * wide; at += wide) {
      list.push_back(at < values ? tree::Take(arguments[at + 1]) : tree::NullConstant());
      if (at < values && type == SqlType::kNull) type = types[at + 1];
    }
    Add(made, fmt::format("col{}", i), type, tree::Call("list_value", std::move(list), arguments));
  }
  return made;
}

// json_tuple(text, a, b, ...): one row of the fields of these names.
Generated JsonFields(const Json& arguments) {
  Generated made;
  for (size_t i = 1; i < arguments.size(); ++i) {
    Json field = Json::array({tree::Take(arguments[0]), tree::Take(arguments[i])});
    Json list = Json::array({tree::Call("pt_json_field", std::move(field), arguments[0])});
    Add(made, fmt::format("c{}", i - 1), {SqlType::kText},
        tree::Call("list_value", std::move(list), arguments[0]));
  }
  return made;
}

// The rows of a list: all, or one with NULL if there are none and `outer` is set. Structs become
// columns.
Json Rows(Json list, bool outer, bool structs) {
  Json rows = Of(outer ? "explode_outer" : "explode", list);
  if (!structs) return rows;
  if (outer) list = Of("pt_or_null", list);
  Json depth = tree::WholeConstant(2);
  depth["alias"] = "max_depth";
  return tree::Call("unnest", Json::array({std::move(list), std::move(depth)}), rows);
}

// `left` joined with every row of a query that may name its columns.
Json JoinLateral(Json left, Json query, const std::string& alias, Json columns) {
  Json select = tree::SelectFrom(Json::array(), std::move(query), alias, std::move(columns));
  Json right = select["from_table"];
  if (Text(left, "type") == "EMPTY") return right;
  Json join = {{"type", "JOIN"},         {"alias", ""},
               {"sample", nullptr},      {"query_location", tree::kNowhere},
               {"condition", nullptr},   {"join_type", "INNER"},
               {"ref_type", "CROSS"},    {"using_columns", Json::array()},
               {"delim_flipped", false}, {"duplicate_eliminated_columns", Json::array()}};
  join["left"] = std::move(left);
  join["right"] = std::move(right);
  return join;
}

// SELECT rows, without a table.
Json SelectRows(std::vector<Json> rows) {
  Json list = Json::array();
  for (Json& each : rows) list.push_back(std::move(each));
  Json select = tree::SelectFrom(std::move(list), Json::object(), "", Json::array());
  select["from_table"] = {
      {"type", "EMPTY"}, {"alias", ""}, {"sample", nullptr}, {"query_location", tree::kNowhere}};
  return select;
}

// Whether Spark accepts these values in one column: all of one type, or NULL.
bool AreOfOneType(const std::vector<SqlType>& types, size_t rows) {
  const size_t wide = (types.size() - 1 + rows - 1) / rows;
  for (size_t i = 1; i < types.size(); ++i) {
    for (size_t j = i + wide; j < types.size(); j += wide) {
      const SqlType &a = types[i], &b = types[j];
      const bool open = a == SqlType::kNull || b == SqlType::kNull || a == SqlType::kUnknown ||
                        b == SqlType::kUnknown;
      if (!open && !(a == b)) return false;
    }
  }
  return true;
}

}  // namespace

Result<SqlType> TypeGenerator(TypedCall& call) {
  return call.Refuse(call.name + "() is part of an expression",
                     "Spark takes functions that make rows as columns of SELECT alone",
                     "name its column in a query in FROM, and compute with that");
}

Status Typer::Generator(Json& column, Scope& scope, Selection& to) {
  const std::string name = tree::View(column).function();
  const std::string alias = Text(column, "alias");
  const bool outer = name.ends_with("_outer"), structs = name.starts_with("inline");
  PT_LET(const std::vector<SqlType> types, Arguments(column, scope));
  Json& arguments = column["children"];
  std::vector<std::string> names = SplitGeneratedNames(alias);
  if (names.empty() && !alias.empty()) names = {alias};
  Generated made;
  if (name == "stack") {
    int rows = 0;
    if (types.size() < 2 || !tree::WholeValue(arguments[0], rows) || rows < 1) {
      return Refuse(column, "stack() has no number of rows",
                    "Spark takes a constant whole number from 1 on", "write stack(2, a, b)");
    }
    if (!AreOfOneType(types, static_cast<size_t>(rows))) {
      return Refuse(column, "the values of a column of stack() have different types",
                    "Spark casts none of them", "cast them to one type");
    }
    made = Stacked(arguments, types, static_cast<size_t>(rows));
  } else if (name == "json_tuple") {
    const bool texts = std::ranges::all_of(types, [](const SqlType& type) {
      return type == SqlType::kText || type == SqlType::kUnknown;
    });
    if (types.size() < 2 || !texts) {
      return Refuse(column, "json_tuple() is given something other than a text and names",
                    "Spark takes only text there", "write json_tuple(text, 'a', 'b')");
    }
    made = JsonFields(arguments);
  } else {
    const bool list = types.size() == 1 && (types[0].IsList() || types[0] == SqlType::kUnknown ||
                                            (types[0].IsMap() && !structs));
    if (!list) {
      return Refuse(
          column,
          fmt::format("{}() is given {}", name, types.empty() ? "nothing" : types[0].SparkName()),
          structs ? "Spark takes a list of structures there" : "Spark takes a list or a map there",
          "");
    }
    const bool places = name.starts_with("posexplode");
    // For an unknown type the names distinguish a map, which has two columns, from a list.
    const bool map = types[0].IsMap() || (types[0] == SqlType::kUnknown && !structs &&
                                          names.size() == (places ? 3 : 2));
    made = Exploded(arguments[0], types[0], map, places);
  }
  if (!names.empty() && !structs && names.size() != made.columns.size()) {
    return Refuse(column,
                  fmt::format("{}() makes {} columns and is given {} names", name,
                              made.columns.size(), names.size()),
                  "Spark requires as many names as there are columns", "name all: AS (a, b)");
  }
  for (size_t i = 0; i < names.size() && !structs; ++i) made.columns[i].name = names[i];
  for (Json& list : made.lists) list = Rows(std::move(list), outer, structs);
  if (structs) made.columns.clear();
  for (size_t i = 0; i < names.size() && structs; ++i) made.columns.push_back({names[i], {}});
  made.open = structs && names.empty();
  return to.apart ? PlaceApart(std::move(made), to) : PlaceHere(std::move(made), scope, to);
}

// Adds the generated columns to the list itself.
Status Typer::PlaceHere(Generated made, Scope& scope, Selection& to) {
  to.made.open = to.made.open || made.open;
  for (size_t i = 0; i < made.lists.size(); ++i) {
    if (i < made.columns.size()) {
      made.lists[i]["alias"] = made.columns[i].name;
      scope.aliases.push_back(made.columns[i]);
      to.made.columns.push_back(made.columns[i]);
    }
    to.list.push_back(std::move(made.lists[i]));
  }
  return Status::OK();
}

// Adds the generated columns as a table that is joined to those of FROM.
Status Typer::PlaceApart(Generated made, Selection& to) {
  const std::string table = fmt::format("pt_rows_{}", ++named_);
  Json names = Json::array();
  for (const SqlColumn& column : made.columns) {
    names.push_back(column.name);
    to.made.columns.push_back(column);
  }
  const bool whole = made.lists.size() != made.columns.size();
  to.made.open = to.made.open || made.open;
  *to.from = JoinLateral(std::move(*to.from), SelectRows(std::move(made.lists)), table, names);
  if (whole) {
    to.list.push_back(tree::Star(table));
    return Status::OK();
  }
  for (const SqlColumn& column : made.columns) {
    Json value = tree::ColumnRef(column.name);
    value["column_names"] = Json::array({table, column.name});
    value["alias"] = column.name;
    to.list.push_back(std::move(value));
  }
  return Status::OK();
}

}  // namespace protium
