// SPDX-License-Identifier: Apache-2.0
#include "inference/json_rows.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/fault.h"
#include "column/schema.h"
#include "inference/json_columns.h"
#include "inference/json_cursor.h"
#include "inference/json_text.h"
#include "inference/json_values.h"

namespace protium {
namespace {

using Kind = JsonCursor::Kind;

constexpr const char* kRowsAre = "rows are a list of objects";

Status NoRows(std::string what) { return Fail({.exit = Exit::kInput, .what = std::move(what)}); }

Status NotRows() {
  return Fail({.exit = Exit::kInput,
               .what = "the body holds neither \"rows\" nor \"columns\"",
               .fix = R"({"rows": [{"x": 1}, {"x": 2}]} or {"columns": {"x": [1, 2]}})"});
}

Status Both(bool rows, bool rows_before) {
  const char* const name = rows ? "rows" : "columns";
  return NoRows(rows == rows_before ? fmt::format("the body has \"{}\" twice", name)
                                    : "the body has \"rows\" and \"columns\"");
}

// `rest` begins with the value.
Status Wrong(std::string_view rest, const arrow::Field& field, int64_t row) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} is not a valid {}", ShownValue(rest),
                                   TypeName(*field.type()).ValueOr("value")),
               .where = fmt::format("row {}, column \"{}\"", row + 1, field.name())});
}

// Reads one text.
class BodyReader {
 public:
  BodyReader(std::string_view text, const arrow::Schema& columns, int64_t most_rows)
      : text_(text), columns_(columns), most_rows_(most_rows) {}

  Result<JsonRows> ReadBody();
  Result<JsonRows> ReadBare();

 private:
  Status ReadMember(std::string_view key);
  Status ReadRows();
  Status ReadRow(int64_t row);
  Status ReadColumns();
  Status ReadColumn(int column);
  Status ReadCell(int column, int64_t row);
  Status Pass() { return text_.Pass() ? Status::OK() : text_.Fault(); }
  // Enters a list or an object if that is what follows; otherwise fails with `otherwise`.
  Status Enter(Kind kind, std::string_view otherwise);
  Status NotBroken() const { return text_.broken() ? text_.Fault() : Status::OK(); }
  std::string NotAsLong(int column) const;
  Result<JsonRows> Finish();

  JsonCursor text_;
  JsonColumns columns_;
  const int64_t most_rows_;
  std::optional<JsonForm> form_;  // The form that was read.
  std::optional<int64_t> rows_;   // Rows read so far, or the length of each column read.
};

Status BodyReader::Enter(Kind kind, std::string_view otherwise) {
  if (text_.Peek() == kind) return text_.Enter() ? Status::OK() : text_.Fault();
  return text_.broken() ? text_.Fault() : NoRows(std::string(otherwise));
}

Status BodyReader::ReadCell(int column, int64_t row) {
  text_.Peek();
  const std::string_view value = text_.rest();
  if (ReadValue(text_, columns_.builder(column))) return Status::OK();
  return text_.broken() ? text_.Fault() : Wrong(value, columns_.field(column), row);
}

Status BodyReader::ReadRow(int64_t row) {
  PT_TRY(Enter(Kind::kObject, "a row is an object with a value for each column"));
  columns_.Begin();
  std::string_view key;
  while (text_.NextMember(key)) {
    const int column = columns_.Find(key);
    if (column < 0) {
      PT_TRY(Pass());
      continue;
    }
    PT_TRY(columns_.BeginCell(column, row));
    PT_TRY(ReadCell(column, row));
  }
  PT_TRY(NotBroken());
  return columns_.EndRow(row);
}

Status BodyReader::ReadRows() {
  PT_TRY(Enter(Kind::kList, kRowsAre));
  int64_t row = 0;
  while (text_.NextItem()) {
    if (row == most_rows_) return TooManyRows(most_rows_);
    PT_TRY(ReadRow(row++));
  }
  PT_TRY(NotBroken());
  rows_ = row;
  return row == 0 ? columns_.BeginAll() : Status::OK();
}

std::string BodyReader::NotAsLong(int column) const {
  return fmt::format("column \"{}\" is not a list as long as the others",
                     columns_.field(column).name());
}

Status BodyReader::ReadColumn(int column) {
  PT_TRY(columns_.BeginColumn(column));
  PT_TRY(Enter(Kind::kList, NotAsLong(column)));
  int64_t row = 0;
  while (text_.NextItem()) {
    if (row == rows_) return NoRows(NotAsLong(column));
    if (row == most_rows_) return TooManyRows(most_rows_);
    PT_TRY(ReadCell(column, row++));
  }
  PT_TRY(NotBroken());
  if (row != rows_.value_or(row)) return NoRows(NotAsLong(column));
  rows_ = row;
  return Status::OK();
}

Status BodyReader::ReadColumns() {
  PT_TRY(Enter(Kind::kObject, "columns are an object with a list for each column"));
  columns_.Begin();
  std::string_view key;
  while (text_.NextMember(key)) {
    const int column = columns_.Find(key);
    PT_TRY(column < 0 ? Pass() : ReadColumn(column));
  }
  return NotBroken();
}

// A member of the body.
Status BodyReader::ReadMember(std::string_view key) {
  const bool rows = key == "rows";
  if (!rows && key != "columns") return Pass();
  if (form_) return Both(rows, *form_ == JsonForm::kRows);
  form_ = rows ? JsonForm::kRows : JsonForm::kColumns;
  return rows ? ReadRows() : ReadColumns();
}

Result<JsonRows> BodyReader::ReadBody() {
  if (text_.Peek() != Kind::kObject) return text_.broken() ? text_.Fault() : NotRows();
  text_.Enter();
  std::string_view key;
  while (text_.NextMember(key)) PT_TRY(ReadMember(key));
  PT_TRY(NotBroken());
  if (!form_) return NotRows();
  return Finish();
}

Result<JsonRows> BodyReader::ReadBare() {
  const bool one = text_.Peek() == Kind::kObject;
  form_ = one ? JsonForm::kRow : JsonForm::kRows;
  PT_TRY(one ? ReadRow(0) : ReadRows());
  if (one) rows_ = 1;
  return Finish();
}

Result<JsonRows> BodyReader::Finish() {
  if (!text_.AtEnd()) return text_.Fault();
  PT_LET(auto batch, columns_.Finish(rows_.value_or(0)));
  return JsonRows{std::move(batch), *form_};
}

}  // namespace

Status TooManyRows(int64_t most_rows) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("more rows than the {} that one request may hold", most_rows),
               .fix = "send them in several requests"});
}

Result<JsonRows> ReadJsonRows(std::string_view body, const arrow::Schema& columns,
                              int64_t most_rows) {
  return BodyReader(body, columns, most_rows).ReadBody();
}

Result<JsonRows> ReadBareJsonRows(std::string_view text, const arrow::Schema& columns) {
  return BodyReader(text, columns, std::numeric_limits<int64_t>::max()).ReadBare();
}

}  // namespace protium
