// SPDX-License-Identifier: Apache-2.0
#include "stages/stage.h"

#include <arrow/type.h>

#include "base/fault.h"

namespace protium {

std::shared_ptr<arrow::DataType> Stage::output_type(size_t) const { return arrow::float64(); }

Status Stage::CheckType(const arrow::DataType& type) const { return CheckNumeric(type); }

// A projection replaces all columns, so those that pass through must be listed too.
Plan WithColumns(Plan rows, const Columns& columns, std::vector<NamedExpr> added) {
  Project project;
  for (const std::string& column : columns) project.columns.push_back({column, Col(column)});
  for (NamedExpr& each : added) project.columns.push_back(std::move(each));
  return MakePlan(std::move(project), {std::move(rows)});
}

Status CheckNumeric(const arrow::DataType& type) {
  const auto id = type.id();
  // Accepts whatever both engines cast to double. The message only says what the type must be; the
  // placer adds the column, its type and the position (Placer::CheckType).
  if (arrow::is_numeric(id) || arrow::is_decimal(id) || id == arrow::Type::BOOL) {
    return Status::OK();
  }
  return Status::TypeError("numbers");
}

// A category is identified by its text, and the text of a float differs between engines.
Status CheckCategories(const arrow::DataType& type) {
  const auto id = type.id();
  const bool text = id == arrow::Type::STRING || id == arrow::Type::LARGE_STRING;
  if (text || id == arrow::Type::BOOL || arrow::is_integer(id)) return Status::OK();
  return Status::TypeError("text, whole numbers or booleans");
}

Status CheckTime(const arrow::DataType& type) {
  const auto id = type.id();
  const bool moment = id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP;
  if (moment || arrow::is_integer(id)) return Status::OK();
  return Status::TypeError("a date, a time or whole numbers");
}

Status CheckFlag(const arrow::DataType& type) {
  return type.id() == arrow::Type::BOOL ? Status::OK() : Status::TypeError("boolean");
}

// The error text becomes part of the SQL, and comes back as the engine's message.
Expr AllowedIndex(const std::string& index, const std::string& column) {
  const std::string start = "column \"" + column + "\" has ";
  Expr fail_unseen = MakeCall("error", {Lit(start + "a value never seen in training")});
  Expr fail_missing = MakeCall("error", {Lit(start + "a NULL")});
  Expr inner =
      MakeCall("if", {Col(index) == Lit(kForbiddenMissing), std::move(fail_missing), Col(index)});
  return MakeCall("if",
                  {Col(index) == Lit(kForbiddenUnseen), std::move(fail_unseen), std::move(inner)});
}

// Detected while fitting, where the count is known; rows that are scored meet AllowedIndex()
// instead.
Status CheckMissing(int64_t missing, const std::string& column, const std::string& fix) {
  if (missing == 0) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "column \"" + column + "\" has " + std::to_string(missing) +
                       " NULLs in the training rows",
               .fix = fix});
}

Status CheckSpread(bool finite, const std::string& column) {
  if (finite) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "column \"" + column + "\" has a spread too large for a double"});
}

std::vector<Need> Stage::NeedsOfInputs(StateKind kind) const {
  std::vector<Need> needs;
  for (const std::string& input : inputs()) needs.push_back({kind, {input}});
  return needs;
}

Status Stage::CheckSomeValue(int64_t values, const std::string& input) const {
  if (values > 0) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "column \"" + input + "\" has no value in the training rows",
               .fix = "leave it out of \"" + id() + "\""});
}

}  // namespace protium
