// SPDX-License-Identifier: Apache-2.0
#include "plan/row_cuts.h"

#include <arrow/api.h>

#include <algorithm>
#include <string>
#include <vector>

#include "column/visit.h"
#include "plan/part_side.h"

namespace protium {
namespace {

// The cells of one column; unset ones are null. Texts point into the column, which outlives them.
using CellColumn = std::vector<CutCell>;

template <class Array>
CellColumn Wholes(const Array& values, CutKind kind) {
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

// For types that HasCutText() accepts.
CellColumn ReadCells(const arrow::Array& column) {
  const auto type = column.type_id();
  if (type == arrow::Type::STRING) return Texts(column);
  const CutKind kind = type == arrow::Type::BOOL     ? CutKind::kFlag
                       : type == arrow::Type::DATE32 ? CutKind::kDate
                                                     : CutKind::kWhole;
  CellColumn cells;
  const auto read = [&](const auto& values) { cells = Wholes(values, kind); };
  if (!VisitWholes(column, read)) VisitAs<arrow::Date32Array>(column, read);
  return cells;
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
