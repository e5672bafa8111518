// SPDX-License-Identifier: Apache-2.0
#include "column/cells.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "column/lists.h"
#include "column/schema.h"
#include "column/visit.h"

namespace protium {
namespace {

std::string InOneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\r') {
      line += "\\r";
    } else if (c == '\t') {
      line += "\\t";
    } else {
      line += c;
    }
  }
  return line;
}

// Drops the superfluous zeros of a fraction: "2013-01-31 08:15:00.500000", "08:15:00.000000".
std::string WithoutZeros(std::string text) {
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string DoubleText(double value) { return fmt::format("{}", value); }

// "[1, 2]"; a list is a short array of its own.
std::string ListText(const arrow::Array& items) {
  std::string text = "[";
  for (int64_t i = 0; i < items.length(); ++i) text += (i > 0 ? ", " : "") + CellText(items, i);
  return text + "]";
}

std::string StructText(const arrow::StructArray& cells, int64_t row) {
  std::string text = "{";
  for (int f = 0; f < cells.num_fields(); ++f) {
    // field() has the same slice as the struct, so `row` applies to it as well.
    text += (f > 0 ? ", " : "") + cells.type()->field(f)->name() + ": " +
            CellText(*cells.field(f), row);
  }
  return text + "}";
}

// The keys and values of a cell of maps.
struct Entries {
  explicit Entries(const arrow::MapArray& cells, int64_t row)
      : keys(*cells.keys()),
        items(*cells.items()),
        begin(cells.value_offset(row)),
        end(cells.value_offset(row + 1)) {}
  const arrow::Array& keys;
  const arrow::Array& items;
  const int64_t begin, end;
};

std::string MapText(const arrow::MapArray& cells, int64_t row) {
  const Entries entries(cells, row);
  std::string text = "{";
  for (int64_t i = entries.begin; i < entries.end; ++i) {
    text += (i > entries.begin ? ", " : "") + CellText(entries.keys, i) + ": " +
            CellText(entries.items, i);
  }
  return text + "}";
}

Json MapJson(const arrow::MapArray& cells, int64_t row) {
  const Entries entries(cells, row);
  Json object = Json::object();
  for (int64_t i = entries.begin; i < entries.end; ++i) {
    const Json key = CellJson(entries.keys, i);
    object[key.is_string() ? key.get<std::string>() : CellText(entries.keys, i)] =
        CellJson(entries.items, i);
  }
  return object;
}

Json ListJson(const arrow::Array& items) {
  Json list = Json::array();
  for (int64_t i = 0; i < items.length(); ++i) list.push_back(CellJson(items, i));
  return list;
}

// The items of a cell of lists; null if it is not a list.
std::shared_ptr<arrow::Array> ItemsOf(const arrow::Array& column, int64_t row) {
  if (!IsList(*column.type())) return nullptr;
  const ListCell cell = ListAt(*column.data(), row);
  return arrow::MakeArray(column.data()->child_data[0])->Slice(cell.begin, cell.length);
}

}  // namespace

std::string CellText(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return "NULL";
  if (const auto items = ItemsOf(column, row)) return ListText(*items);
  switch (column.type_id()) {
    case arrow::Type::STRING:
      return InOneLine(static_cast<const arrow::StringArray&>(column).GetView(row));
    case arrow::Type::DOUBLE:
      return DoubleText(static_cast<const arrow::DoubleArray&>(column).Value(row));
    case arrow::Type::FLOAT:
      // As the float that it is: as a double, 0.1 would have 17 digits.
      return fmt::format("{}", static_cast<const arrow::FloatArray&>(column).Value(row));
    case arrow::Type::BINARY:
      return fmt::format("{} bytes",
                         static_cast<const arrow::BinaryArray&>(column).GetView(row).size());
    case arrow::Type::STRUCT:
      return StructText(static_cast<const arrow::StructArray&>(column), row);
    case arrow::Type::MAP:
      return MapText(static_cast<const arrow::MapArray&>(column), row);
    default:
      break;
  }
  // Arrow's own, slower formatting: numbers, dates, times, decimals.
  const auto scalar = column.GetScalar(row);
  if (!scalar.ok()) return scalar.status().message();
  const std::string text = (*scalar)->ToString();
  const bool time = arrow::is_temporal(column.type_id());
  return InOneLine(time ? WithoutZeros(text) : text);
}

Json CellJson(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return nullptr;
  if (const auto items = ItemsOf(column, row)) return ListJson(*items);
  Json whole;
  const auto read = [&](const auto& wholes) { whole = wholes.Value(row); };
  if (VisitWholes(column, read) || VisitUnsigned(column, read)) return whole;
  switch (column.type_id()) {
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(column).GetString(row);
    case arrow::Type::FLOAT: {
      const float value = static_cast<const arrow::FloatArray&>(column).Value(row);
      // Through its shortest text: 0.1 must not become 0.10000000149011612.
      const std::string text = CellText(column, row);
      double shortest = 0;
      // Unlike strtod() and the like, it never has a decimal comma, whatever the locale.
      std::from_chars(text.data(), text.data() + text.size(), shortest);
      return std::isfinite(value) ? Json(shortest) : Json(text);
    }
    case arrow::Type::DOUBLE: {
      const double value = static_cast<const arrow::DoubleArray&>(column).Value(row);
      // JSON has no infinity and no NaN: they become texts.
      return std::isfinite(value) ? Json(value) : Json(DoubleText(value));
    }
    case arrow::Type::STRUCT: {
      Json object = Json::object();
      const auto& cells = static_cast<const arrow::StructArray&>(column);
      for (int f = 0; f < cells.num_fields(); ++f) {
        object[cells.type()->field(f)->name()] = CellJson(*cells.field(f), row);
      }
      return object;
    }
    case arrow::Type::MAP:
      return MapJson(static_cast<const arrow::MapArray&>(column), row);
    default:
      return CellText(column, row);
  }
}

std::string TypeText(const arrow::DataType& type) {
  const auto name = TypeName(type);
  return name.ok() ? *name : type.ToString();
}

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_numeric(type.id()) || arrow::is_decimal(type.id());
}

}  // namespace protium
