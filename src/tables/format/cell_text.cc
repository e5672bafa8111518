// SPDX-License-Identifier: Apache-2.0
#include "format/cell_text.h"

#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <arrow/util/formatting.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "column/visit.h"

namespace protium {
namespace {

using Type = arrow::Type;

// The differences between the two forms.
struct TextForm {
  char between_day_and_time;
  const char* nan;
  const char* infinity;  // Preceded by a sign.
  bool point;            // Writes whole doubles as 1.0.
};
constexpr TextForm kCsvForm = {' ', "NaN", "Inf", false};
constexpr TextForm kJsonForm = {'T', "NaN", "Infinity", true};

template <class Array>
void AppendFormatted(const Array& column, int64_t row, std::string& text) {
  arrow::internal::StringFormatter<typename Array::TypeClass> format(column.type().get());
  format(column.Value(row), [&](std::string_view formatted) { text.append(formatted); });
}

template <class Real>
void AppendReal(Real value, const TextForm& form, std::string& text) {
  if (std::isnan(value)) {
    text += form.nan;
  } else if (std::isinf(value)) {
    text += value < 0 ? "-" : "";
    text += form.infinity;
  } else {
    const size_t before = text.size();
    char digits[64];
    text.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
    const bool whole = text.find_first_of(".eE", before) == text.npos;
    if (form.point && whole) text += ".0";
  }
}

// Appends "2013-12-31 23:59:58.123456", with the form's character between day and time and without
// trailing zeros in the fraction.
void AppendTime(const arrow::Array& column, int64_t row, const TextForm& form, std::string& text) {
  const size_t before = text.size();
  AppendFormatted(static_cast<const arrow::TimestampArray&>(column), row, text);
  if (text.size() > before + 10) text[before + 10] = form.between_day_and_time;
  if (text.find('.', before) == text.npos) return;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
}

// Appends everything but texts and lists.
void AppendPlain(const arrow::Array& column, int64_t row, const TextForm& form, std::string& text) {
  const auto append = [&](const auto& values) { AppendFormatted(values, row, text); };
  const auto append_real = [&](const auto& values) { AppendReal(values.Value(row), form, text); };
  if (VisitReals(column, append_real) || VisitWholes(column, append) ||
      VisitUnsigned(column, append) || VisitAs<arrow::Date32Array>(column, append)) {
    return;
  }
  switch (column.type_id()) {
    case Type::TIMESTAMP:
      return AppendTime(column, row, form, text);
    case Type::DECIMAL128:
      text += static_cast<const arrow::Decimal128Array&>(column).FormatValue(row);
      return;
    default: {
      const auto value = column.GetScalar(row);
      if (value.ok()) text += (*value)->ToString();
    }
  }
}

// Returns the text of a string or binary column.
std::string_view TextAt(const arrow::Array& column, int64_t row) {
  return static_cast<const arrow::BinaryArray&>(column).GetView(row);
}

bool IsText(const arrow::Array& column) {
  return column.type_id() == Type::STRING || column.type_id() == Type::BINARY;
}

void AppendJsonStruct(const arrow::StructArray& cells, int64_t row, std::string& text) {
  text += '{';
  for (int i = 0; i < cells.num_fields(); ++i) {
    if (i > 0) text += ", ";
    AppendJsonText(cells.type()->field(i)->name(), text);
    text += ": ";
    // field() is sliced like the struct, so `row` is its index as well.
    AppendJsonCell(*cells.field(i), row, text);
  }
  text += '}';
}

// Keys of JSON are texts: those of other types are written as in CSV.
void AppendJsonMap(const arrow::MapArray& cells, int64_t row, std::string& text) {
  const int64_t begin = cells.value_offset(row), end = cells.value_offset(row + 1);
  text += '{';
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) text += ", ";
    std::string key;
    if (IsText(*cells.keys())) {
      key = TextAt(*cells.keys(), i);
    } else {
      AppendCsvCell(*cells.keys(), i, key);
    }
    AppendJsonText(key, text);
    text += ": ";
    AppendJsonCell(*cells.items(), i, text);
  }
  text += '}';
}

}  // namespace

void AppendCsvText(std::string_view value, std::string& text) {
  text += '"';
  for (const char c : value) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void AppendJsonText(std::string_view value, std::string& text) {
  constexpr const char* kHex = "0123456789abcdef";
  text += '"';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (byte < 0x20) {
      text += "\\u00";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    } else {
      text += c;
    }
  }
  text += '"';
}

void AppendCsvCell(const arrow::Array& column, int64_t row, std::string& text) {
  if (column.IsNull(row)) return;
  if (IsText(column)) return AppendCsvText(TextAt(column, row), text);
  AppendPlain(column, row, kCsvForm, text);
}

void AppendJsonCell(const arrow::Array& column, int64_t row, std::string& text) {
  if (column.IsNull(row)) {
    text += "null";
  } else if (IsText(column)) {
    AppendJsonText(TextAt(column, row), text);
  } else if (column.type_id() == Type::LIST) {
    const auto& list = static_cast<const arrow::ListArray&>(column);
    const int64_t begin = list.value_offset(row), end = list.value_offset(row + 1);
    text += '[';
    for (int64_t i = begin; i < end; ++i) {
      if (i > begin) text += ", ";
      AppendJsonCell(*list.values(), i, text);
    }
    text += ']';
  } else if (column.type_id() == Type::STRUCT) {
    AppendJsonStruct(static_cast<const arrow::StructArray&>(column), row, text);
  } else if (column.type_id() == Type::MAP) {
    AppendJsonMap(static_cast<const arrow::MapArray&>(column), row, text);
  } else {
    const bool quoted = column.type_id() == Type::DATE32 || column.type_id() == Type::TIMESTAMP;
    if (quoted) text += '"';
    AppendPlain(column, row, kJsonForm, text);
    if (quoted) text += '"';
  }
}

}  // namespace protium
