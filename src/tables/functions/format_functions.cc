// SPDX-License-Identifier: Apache-2.0
// Texts made from any values: format_string(), which is Java's String.format() of Spark's internal
// values, such as a date's days; and concat_ws(), which joins texts and lists of texts.
#include <fmt/format.h>

#include "functions/any_values.h"
#include "functions/themes.h"
#include "java/code_points.h"
#include "java/java_format.h"
#include "java/number_text.h"

namespace protium {
namespace {

// The bits of a whole number; dates and timestamps count as such in Spark; 0 for other types.
int WholeBits(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_TINYINT:
      return 8;
    case DUCKDB_TYPE_SMALLINT:
      return 16;
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE:
      return 32;
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_TIMESTAMP:
      return 64;
    default:
      return 0;
  }
}

bool IsReal(duckdb_type type) { return type == DUCKDB_TYPE_DOUBLE || type == DUCKDB_TYPE_FLOAT; }

// toString() of the value; nothing for types whose toString() gives their address in memory.
std::optional<std::string> ValueText(const AnyValue& value) {
  if (WholeBits(value.type()) > 0) return std::to_string(value.whole());
  switch (value.type()) {
    case DUCKDB_TYPE_BOOLEAN:
      return value.As<bool>() ? "true" : "false";
    case DUCKDB_TYPE_FLOAT:
      return JavaText(value.As<float>());
    case DUCKDB_TYPE_DOUBLE:
      return JavaText(value.As<double>());
    case DUCKDB_TYPE_DECIMAL:
      return DecimalText(value.digits(), value.column().scale());
    case DUCKDB_TYPE_VARCHAR:
      return std::string(value.text());
    default:
      return std::nullopt;
  }
}

// Writes one value; false if Java rejects it for this conversion.
bool WriteValue(const FormatSpecifier& specifier, const AnyValue& value, std::string& out) {
  const char kind = specifier.kind();
  if (kind == 'b') {
    const bool no = value.null() || (value.type() == DUCKDB_TYPE_BOOLEAN && !value.As<bool>());
    WriteFormatted(specifier, no ? "false" : "true", out);
    return true;
  }
  if (value.null()) {
    FormatSpecifier text = specifier;
    if (kind != 's') text.precision = -1;
    WriteFormatted(text, "null", out);
    return true;
  }
  const int bits = WholeBits(value.type());
  if (kind == 's') {
    const auto text = ValueText(value);
    if (text) WriteFormatted(specifier, *text, out);
    return text.has_value();
  }
  if (kind == 'c') {
    if (bits == 0 || bits == 64 || value.whole() < 0 || value.whole() > 0x10ffff) return false;
    if (value.whole() >= 0xd800 && value.whole() <= 0xdfff) return false;
    WriteFormatted(specifier, ToUtf8(static_cast<char32_t>(value.whole())), out);
    return true;
  }
  if (kind == 'd' || kind == 'x' || kind == 'o') {
    if (bits > 0) WriteFormatted(specifier, value.whole(), bits, out);
    return bits > 0;
  }
  if (!IsReal(value.type())) return false;
  const bool single = value.type() == DUCKDB_TYPE_FLOAT;
  WriteFormatted(specifier, single ? double{value.As<float>()} : value.As<double>(), out);
  return true;
}

std::optional<std::string> Refuse(Chunk& chunk, std::string_view why, std::string_view format) {
  chunk.error = fmt::format("format_string: {} in '{}'", why, format.substr(0, 80));
  return std::nullopt;
}

std::optional<std::string> FormatString(Chunk& chunk, std::span<const AnyValue> values) {
  if (values.empty() || values[0].null()) return std::nullopt;
  if (values[0].type() != DUCKDB_TYPE_VARCHAR) return Refuse(chunk, "the format is not text", "");
  const std::string_view format = values[0].text();
  std::string out;
  size_t next = 1, last = 0;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    const size_t begin = at++;
    FormatSpecifier specifier;
    if (!ReadSpecifier(format, at, specifier)) {
      return Refuse(
          chunk,
          fmt::format("Java has no such format as '{}' here", format.substr(begin, at - begin + 1)),
          format);
    }
    if (specifier.conversion == '%' || specifier.conversion == 'n') {
      if (specifier.conversion == 'n') out += '\n';
      if (specifier.conversion == '%') WriteFormatted(specifier, "%", out);
      continue;
    }
    if (specifier.index == 0) {
      last = next++;
    } else if (specifier.index > 0) {
      last = static_cast<size_t>(specifier.index);
    }
    if (last == 0 || last >= values.size()) {
      return Refuse(chunk, "a value is missing for a format", format);
    }
    if (!WriteValue(specifier, values[last], out)) {
      return Refuse(chunk, fmt::format("%{} does not take value {}", specifier.conversion, last),
                    format);
    }
  }
  return out;
}

// Nulls are skipped, in lists as well; a null separator gives null. Elements are texts.
std::optional<std::string> JoinTexts(Chunk& chunk, std::span<const AnyValue> values) {
  if (values.empty() || values[0].null()) return std::nullopt;
  std::string_view separator;
  std::string out;
  bool first = true;
  // Values whose type was not known before the query ran may have any type.
  const auto is_text = [&](const AnyValue& value) {
    if (value.type() == DUCKDB_TYPE_VARCHAR) return true;
    chunk.error = "concat_ws joins texts and lists of texts; use CAST(... AS STRING)";
    return false;
  };
  if (is_text(values[0])) separator = values[0].text();
  const auto add = [&](const AnyValue& text) {
    if (text.null() || !is_text(text)) return;
    if (!first) out += separator;
    first = false;
    out += text.text();
  };
  for (const AnyValue& value : values.subspan(1)) {
    if (value.type() != DUCKDB_TYPE_LIST) {
      add(value);
      continue;
    }
    const idx_t size = value.null() ? 0 : value.size();
    for (idx_t i = 0; i < size; ++i) add(value.element(i));
  }
  return out;
}

constexpr AnyFunction kFunctions[] = {
    AsAnyFunction<&FormatString>("pt_format_string"),
    AsAnyFunction<&JoinTexts>("pt_join_texts"),
};

}  // namespace

std::span<const AnyFunction> FormatFunctions() { return kFunctions; }

}  // namespace protium
