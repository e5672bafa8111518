// SPDX-License-Identifier: Apache-2.0
#include "plan/row_cuts.h"

#include <arrow/api.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plan/part_side.h"

namespace protium {
namespace {

// The cells of one column; those not set are null. Texts point into the column, which outlives
// them.
using CellColumn = std::vector<CutCell>;

template <class Array>
CellColumn Wholes(const arrow::Array& column, CutKind kind) {
  const auto& values = static_cast<const Array&>(column);
  CellColumn cells(static_cast<size_t>(values.length()));
  for (size_t i = 0; i < cells.size(); ++i) {
    if (values.IsValid(int64_t(i))) cells[i] = {.kind = kind, .whole = values.Value(int64_t(i))};
  }
  return cells;
}

CellColumn Texts(const arrow::Array& column) {
  const auto& values = static_cast<const arrow::StringArray&>(column);
  CellColumn cells(static_cast<size_t>(values.length()));
  for (size_t i = 0; i < cells.size(); ++i) {
    if (!values.IsValid(int64_t(i))) continue;
    cells[i] = {.kind = CutKind::kText, .text = values.GetView(int64_t(i))};
  }
  return cells;
}

// For types that HasCutText() takes; what is none of the others is text.
CellColumn ReadCells(const arrow::Array& column) {
  switch (column.type_id()) {
    case arrow::Type::BOOL:
      return Wholes<arrow::BooleanArray>(column, CutKind::kFlag);
    case arrow::Type::INT8:
      return Wholes<arrow::Int8Array>(column, CutKind::kWhole);
    case arrow::Type::INT16:
      return Wholes<arrow::Int16Array>(column, CutKind::kWhole);
    case arrow::Type::INT32:
      return Wholes<arrow::Int32Array>(column, CutKind::kWhole);
    case arrow::Type::INT64:
      return Wholes<arrow::Int64Array>(column, CutKind::kWhole);
    case arrow::Type::DATE32:
      return Wholes<arrow::Date32Array>(column, CutKind::kDate);
    default:
      return Texts(column);
  }
}

}  // namespace

bool HasCutText(const arrow::DataType& type) {
  return arrow::is_signed_integer(type.id()) || type.id() == arrow::Type::BOOL ||
         type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::STRING;
}

bool CanCut(const Split& cut, const arrow::Schema& schema) {
  const Columns columns = cut.by.empty() ? schema.field_names() : cut.by;
  if (columns.empty() || !(cut.part > 0 && cut.part < 1)) return false;
  return std::all_of(columns.begin(), columns.end(), [&](const std::string& name) {
    const auto field = schema.GetFieldByName(name);
    return field != nullptr && HasCutText(*field->type());
  });
}

Result<std::shared_ptr<arrow::BooleanArray>> KeptBy(const Split& cut,
                                                    const arrow::RecordBatch& batch) {
  std::vector<CellColumn> columns;
  for (const std::string& name : cut.by.empty() ? batch.schema()->field_names() : cut.by) {
    columns.push_back(ReadCells(*batch.GetColumnByName(name)));
  }
  PartSides sides(std::to_string(cut.seed), PartBound(cut.part));
  arrow::BooleanBuilder kept;
  PT_TRY(kept.Reserve(batch.num_rows()));
  std::vector<CutCell> row(columns.size());
  for (size_t i = 0; i < static_cast<size_t>(batch.num_rows()); ++i) {
    for (size_t column = 0; column < columns.size(); ++column) row[column] = columns[column][i];
    kept.UnsafeAppend(sides.OnPart(row) == (cut.side == Split::Side::kPart));
  }
  std::shared_ptr<arrow::BooleanArray> made;
  PT_TRY(kept.Finish(&made));
  return made;
}

}  // namespace protium
