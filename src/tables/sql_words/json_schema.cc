// SPDX-License-Identifier: Apache-2.0
// Spark's JsonInferSchema: elements of an array get the type that holds them all, text if there is
// none, and what is only null is text.
#include "sql_words/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json.h"
#include "base/text.h"

namespace protium {
namespace {

// An inferred type. Numbers are ordered from narrow to wide.
struct Inferred {
  enum class Kind { kNull, kBoolean, kBigint, kDecimal, kDouble, kText, kArray, kStruct };
  Kind kind = Kind::kNull;
  size_t digits = 0;                       // Of a decimal.
  std::map<std::string, Inferred> fields;  // Of a struct; the element of an array is "".
};
using Kind = Inferred::Kind;

bool IsNumber(Kind kind) { return kind >= Kind::kBigint && kind <= Kind::kDouble; }

Inferred Merge(const Inferred& a, const Inferred& b) {
  if (a.kind == Kind::kNull) return b;
  if (b.kind == Kind::kNull) return a;
  if (IsNumber(a.kind) && IsNumber(b.kind)) {
    Inferred wider = a.kind < b.kind ? b : a;
    constexpr size_t kDigitsOfLong = 20;
    const size_t least = a.kind == b.kind ? 0 : kDigitsOfLong;
    wider.digits = std::max({a.digits, b.digits, wider.kind == Kind::kDecimal ? least : 0});
    return wider;
  }
  if (a.kind != b.kind) return {.kind = Kind::kText};
  Inferred both = a;
  for (const auto& [name, type] : b.fields) {
    const auto found = both.fields.find(name);
    both.fields[name] = found == both.fields.end() ? type : Merge(found->second, type);
  }
  return both;
}

// False for a whole number that was read as a double, whose digits are lost.
bool Infer(const Json& value, Inferred& type) {
  if (value.is_boolean()) type.kind = Kind::kBoolean;
  if (value.is_string()) type.kind = Kind::kText;
  if (value.is_number()) {
    const double number = value.get<double>();
    type.kind = value.is_number_float() ? Kind::kDouble : Kind::kBigint;
    if (value.is_number_float()) return number != std::floor(number) || std::fabs(number) < 1e15;
    if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) {
      type = {.kind = Kind::kDecimal, .digits = Dump(value).size()};
    }
  }
  if (!value.is_structured()) return true;
  type.kind = value.is_array() ? Kind::kArray : Kind::kStruct;
  if (value.is_array()) type.fields[""];
  for (const auto& [key, child] : value.items()) {
    Inferred inner;
    if (!Infer(child, inner)) return false;
    Inferred& place = type.fields[value.is_array() ? "" : key];
    place = Merge(place, inner);
  }
  return true;
}

std::string NameOf(const std::string& field) {
  const bool plain =
      !field.empty() && !IsDigit(field[0]) && std::ranges::all_of(field, IsNameCharacter);
  return plain ? field : "`" + field + "`";
}

std::string Write(const Inferred& type) {
  switch (type.kind) {
    case Kind::kBoolean:
      return "BOOLEAN";
    case Kind::kBigint:
      return "BIGINT";
    case Kind::kDecimal:
      return fmt::format("DECIMAL({},0)", type.digits);
    case Kind::kDouble:
      return "DOUBLE";
    case Kind::kArray:
      return "ARRAY<" + Write(type.fields.at("")) + ">";
    case Kind::kStruct: {
      std::string fields;
      for (const auto& [name, inner] : type.fields) {
        fields += (fields.empty() ? "" : ", ") + NameOf(name) + ": " + Write(inner);
      }
      return "STRUCT<" + fields + ">";
    }
    default:
      return "STRING";
  }
}

}  // namespace

std::optional<std::string> InferJsonSchema(const std::string& text) {
  const Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  Inferred type;
  if (value.is_discarded() || !Infer(value, type)) return std::nullopt;
  return Write(type);
}

}  // namespace protium
