// SPDX-License-Identifier: Apache-2.0
#include "format/json_lines.h"

#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "format/brought_columns.h"
#include "format/cell_value.h"
#include "format/json_scan.h"
#include "format/text_lines.h"

namespace protium {
namespace {

using JsonKind = JsonValue::Kind;

constexpr int64_t kLinesBetweenReports = 16 << 10;
// Keys that are really values, such as ids, would become a column each.
constexpr size_t kMostKeys = 10'000;

// The values of a key so far.
struct KeyColumn {
  std::string name;
  CellType type = CellType::kNone;  // The type of values that are neither lists nor objects.
  CellType item = CellType::kNone;  // The type of the items of lists.
  bool scalars = false;
  bool lists = false;
  bool nested = false;  // Objects, or lists of lists or objects.
  int64_t row = -1;     // The last row that had it.

  // The settled types: a list of `item`, or `type`.
  bool is_list() const { return lists && !scalars && !nested; }
  CellType cell() const { return nested || (lists && scalars) ? CellType::kText : type; }
};

// A text is a time or a text, never a number: "01234" is not 1234.
CellType TypeOfJson(const JsonValue& value) {
  if (value.kind == JsonKind::kBool) return CellType::kBool;
  if (value.kind != JsonKind::kText) return TypeOfCell(value.raw);
  if (value.raw.empty() || value.raw[0] < '0' || value.raw[0] > '9') return CellType::kText;
  for (const CellType type : {CellType::kDate, CellType::kTimestamp}) {
    if (IsCell(value.raw, type)) return type;
  }
  return CellType::kText;
}

void WidenBy(const JsonValue& value, CellType& type) {
  if (type != CellType::kText && value.kind != JsonKind::kNull)
    type = Unite(type, TypeOfJson(value));
}

void WidenBy(const JsonValue& value, KeyColumn& column) {
  if (value.kind == JsonKind::kNull || column.nested) return;
  if (value.kind == JsonKind::kObject) {
    column.nested = true;
  } else if (value.kind == JsonKind::kList) {
    column.lists = true;
    JsonScanner items(value.raw);
    items.Open('[');
    JsonValue item;
    while (items.Another(']') && items.Value(item)) {
      column.nested =
          column.nested || item.kind == JsonKind::kList || item.kind == JsonKind::kObject;
      if (!column.nested) WidenBy(item, column.item);
    }
  } else {
    column.scalars = true;
    WidenBy(value, column.type);
  }
}

// Settles `type` or, for a list, `item` as the column's.
void SettleColumn(const SaidType& said, KeyColumn& column) {
  column.type = SettledType(said, column.cell());
  const bool list = said.type == nullptr ? column.is_list() : said.type->id() == arrow::Type::LIST;
  if (list && said.type != nullptr) {
    column.item = SettledType({.type = said.type->field(0)->type()}, column.item);
  }
  column.lists = list;
  column.scalars = !list;
  column.nested = false;
}

class BroughtJson : public BroughtRows {
 public:
  BroughtJson(const BringSpec& spec, TwoPasses passes) : spec_(spec), passes_(std::move(passes)) {}

  Status Infer();
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;
  size_t file() const override { return file_; }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  Status InferFile(size_t file);
  Status SetTypes();
  // Calls `take` with the column and the value of each key of the last line read.
  template <class Take>
  Status EachKey(std::string_view line, bool add, const Take& take);
  Result<KeyColumn*> FindColumn(const JsonValue& key, bool add);
  Result<KeyColumn*> AddColumn(std::string name);
  Status AppendRow(std::string_view line);
  Status AppendValue(const KeyColumn& column, const JsonValue& value);
  Status AppendScalar(const KeyColumn& column, const JsonValue& value, CellType type,
                      arrow::ArrayBuilder& builder);
  Status WrongLine(const std::string& what, const std::string& fix) const;
  std::string Place() const { return fmt::format("{}:{}", spec_.paths[file_], lines_->line()); }

