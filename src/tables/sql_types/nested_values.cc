// SPDX-License-Identifier: Apache-2.0
#include "sql_types/nested_values.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "sql_tree/cast_pairs.h"
#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/convert.h"
#include "sql_types/select_parts.h"

// Parts are reached by lambdas, list_transform(l, lambda pt_part: ...). All of them use the same
// name for their parameter: a body uses no parameter but its own.

namespace protium {
namespace {

constexpr const char* kPart = "pt_part";

using Each = std::function<Json(Json part)>;

Json Called(const char* function, Json arguments) {
  const Json like = arguments[0];
  return tree::Call(function, std::move(arguments), like);
}

Json MappedList(Json list, const Each& each) {
  return Called("list_transform",
                Json::array({std::move(list), tree::Lambda(kPart, each(tree::ColumnRef(kPart)))}));
}

bool IsName(const Json& value) { return tree::FindKind(value) == tree::Kind::kColumn; }

bool IsFieldOfName(const Json& value) {
  const tree::View view(value);
  return IsName(value) || (view.Calls("struct_extract") && IsFieldOfName(view.argument(0)));
}

// Uses a value more than once without computing it more than once.
Json Bound(Json value, const Each& use) {
  if (IsFieldOfName(value)) return use(std::move(value));
  Json one = MappedList(Called("list_value", Json::array({std::move(value)})), use);
  return Called("list_extract", Json::array({std::move(one), tree::WholeConstant(1)}));
}

Json IsThere(Json value) {
  return tree::Operator("OPERATOR", "OPERATOR_IS_NOT_NULL", Json::array({std::move(value)}));
}

Json Named(Json value, const std::string& name) {
  value["alias"] = name;
  return value;
}

// A struct of the fields that `each` makes from those of a struct; null for null.
Json MappedStruct(Json value, const SqlType& type,
                  const std::function<Json(Json field, size_t i)>& each) {
  return Bound(std::move(value), [&](const Json& part) {
    Json made = Json::array();
    const std::vector<SqlColumn> fields = type.Fields();
    for (size_t i = 0; i < fields.size(); ++i) {
      made.push_back(each(tree::Field(part, fields[i].name), i));
    }
    return tree::Case(IsThere(part), Called("struct_pack", std::move(made)), tree::NullConstant());
  });
}

Json Entry(Json key, Json value) {
  return Called("struct_pack",
                Json::array({Named(std::move(key), "key"), Named(std::move(value), "value")}));
}

// The list of a map's entries, each rebuilt by `each`.
Json MappedEntries(Json map, const std::function<Json(Json key, Json value)>& each) {
  return MappedList(Called("map_entries", Json::array({std::move(map)})), [&](const Json& part) {
    return each(tree::Field(part, "key"), tree::Field(part, "value"));
  });
}

Json OfEntries(Json entries) {
  return Called("map_from_entries", Json::array({std::move(entries)}));
}

// A part's text as it is written within a list, map or struct.
Json PartText(Json part, const SqlType& type) {
  return tree::Operator("OPERATOR", "OPERATOR_COALESCE",
                        Json::array({Converted(std::move(part), type, {SqlType::kText}),
                                     tree::TextConstant("null")}));
}

Json StructText(Json value, const SqlType& type) {
  return Bound(std::move(value), [&](const Json& part) {
    Json pieces = Json::array();
    for (const SqlColumn& field : type.Fields()) {
      pieces.push_back(PartText(tree::Field(part, field.name), field.type));
    }
    Json text = Called("pt_text_in_braces", Json::array({Called("list_value", std::move(pieces))}));
    return tree::Case(IsThere(part), std::move(text), tree::NullConstant());
  });
}

// A part with its rank before it: nulls come before everything else.
Json Placed(Json part, const SqlType& type) {
  Json there = IsThere(part);
  return Called("struct_pack", Json::array({Named(std::move(there), "place"),
                                            Named(OrderKey(std::move(part), type), "part")}));
}

bool CanCastStruct(const SqlType& from, const SqlType& to) {
  const std::vector<SqlColumn> fields = from.Fields(), wanted = to.Fields();
  if (fields.size() != wanted.size()) return false;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!CanCast(fields[i].type, wanted[i].type)) return false;
  }
  return true;
}

}  // namespace

Json ConvertedParts(Json value, const SqlType& from, const SqlType& to, bool tried) {
  if (from.IsList()) {
    return MappedList(std::move(value), [&](Json part) {
      return Converted(std::move(part), from.Element(), to.Element(), tried);
    });
  }
  if (from.IsMap()) {
    return OfEntries(MappedEntries(std::move(value), [&](Json key, Json item) {
      return Entry(Converted(std::move(key), from.Key(), to.Key(), tried),
                   Converted(std::move(item), from.Value(), to.Value(), tried));
    }));
  }
  const std::vector<SqlColumn> fields = from.Fields(), wanted = to.Fields();
  return MappedStruct(std::move(value), from, [&](Json field, size_t i) {
    return Named(Converted(std::move(field), fields[i].type, wanted[i].type, tried),
                 wanted[i].name);
  });
}

