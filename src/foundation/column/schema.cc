// SPDX-License-Identifier: Apache-2.0
// Arrow can write its types as text, but cannot read them back. The names here are ours, and a
// format: model folders contain them, so they must not change.
#include "column/schema.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

// Text may come from a file: its recursive reader needs a limit.
constexpr int kMaxNesting = 16;

using NamedType = std::pair<std::string_view, std::shared_ptr<arrow::DataType>>;

std::array<NamedType, 14> KnownTypes() {
  return {{{"bool", arrow::boolean()},
           {"int8", arrow::int8()},
           {"int16", arrow::int16()},
           {"int32", arrow::int32()},
           {"int64", arrow::int64()},
           {"uint8", arrow::uint8()},
           {"uint16", arrow::uint16()},
           {"uint32", arrow::uint32()},
           {"float32", arrow::float32()},
           {"float64", arrow::float64()},
           {"string", arrow::utf8()},
           {"binary", arrow::binary()},
           {"date", arrow::date32()},
           {"timestamp", arrow::timestamp(arrow::TimeUnit::MICRO)}}};
}

Status Unknown(std::string what) { return Fail({.exit = Exit::kInput, .what = std::move(what)}); }

Result<std::shared_ptr<arrow::DataType>> DecimalNamed(std::string_view inside) {
  int precision = 0, scale = 0;
  const char* const end = inside.data() + inside.size();
  const auto first = std::from_chars(inside.data(), end, precision);
  if (first.ec == std::errc() && first.ptr < end && *first.ptr == ',') {
    const auto second = std::from_chars(first.ptr + 1, end, scale);
    if (second.ec == std::errc() && second.ptr == end) {
      // Refuses a precision beyond 38.
      return arrow::Decimal128Type::Make(precision, scale);
    }
  }
  return Unknown("bad decimal type: decimal(" + std::string(inside) + ")");
}

Result<std::shared_ptr<arrow::DataType>> Parse(std::string_view name, int depth) {
  for (const auto& [known, type] : KnownTypes()) {
    if (known == name) return type;
  }
  if (name.starts_with("decimal(") && name.ends_with(")")) {
    return DecimalNamed(name.substr(8, name.size() - 9));
  }
  if (name.starts_with("list<") && name.ends_with(">") && depth < kMaxNesting) {
    PT_LET(auto item, Parse(name.substr(5, name.size() - 6), depth + 1));
    return arrow::list(item);
  }
  return Unknown("unknown column type: " + std::string(name));
}

}  // namespace

Result<std::string> TypeName(const arrow::DataType& type) {
  for (const auto& [name, known] : KnownTypes()) {
    // Times with a zone or in another unit equal none of them.
    if (known->Equals(type)) return std::string(name);
  }
  if (type.id() == arrow::Type::DECIMAL128) {
    const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
    return fmt::format("decimal({},{})", decimal.precision(), decimal.scale());
  }
  if (type.id() == arrow::Type::LIST) {
    PT_LET(std::string item, TypeName(*static_cast<const arrow::ListType&>(type).value_type()));
    return "list<" + item + ">";
  }
  return Unknown("columns of type " + type.ToString() + " are not supported");
}

Result<std::shared_ptr<arrow::DataType>> TypeNamed(std::string_view name) { return Parse(name, 0); }

std::shared_ptr<arrow::DataType> CarriedDecimal(const arrow::DataType& type) {
  if (!arrow::is_decimal(type.id())) return nullptr;
  const auto& decimal = static_cast<const arrow::DecimalType&>(type);
  const int32_t digits = decimal.precision(), scale = decimal.scale();
  const bool held = digits <= arrow::Decimal128Type::kMaxPrecision && scale >= 0 && scale <= digits;
  return held ? arrow::decimal128(digits, scale) : nullptr;
}

Result<Json> SchemaToJson(const arrow::Schema& schema) {
  Json columns = Json::array();
  for (const auto& field : schema.fields()) {
    PT_LET(std::string type, TypeName(*field->type()));
    columns.push_back({{"name", field->name()}, {"type", type}});
  }
  return columns;
}

Result<std::shared_ptr<arrow::Schema>> SchemaFromJson(const Json& json) {
  if (!json.is_array()) return Unknown("a schema must be a list of columns");
  arrow::FieldVector fields;
  for (const Json& column : json) {
    const bool whole = column.is_object() && column.contains("name") && column.contains("type") &&
                       column["name"].is_string() && column["type"].is_string();
    if (!whole) return Unknown("a column needs a name and a type: " + Dump(column));
    PT_LET(auto type, TypeNamed(column["type"].get<std::string>()));
    fields.push_back(arrow::field(column["name"].get<std::string>(), type));
  }
  return arrow::schema(fields);
}

int FindField(const arrow::Schema& schema, std::string_view name) {
  const std::string lower = Lower(name);
  int found = -1;
  for (int i = 0; i < schema.num_fields(); ++i) {
    const std::string& each = schema.field(i)->name();
    if (each == name) return i;
    // The search goes on: an exact match may follow.
    if (found < 0 && Lower(each) == lower) found = i;
  }
  return found;
}

std::string Describe(const arrow::Schema& schema) {
  std::string text;
  for (const auto& field : schema.fields()) {
    const auto name = TypeName(*field->type());
    text += (text.empty() ? "" : ", ") + field->name() + " " +
            (name.ok() ? *name : field->type()->ToString());
  }
  return text;
}

}  // namespace protium
