// SPDX-License-Identifier: Apache-2.0
#include "pipeline/no_values.h"

#include <arrow/api.h>

#include <optional>

#include "base/fault.h"
#include "protium/expr.h"

namespace protium {
namespace {

// The text column that the fault is about; "" if it is about something else.
std::string ColumnOfText(const arrow::Schema& schema, const Fault& fault) {
  for (const auto& field : schema.fields()) {
    const bool text = field->type()->id() == arrow::Type::STRING;
    if (text && fault.what.starts_with("column \"" + field->name() + "\" is string")) {
      return field->name();
    }
  }
  return {};
}

// Returns nothing if it cannot be known, for example while a job is only planned.
std::optional<int64_t> CountValues(const DataFrame& table, const std::string& column) {
  const auto rows = table.GroupBy({}).Aggregate({{"num_values", CountOf(Col(column))}}).Stream();
  if (!rows.ok()) return std::nullopt;
  while (true) {
    const auto batch = (*rows)->Next();
    if (!batch.ok() || *batch == nullptr) return std::nullopt;
    if ((*batch)->num_rows() == 0) continue;
    const auto& counts = *(*batch)->column(0);
    if (counts.type_id() != arrow::Type::INT64) return std::nullopt;
    return static_cast<const arrow::Int64Array&>(counts).Value(0);
  }
}

}  // namespace

Status ExplainNoValues(const DataFrame& train, const arrow::Schema& schema, const Status& refused) {
  Fault fault = FaultOf(refused);
  const std::string column = ColumnOfText(schema, fault);
  if (column.empty() || CountValues(train, column) != 0) return refused;
  fault.what = "column \"" + column + "\" has no value in any row";
  fault.why = "a file of text does not say the type of such a column, which counts as string";
  fault.fix = "leave it out, or say its type where the table is read: types = { " + column +
              " = \"float64\" }";
  return Fail(std::move(fault));
}

}  // namespace protium