Json NestedText(Json value, const SqlType& type) {
  if (type.IsStruct()) return StructText(std::move(value), type);
  if (type.IsList()) {
    Json texts = MappedList(std::move(value),
                            [&](Json part) { return PartText(std::move(part), type.Element()); });
    return Called("pt_text_in_brackets", Json::array({std::move(texts)}));
  }
  Json texts = MappedEntries(std::move(value), [&](Json key, Json item) {
    return Called("pt_pair_text", Json::array({PartText(std::move(key), type.Key()),
                                               PartText(std::move(item), type.Value())}));
  });
  return Called("pt_text_in_braces", Json::array({std::move(texts)}));
}

Json OrderKey(Json value, const SqlType& type) {
  if (type.IsList()) {
    return MappedList(std::move(value),
                      [&](Json part) { return Placed(std::move(part), type.Element()); });
  }
  if (!type.IsStruct()) return value;
  const std::vector<SqlColumn> fields = type.Fields();
  return MappedStruct(std::move(value), type, [&](Json field, size_t i) {
    return Named(Placed(std::move(field), fields[i].type), fields[i].name);
  });
}

Json SortedList(Json list, const SqlType& element, ListOrder order) {
  const auto keyed = [&](const Json& part) {
    Json place = IsThere(part);
    if (order == ListOrder::kNullsLast) {
      place = tree::Operator("OPERATOR", "OPERATOR_IS_NULL", Json::array({part}));
    }
    return Called("struct_pack",
                  Json::array({Named(std::move(place), "place"),
                               Named(OrderKey(part, element), "key"), Named(part, "part")}));
  };
  Json sorted =
      Called("list_sort",
             Json::array({MappedList(std::move(list), keyed),
                          tree::TextConstant(order == ListOrder::kDescending ? "DESC" : "ASC")}));
  return MappedList(std::move(sorted),
                    [](Json part) { return tree::Field(std::move(part), "part"); });
}

Json Extreme(Json list, const SqlType& element, bool greatest) {
  Json sorted = SortedList(std::move(list), element,
                           greatest ? ListOrder::kDescending : ListOrder::kNullsLast);
  return Called("list_extract", Json::array({std::move(sorted), tree::WholeConstant(1)}));
}

Json WithSortedMaps(Json value, const SqlType& type) {
  if (!HoldsMap(type)) return value;
  if (type.IsList()) {
    return MappedList(std::move(value),
                      [&](Json part) { return WithSortedMaps(std::move(part), type.Element()); });
  }
  if (type.IsMap()) {
    Json entries = MappedEntries(std::move(value), [&](Json key, Json item) {
      return Entry(std::move(key), WithSortedMaps(std::move(item), type.Value()));
    });
    return OfEntries(Called("list_sort", Json::array({std::move(entries)})));
  }
  const std::vector<SqlColumn> fields = type.Fields();
  return MappedStruct(std::move(value), type, [&](Json field, size_t i) {
    return Named(WithSortedMaps(std::move(field), fields[i].type), fields[i].name);
  });
}

bool HoldsReal(const SqlType& type) {
  if (type.IsReal()) return true;
  if (type.IsList()) return HoldsReal(type.Element());
  const std::vector<SqlColumn> fields = type.IsStruct() ? type.Fields() : std::vector<SqlColumn>{};
  return std::any_of(fields.begin(), fields.end(),
                     [](const SqlColumn& field) { return HoldsReal(field.type); });
}

Json WithPlainZeros(Json value, const SqlType& type) {
  if (!HoldsReal(type)) return value;
  if (type.IsReal()) {
    MergeZeros(value, type);
    return value;
  }
  if (type.IsList()) {
    return MappedList(std::move(value),
                      [&](Json part) { return WithPlainZeros(std::move(part), type.Element()); });
  }
  const std::vector<SqlColumn> fields = type.Fields();
  return MappedStruct(std::move(value), type, [&](Json field, size_t i) {
    return Named(WithPlainZeros(std::move(field), fields[i].type), fields[i].name);
  });
}

bool CanCast(const SqlType& from, const SqlType& to) {
  if (from == SqlType::kUnknown || to == SqlType::kUnknown) return true;
  if (from == SqlType::kNull || to == SqlType::kText) return true;
  if (!from.IsNested() && !to.IsNested()) return HasCast(from, to);
  if (from.IsList() && to.IsList()) return CanCast(from.Element(), to.Element());
  if (from.IsStruct() && to.IsStruct()) return CanCastStruct(from, to);
  return from.IsMap() && to.IsMap() && CanCast(from.Key(), to.Key()) &&
         CanCast(from.Value(), to.Value());
}

}  // namespace protium
