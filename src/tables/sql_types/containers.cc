// SPDX-License-Identifier: Apache-2.0
// Makes lists, maps and structs, and takes one part of them.
#include <fmt/format.h>

#include <utility>

#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"
#include "sql_types/nested_values.h"

namespace protium {
namespace {

Status CheckOrdered(const TypedCall& call, const SqlType& type) {
  if (!HoldsMap(type)) return Status::OK();
  return call.Refuse(call.name + "() is given " + type.SparkName(), "Spark does not order maps",
                     "use map_entries(m)");
}

// The type to which k is cast in m[k]: that of the keys, if Spark casts to it implicitly.
std::optional<SqlType> SubscriptType(const SqlType& key, const SqlType& index) {
  if (key == index || index == SqlType::kNull) return key;
  const bool plain = !key.IsNested() && !index.IsNested();
  const bool text_as_time = key.IsTime() && index == SqlType::kText;
  return plain && !text_as_time && CommonType(key, index) ? std::optional(key) : std::nullopt;
}

// The type with text in place of every double and float in it.
SqlType WithTexts(const SqlType& type) {
  if (type.IsReal()) return {SqlType::kText};
  if (type.IsList()) return SqlType::ListOf(WithTexts(type.Element()));
  if (type.IsMap()) return SqlType::MapOf(WithTexts(type.Key()), WithTexts(type.Value()));
  if (!type.IsStruct()) return type;
  std::vector<SqlColumn> fields = type.Fields();
  for (SqlColumn& field : fields) field.type = WithTexts(field.type);
  return SqlType::StructOf(fields);
}

// DuckDB stores a nested value that an aggregate will return as a sort key, in which zero has no
// sign: doubles are passed through as text, which reads back as the same numbers.
void PassRealsAsText(TypedCall& call) {
  const SqlType type = call.types[0];
  if (!type.IsNested()) return;
  const SqlType texts = WithTexts(type);
  if (texts == type) return;
  tree::Replace(call.argument(0), Converted(tree::Take(call.argument(0)), type, texts));
  tree::Replace(call.node, Converted(tree::Take(call.node), texts, type));
}

}  // namespace

// element_at(), try_element_at() and l[i]. For keys of maps, only casts that lose no digit are
// made, except in m[k], which casts k.
Result<SqlType> TypeElement(TypedCall& call) {
  if (call.types.size() != 2 || call.AnyUnknown()) {
    return call.typer.AskType(call.name, call.types);
  }
  const SqlType container = call.types[0], index = call.types[1];
  const bool subscript = call.name == "pt_element";
  if (container.IsMap()) {
    const auto key =
        subscript ? SubscriptType(container.Key(), index) : TightType(container.Key(), index);
    if (!key) return RefuseParts(call, container, index);
    call.CoerceTo(0, SqlType::MapOf(*key, container.Value()));
    call.CoerceTo(1, *key);
    call.node["function_name"] = "pt_map_value";
    if (call.AnyNullConstant()) call.CastResult(container.Value());
    return container.Value();
  }
  const bool whole = index.IsWhole() && (subscript || index != SqlType::kBigint);
  if (!container.IsList()) {
    return call.Refuse(
        subscript ? "a subscript is given " + container.SparkName()
                  : call.name + "() is given " + container.SparkName(),
        "Spark takes elements of lists and maps",
        container == SqlType::kText ? "use substring(text, 1, 1), which counts from 1" : "");
  }
  if (!whole && !(subscript && index == SqlType::kNull)) {
    return call.Refuse(fmt::format("a position in a list is {}", index.SparkName()),
                       subscript ? "Spark takes whole numbers" : "Spark takes an INT",
                       "use CAST(... AS INT)");
  }
  call.CoerceTo(1, {SqlType::kBigint});
  if (call.AnyNullConstant()) call.CastResult(container.Element());
  return container.Element();
}

// map(k1, v1, k2, v2, ...): all keys get one type, and all values.
Result<SqlType> TypeMapOf(TypedCall& call) {
  if (call.types.empty()) return SqlType::MapOf({SqlType::kNull}, {SqlType::kNull});
  if (call.types.size() % 2 != 0) {
    return call.Refuse(fmt::format("map() has {} arguments", call.types.size()),
                       "keys and values stand in turn", "write map(key, value, ...)");
  }
  Json lists = Json::array();
  SqlType types[2];
  for (size_t side = 0; side < 2; ++side) {
    std::vector<Json*> nodes;
    std::vector<SqlType> parts;
    for (size_t i = side; i < call.types.size(); i += 2) {
      nodes.push_back(&call.argument(i));
      parts.push_back(call.types[i]);
    }
    PT_LET(types[side], call.typer.Unify(side == 0 ? "the keys of a map" : "the values of a map",
                                         call.node, nodes, parts));
    Json list = Json::array();
    for (Json* const node : nodes) list.push_back(tree::Take(*node));
    lists.push_back(tree::Call("list_value", std::move(list), call.node));
  }
  if (HoldsMap(types[0])) {
    return call.Refuse("a key of a map is " + types[0].SparkName(), "Spark takes no map for a key",
                       "use map_entries(m)");
  }
  tree::Replace(call.node, tree::Call("map_from_arrays", std::move(lists), call.node));
  return SqlType::MapOf(types[0], types[1]);
}

// collect_list(), collect_set() and array_agg(), which CollectRule has renamed.
Result<SqlType> TypeCollected(TypedCall& call) {
  if (call.types.size() != 1) return SqlType{};
  const bool set = call.node.value("distinct", false);
  if (set && HoldsMap(call.types[0])) {
    return call.Refuse("collect_set() is given " + call.types[0].SparkName(),
                       "Spark does not compare maps", "use map_entries(m)");
  }
  if (set) call.argument(0) = WithPlainZeros(tree::Take(call.argument(0)), call.types[0]);
  return SqlType::ListOf(call.types[0]);
}

// max() and min() of what DuckDB would order differently.
Result<SqlType> TypeExtreme(TypedCall& call) {
  if (call.types.size() != 1 || !call.types[0].IsNested()) return TypeBySignature(call);
  PT_TRY(CheckOrdered(call, call.types[0]));
  Json value = tree::Take(call.argument(0));
  call.node["function_name"] = call.name == "max" ? "arg_max" : "arg_min";
  call.node["children"].push_back(OrderKey(std::move(value), call.types[0]));
  PassRealsAsText(call);
  return call.types[0];
}

Result<SqlType> TypeExtremeBy(TypedCall& call) {
  if (call.types.size() == 2 && call.types[1].IsNested()) {
    PT_TRY(CheckOrdered(call, call.types[1]));
    tree::Replace(call.argument(1), OrderKey(tree::Take(call.argument(1)), call.types[1]));
  }
  PT_LET(const SqlType type, TypeBySignature(call));
  PassRealsAsText(call);
  return type;
}

// struct(...) and named_struct(...), whose names are by now those of the arguments.
Result<SqlType> TypeStructPack(TypedCall& call) {
  std::vector<SqlColumn> fields;
  for (size_t i = 0; i < call.types.size(); ++i) {
    fields.push_back({tree::Text(call.argument(i), "alias"), call.types[i]});
  }
  return SqlType::StructOf(fields);
}

// (a, b), which Spark calls named_struct('col1', a, 'col2', b).
Result<SqlType> TypeRow(TypedCall& call) {
  Json fields = Json::array();
  for (size_t i = 0; i < call.types.size(); ++i) {
    fields.push_back(tree::Take(call.argument(i)));
    fields.back()["alias"] = fmt::format("col{}", i + 1);
  }
  tree::Replace(call.node, tree::Call("struct_pack", std::move(fields), call.node));
  return TypeStructPack(call);
}

// The field of a struct, as rules write it.
Result<SqlType> TypeStructField(TypedCall& call) {
  if (call.types.size() != 2) return SqlType{};
  return call.typer.Extract(call.node, call.types[0]);
}

}  // namespace protium
