// SPDX-License-Identifier: Apache-2.0
// Options as a value that holds names, types, ranges and defaults: the source of help, reference
// pages and the JSON schema.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "protium/field.h"
#include "protium/fields.h"

namespace protium {

struct DescribedField;

struct FieldType {
  enum class Kind {
    kAny,
    kFlag,
    kWhole,
    kNumber,
    kText,
    kChoice,
    kList,
    kEntries,
    kTable,
    kEither
  };
  Kind kind = Kind::kAny;
  std::string words;                 // What people call it, if the kind alone does not say it.
  std::vector<std::string> choices;  // Of kChoice.
  std::vector<FieldType> of;         // The items of kList, the values of kEntries, each of kEither.
  std::vector<DescribedField> fields;  // Of kTable.
};

struct DescribedField {
  std::string name;
  Field field;
  FieldType type;
  Json value;  // The default; null if there is none.
};

// Returns the fields of options, with the values in `options` as defaults. A field that has its own
// ToJson() needs `FieldType DescribeType(const T&)`, found by argument-dependent lookup.
template <class T>
std::vector<DescribedField> Describe(const T& options = {});

// "whole number", "list of text", "one of a, b".
std::string TypeText(const FieldType& type);

// [{"name", "type", "default", "help", ...}]; empty entries are left out.
Json DescribedToJson(const std::vector<DescribedField>& fields);

// Names the fields of nested tables "train.epochs", in order; fields that name rows of the
// catalogue stay whole.
std::vector<DescribedField> Flattened(const std::vector<DescribedField>& fields,
                                      const std::string& path = {});

template <class T>
FieldType TypeOfField(const T& value) {
  using Kind = FieldType::Kind;
  if constexpr (fields::HasOwnJson<T>) {
    return DescribeType(value);
  } else if constexpr (std::is_same_v<T, Json>) {
    return {};
  } else if constexpr (fields::IsOptional<T>::value) {
    return TypeOfField(typename T::value_type{});
  } else if constexpr (fields::IsVector<T>::value) {
    return {.kind = Kind::kList, .of = {TypeOfField(typename T::value_type{})}};
  } else if constexpr (fields::HasNames<T>) {
    FieldType type{.kind = Kind::kChoice};
    const auto names = Names(value);
    for (const auto& [each, name] : names.all) type.choices.emplace_back(name);
    return type;
  } else if constexpr (std::is_same_v<T, bool>) {
    return {.kind = Kind::kFlag};
  } else if constexpr (std::is_integral_v<T>) {
    return {.kind = Kind::kWhole};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {.kind = Kind::kNumber};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {.kind = Kind::kText};
  } else {
    return {.kind = Kind::kTable, .fields = Describe(value)};
  }
}

template <class T>
std::vector<DescribedField> Describe(const T& options) {
  std::vector<DescribedField> described;
  const auto visit = [&](const char* key, auto& value, const Field& field) {
    described.push_back({key, field, TypeOfField(value), fields::Write(value)});
  };
  fields::VisitFields(const_cast<T&>(options), visit);
  return described;
}

}  // namespace protium