  const BringSpec spec_;
  TwoPasses passes_;
  std::vector<KeyColumn> columns_;
  std::unordered_map<std::string, size_t> places_;      // Positions of columns by their names,
  std::unordered_map<std::string, std::string> lower_;  // and names by their lower case.
  size_t expected_ = 0;  // The column that comes next in a line whose keys are in order.
  int64_t row_ = 0;
  SchemaPtr schema_;
  std::optional<BatchBuilder> batch_;
  std::optional<TextLines> lines_;  // Of the file that is being read.
  size_t file_ = 0;
  size_t next_file_ = 0;
  std::vector<std::string> notes_;
};

Status BroughtJson::WrongLine(const std::string& what, const std::string& fix) const {
  return Fail({.exit = Exit::kInput, .what = what, .where = Place(), .fix = fix});
}

Result<KeyColumn*> BroughtJson::AddColumn(std::string name) {
  const auto [other, fresh] = lower_.emplace(Lower(name), name);
  if (!fresh) {
    return WrongLine("keys \"" + other->second + "\" and \"" + name + "\" differ only in case",
                     "column names are matched without regard to case: rename one");
  }
  if (columns_.size() == kMostKeys) {
    return WrongLine(fmt::format("the lines have more than {} different keys", kMostKeys),
                     "write values as values: {\"id\": 7, \"score\": 0.5} and not {\"7\": 0.5}");
  }
  places_.emplace(name, columns_.size());
  columns_.push_back({.name = std::move(name)});
  return &columns_.back();
}

Result<KeyColumn*> BroughtJson::FindColumn(const JsonValue& key, bool add) {
  if (expected_ < columns_.size() && !key.escaped && columns_[expected_].name == key.raw) {
    return &columns_[expected_++];
  }
  std::string name = JsonText(key);
  const auto found = places_.find(name);
  if (found != places_.end()) {
    expected_ = found->second + 1;
    return &columns_[found->second];
  }
  if (!add) return WrongLine("the file was changed while it was read", "start again");
  expected_ = columns_.size() + 1;
  return AddColumn(std::move(name));
}

template <class Take>
Status BroughtJson::EachKey(std::string_view line, bool add, const Take& take) {
  JsonScanner scanner(line);
  JsonValue key, value;
  expected_ = 0;
  ++row_;
  if (!scanner.Open('{')) {
    return WrongLine("the line is not an object: { \"key\": value, ... }",
                     line.front() == '[' ? "a file that is one list becomes lines by: jq -c '.[]' "
                                           "FILE > FILE.jsonl"
                                         : "write one object per line");
  }
  while (scanner.Another('}')) {
    if (!scanner.Key(key) || !scanner.Value(value)) break;
    PT_LET(KeyColumn* const column, FindColumn(key, add));
    if (std::exchange(column->row, row_) == row_) {
      return WrongLine("the line has the key \"" + column->name + "\" twice", "remove one of them");
    }
    PT_TRY(take(*column, value));
  }
  if (scanner.error() == nullptr && scanner.End()) return Status::OK();
  return WrongLine(
      fmt::format("the line is not valid JSON: {}, at byte {}", scanner.error(), scanner.column()),
      "correct or remove the line");
}

Status BroughtJson::InferFile(size_t file) {
  file_ = file;
  PT_LET(lines_, TextLines::Open(spec_.paths[file]));
  std::string_view line;
  for (int64_t count = 0;; ++count) {
    if (count % kLinesBetweenReports == 0) PT_TRY(passes_.Report(0, file, lines_->source()));
    PT_LET(const bool more, lines_->Next(line));
    if (!more) return Status::OK();
    PT_TRY(EachKey(line, true, [](KeyColumn& column, const JsonValue& value) {
      WidenBy(value, column);
      return Status::OK();
    }));
  }
}

Status BroughtJson::SetTypes() {
  if (columns_.empty()) {
    return Fail({.exit = Exit::kInput,
                 .what = row_ == 0 ? "the file is empty" : "no line has a key",
                 .where = spec_.paths.front()});
  }
  std::vector<std::string> names;
  for (const KeyColumn& each : columns_) names.push_back(each.name);
  PT_LET(const auto said, SaidTypes(spec_, names));
  arrow::FieldVector fields;
  for (size_t i = 0; i < columns_.size(); ++i) {
    KeyColumn& column = columns_[i];
    if (column.nested && said[i].type == nullptr) {
      notes_.push_back("column \"" + column.name +
                       "\" holds objects or lists of them: kept as JSON text, for "
                       "get_json_object()");
    }
    SettleColumn(said[i], column);
    const auto cells = ArrowType(column.is_list() ? column.item : column.type);
    fields.push_back(arrow::field(column.name, column.is_list() ? arrow::list(cells) : cells));
    column.row = -1;
  }
  schema_ = arrow::schema(std::move(fields));
  PT_LET(batch_, BatchBuilder::Make(schema_));
  row_ = 0;
  lines_.reset();
  return Status::OK();
}

Status BroughtJson::Infer() {
  for (size_t file = 0; file < spec_.paths.size(); ++file) PT_TRY(InferFile(file));
  return SetTypes();
}

Status BroughtJson::AppendScalar(const KeyColumn& column, const JsonValue& value, CellType type,
                                 arrow::ArrayBuilder& builder) {
  if (value.kind == JsonKind::kNull) return builder.AppendNull();
  if (type == CellType::kText || type == CellType::kNone) {
    if (!value.escaped) return AppendCell(value.raw, type, builder);
    return AppendCell(JsonText(value), type, builder);
  }
  const bool one = value.kind != JsonKind::kList && value.kind != JsonKind::kObject;
  if (one && IsCell(value.raw, type)) return AppendCell(value.raw, type, builder);
  return WrongCell(column.name, value.raw, type, Place(), "correct the value");
}

Status BroughtJson::AppendValue(const KeyColumn& column, const JsonValue& value) {
  arrow::ArrayBuilder& builder = batch_->column(static_cast<size_t>(&column - columns_.data()));
  if (!column.is_list()) return AppendScalar(column, value, column.type, builder);
  auto& list = static_cast<arrow::ListBuilder&>(builder);
  if (value.kind == JsonKind::kNull) return list.AppendNull();
  if (value.kind != JsonKind::kList) {
    return WrongLine("column \"" + column.name + "\" holds a value that is not a list",
                     "correct the value");
  }
  PT_TRY(list.Append());
  JsonScanner items(value.raw);
  items.Open('[');
  JsonValue item;
  while (items.Another(']') && items.Value(item)) {
    PT_TRY(AppendScalar(column, item, column.item, *list.value_builder()));
  }
  return Status::OK();
}

Status BroughtJson::AppendRow(std::string_view line) {
  PT_TRY(EachKey(line, false, [this](KeyColumn& column, const JsonValue& value) {
    return AppendValue(column, value);
  }));
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].row != row_) PT_TRY(batch_->column(i).AppendNull());
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> BroughtJson::Next() {
  while (true) {
    if (!lines_) {
      if (next_file_ == spec_.paths.size()) return nullptr;
      file_ = next_file_++;
      PT_LET(lines_, TextLines::Open(spec_.paths[file_]));
    }
    bool full = false, more = true;
    std::string_view line;
    while (!full) {
      PT_LET(more, lines_->Next(line));
      if (!more) break;
      PT_TRY(AppendRow(line));
      full = batch_->EndRow(line.size());
    }
    PT_TRY(passes_.Report(1, file_, lines_->source()));
    if (!more) lines_.reset();
    if (batch_->rows() > 0) return batch_->Finish();
  }
}

}  // namespace

Result<std::unique_ptr<BroughtRows>> OpenJsonRows(const BringSpec& spec, const BringWatch& watch) {
  PT_LET(TwoPasses passes, TwoPasses::Over(spec.paths, watch));
  auto rows = std::make_unique<BroughtJson>(spec, std::move(passes));
  PT_TRY(rows->Infer());
  return rows;
}

}  // namespace protium
