// SPDX-License-Identifier: Apache-2.0
// to_json() of structs, lists and maps, as Spark's JacksonGenerator writes them: null fields of a
// struct are omitted, all other nulls are written.
#include <fmt/format.h>

#include "functions/any_values.h"
#include "functions/themes.h"
#include "java/base64.h"
#include "java/json_tokens.h"
#include "java/number_text.h"

namespace protium {
namespace {

// BigDecimal.toString(): with an exponent if there are more than six zeros after the point.
std::string BigDecimalText(__int128 digits, int scale) {
  const std::string plain = DecimalText(digits, 0);
  const size_t sign = digits < 0 ? 1 : 0;
  const auto exponent = static_cast<int>(plain.size() - sign) - 1 - scale;
  if (exponent >= -6) return DecimalText(digits, scale);
  const std::string rest = plain.substr(sign + 1);
  return fmt::format("{}{}{}E{}", plain.substr(0, sign + 1), rest.empty() ? "" : ".", rest,
                     exponent);
}

std::string DayText(int32_t days) {
  const duckdb_date_struct day = duckdb_from_date({days});
  return fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

void WriteValue(const AnyValue& value, std::string& out);

void WriteStruct(const AnyValue& value, std::string& out) {
  out += '{';
  bool first = true;
  for (size_t i = 0; i < value.column().names().size(); ++i) {
    const AnyValue field = value.field(i);
    if (field.null()) continue;
    if (!first) out += ',';
    first = false;
    WriteJsonText(value.column().names()[i], out);
    out += ':';
    WriteValue(field, out);
  }
  out += '}';
}

// A key as Scala's toString writes Spark's internal value: a date as its days.
std::string KeyText(const AnyValue& key) {
  switch (key.type()) {
    case DUCKDB_TYPE_VARCHAR:
      return std::string(key.text());
    case DUCKDB_TYPE_BOOLEAN:
      return key.As<bool>() ? "true" : "false";
    case DUCKDB_TYPE_FLOAT:
      return JavaText(key.As<float>());
    case DUCKDB_TYPE_DOUBLE:
      return JavaText(key.As<double>());
    case DUCKDB_TYPE_DECIMAL:
      return DecimalText(key.digits(), key.column().scale());
    default:
      return std::to_string(key.whole());
  }
}

void WriteMap(const AnyValue& value, std::string& out) {
  out += '{';
  for (idx_t i = 0; i < value.size(); ++i) {
    if (i > 0) out += ',';
    WriteJsonText(KeyText(value.key(i)), out);
    out += ':';
    WriteValue(value.value(i), out);
  }
  out += '}';
}

void WriteList(const AnyValue& value, std::string& out) {
  out += '[';
  for (idx_t i = 0; i < value.size(); ++i) {
    if (i > 0) out += ',';
    WriteValue(value.element(i), out);
  }
  out += ']';
}

void WriteFloat(float number, std::string& out) {
  const std::string text = JavaText(number);
  out += number - number == 0 ? text : '"' + text + '"';
}

void WriteValue(const AnyValue& value, std::string& out) {
  if (value.null()) {
    out += "null";
    return;
  }
  switch (value.type()) {
    case DUCKDB_TYPE_BOOLEAN:
      out += value.As<bool>() ? "true" : "false";
      return;
    case DUCKDB_TYPE_FLOAT:
      return WriteFloat(value.As<float>(), out);
    case DUCKDB_TYPE_DOUBLE:
      return WriteJsonNumber(value.As<double>(), out);
    case DUCKDB_TYPE_DECIMAL:
      out += BigDecimalText(value.digits(), value.column().scale());
      return;
    case DUCKDB_TYPE_VARCHAR:
      return WriteJsonText(value.text(), out);
    case DUCKDB_TYPE_BLOB:
      return WriteJsonText(WriteBase64(value.text(), /*lines=*/false), out);
    case DUCKDB_TYPE_DATE:
      return WriteJsonText(DayText(value.As<int32_t>()), out);
    case DUCKDB_TYPE_STRUCT:
      return WriteStruct(value, out);
    case DUCKDB_TYPE_MAP:
      return WriteMap(value, out);
    case DUCKDB_TYPE_LIST:
      return WriteList(value, out);
    default:
      out += std::to_string(value.whole());
  }
}

// Spark writes a time with its zone, or without one; here both have the same type.
bool HoldsTimes(const AnyColumn& column) {
  if (column.type() == DUCKDB_TYPE_TIMESTAMP || column.type() == DUCKDB_TYPE_TIMESTAMP_TZ) {
    return true;
  }
  for (const AnyColumn& child : column.children()) {
    if (HoldsTimes(child)) return true;
  }
  return false;
}

std::optional<std::string> ToJson(Chunk& chunk, std::span<const AnyValue> values) {
  if (values.empty() || values[0].null()) return std::nullopt;
  if (HoldsTimes(values[0].column())) {
    chunk.error = "to_json of a timestamp is not supported here; write it with date_format()";
    return std::nullopt;
  }
  std::string json;
  WriteValue(values[0], json);
  return json;
}

constexpr AnyFunction kFunctions[] = {AsAnyFunction<&ToJson>("pt_to_json")};

}  // namespace

std::span<const AnyFunction> JsonWriters() { return kFunctions; }

}  // namespace protium
