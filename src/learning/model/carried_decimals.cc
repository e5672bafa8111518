// SPDX-License-Identifier: Apache-2.0
#include "model/carried_decimals.h"

#include <arrow/type.h>

#include <algorithm>

#include "frame/verbs.h"

namespace protium {
namespace {

std::string SecondName(const arrow::Schema& table, const std::string& name) {
  std::string second = name + "__decimal";
  while (table.GetFieldIndex(second) >= 0) second += '_';
  return second;
}

}  // namespace

CarriedDecimals::CarriedDecimals(const arrow::Schema& table, const arrow::Schema& learned) {
  for (const auto& field : table.fields()) {
    const auto read = learned.GetFieldByName(field->name());
    if (read == nullptr || !arrow::is_decimal(field->type()->id())) continue;
    if (!arrow::is_floating(read->type()->id())) continue;
    names_.emplace_back(field->name(), SecondName(table, field->name()));
  }
}

Plan CarriedDecimals::Beside(const Plan& table, SchemaPtr& schema) const {
  if (names_.empty()) return table;
  arrow::FieldVector fields = schema->fields();
  Project project{PlainColumns(schema->field_names())};
  for (const auto& [name, second] : names_) {
    fields.push_back(schema->GetFieldByName(name)->WithName(second));
    project.columns.push_back({second, Col(name)});
  }
  schema = arrow::schema(std::move(fields));
  return MakePlan(std::move(project), {table});
}

Columns CarriedDecimals::Kept(Columns keep) const {
  if (keep.empty()) return keep;
  for (const auto& [name, second] : names_) {
    if (std::find(keep.begin(), keep.end(), name) != keep.end()) keep.push_back(second);
  }
  return keep;
}

Plan CarriedDecimals::Restored(Plan rows, const arrow::Schema& scored) const {
  if (names_.empty()) return rows;
  Project project;
  for (const std::string& column : scored.field_names()) {
    const auto second = [&](const auto& each) { return each.second == column; };
    if (std::any_of(names_.begin(), names_.end(), second)) continue;
    const auto found = std::find_if(names_.begin(), names_.end(),
                                    [&](const auto& each) { return each.first == column; });
    project.columns.push_back({column, Col(found == names_.end() ? column : found->second)});
  }
  return MakePlan(std::move(project), {std::move(rows)});
}

}  // namespace protium
