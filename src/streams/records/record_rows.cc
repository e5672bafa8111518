// SPDX-License-Identifier: Apache-2.0
#include "records/record_rows.h"

#include <arrow/builder.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "format/cell_value.h"
#include "records/dead_letter.h"

namespace protium {
namespace {

using JsonKind = JsonValue::Kind;

bool IsScalar(const JsonValue& value) {
  return value.kind != JsonKind::kList && value.kind != JsonKind::kObject;
}

bool FitsScalar(const JsonValue& value, CellType type) {
  if (value.kind == JsonKind::kNull || type == CellType::kText || type == CellType::kNone) {
    return true;
  }
  return IsScalar(value) && IsCell(value.raw, type);
}

}  // namespace

SchemaPtr EventColumns(const arrow::Schema& columns) {
  arrow::FieldVector fields;
  for (const auto& field : columns.fields()) {
    // A column of doubles may also hold inf and nan.
    const auto cells = [](const arrow::DataType& type) { return ArrowType(CellTypeOf(type)); };
    const bool list = field->type()->id() == arrow::Type::LIST;
    const auto type =
        list ? arrow::list(cells(*field->type()->field(0)->type())) : cells(*field->type());
    fields.push_back(arrow::field(field->name(), type));
  }
  return arrow::schema(std::move(fields));
}

RecordRows::RecordRows(SchemaPtr columns, BatchBuilder builder)
    : columns_(std::move(columns)), builder_(std::move(builder)) {
  for (const auto& field : columns_->fields()) {
    const bool list = field->type()->id() == arrow::Type::LIST;
    CellType type = CellTypeOf(list ? *field->type()->field(0)->type() : *field->type());
    if (type == CellType::kDouble) type = CellType::kLooseDouble;
    places_.emplace(field->name(), each_.size());
    each_.push_back({.name = field->name(), .type = type, .list = list});
  }
  values_.resize(each_.size());
}

Result<RecordRows> RecordRows::Make(SchemaPtr columns) {
  PT_LET(BatchBuilder builder, BatchBuilder::Make(columns));
  return RecordRows(std::move(columns), std::move(builder));
}

Status RecordRows::AddCells(std::span<const std::optional<std::string_view>> cells) {
  PT_CHECK(cells.size() == each_.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i] || each_[i].type == CellType::kText) continue;
    if (each_[i].list) return RefuseEvent(fmt::format("column \"{}\" holds lists", each_[i].name));
    if (!IsCell(*cells[i], each_[i].type)) {
      return WrongCell(each_[i].name, *cells[i], each_[i].type, "", "");
    }
  }
  size_t bytes = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    arrow::ArrayBuilder& builder = builder_.column(i);
    PT_TRY(cells[i] ? AppendCell(*cells[i], each_[i].type, builder) : builder.AppendNull());
    bytes += cells[i] ? cells[i]->size() : 0;
  }
  builder_.EndRow(bytes);
  return Status::OK();
}

Status RecordRows::CheckValue(const Column& column, const JsonValue& value) const {
  if (!column.list) {
    if (FitsScalar(value, column.type)) return Status::OK();
    return WrongCell(column.name, value.raw, column.type, "", "");
  }
  if (value.kind == JsonKind::kNull) return Status::OK();
  if (value.kind != JsonKind::kList) {
    return RefuseEvent(fmt::format("column \"{}\" holds a value that is not a list", column.name));
  }
  JsonScanner items(value.raw);
  items.Open('[');
  JsonValue item;
  while (items.Another(']') && items.Value(item)) {
    if (!FitsScalar(item, column.type)) {
      return WrongCell(column.name, item.raw, column.type, "", "");
    }
  }
  return Status::OK();
}

Status RecordRows::ReadObject(std::string_view object, std::string& unknown) {
  JsonScanner scanner(object);
  if (!scanner.Open('{')) return RefuseEvent("the event is not an object: { \"key\": value, ... }");
  JsonValue key, value;
  while (scanner.Another('}')) {
    if (!scanner.Key(key) || !scanner.Value(value)) break;
    std::string name = JsonText(key);
    const auto place = places_.find(name);
    if (place == places_.end()) {
      if (unknown.empty()) unknown = std::move(name);
      continue;
    }
    std::optional<JsonValue>& held = values_[place->second];
    if (held) return RefuseEvent(fmt::format("the event has the key \"{}\" twice", name));
    PT_TRY(CheckValue(each_[place->second], value));
    held = value;
  }
  if (scanner.error() == nullptr && scanner.End()) return Status::OK();
  return RefuseEvent(fmt::format("the event is not valid JSON: {}, at byte {}", scanner.error(),
                                 scanner.column()));
}

Status RecordRows::AppendScalar(CellType type, const JsonValue& value,
                                arrow::ArrayBuilder& builder) {
  if (value.kind == JsonKind::kNull) return builder.AppendNull();
  if (value.escaped) return AppendCell(JsonText(value), type, builder);
  return AppendCell(value.raw, type, builder);
}

Status RecordRows::AppendValue(size_t column, const JsonValue& value) {
  arrow::ArrayBuilder& builder = builder_.column(column);
  if (!each_[column].list) return AppendScalar(each_[column].type, value, builder);
  auto& list = static_cast<arrow::ListBuilder&>(builder);
  if (value.kind == JsonKind::kNull) return list.AppendNull();
  PT_TRY(list.Append());
  JsonScanner items(value.raw);
  items.Open('[');
  JsonValue item;
  while (items.Another(']') && items.Value(item)) {
    PT_TRY(AppendScalar(each_[column].type, item, *list.value_builder()));
  }
  return Status::OK();
}

Result<std::string> RecordRows::AddObject(std::string_view object, bool known_only) {
  std::fill(values_.begin(), values_.end(), std::nullopt);
  std::string unknown;
  PT_TRY(ReadObject(object, unknown));
  if (known_only && !unknown.empty()) {
    return RefuseEvent(fmt::format("the event has a new column, \"{}\"", unknown));
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    PT_TRY(values_[i] ? AppendValue(i, *values_[i]) : builder_.column(i).AppendNull());
  }
  builder_.EndRow(object.size());
  return unknown;
}

}  // namespace protium
