// SPDX-License-Identifier: Apache-2.0
#include "format/csv_brought.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "format/brought_columns.h"
#include "format/cell_value.h"
#include "format/csv_options.h"
#include "format/csv_rows.h"
#include "format/csv_types.h"

namespace protium {
namespace {

// For the first pass, which makes no batches; the second reports after each of them.
constexpr int64_t kRowsBetweenReports = 16 << 10;

// Types of cells where the decimal mark may be a comma, as in 3,5; then a number with a point is
// text.
class CellRules {
 public:
  explicit CellRules(const CsvOptions& options) : comma_(options.decimal == ",") {}

  // Returns the text in the form that IsCell() and AppendCell() know, valid until the next call.
  std::string_view Plain(std::string_view text, CellType type) {
    if (!comma_ || !IsDouble(type) || text.find(',') == text.npos) return text;
    plain_.assign(text);
    std::replace(plain_.begin(), plain_.end(), ',', '.');
    return plain_;
  }
  bool Fits(std::string_view text, CellType type) {
    if (comma_ && IsDouble(type) && text.find('.') != text.npos) return false;
    return IsCell(Plain(text, type), type);
  }
  CellType TypeOf(std::string_view text) {
    if (!comma_) return TypeOfCell(text);
    if (Fits(text, CellType::kInt64)) return CellType::kInt64;
    if (Fits(text, CellType::kDouble)) return CellType::kDouble;
    // This double has a point, which is not the decimal mark.
    const CellType type = TypeOfCell(text);
    return type == CellType::kDouble ? CellType::kText : type;
  }

 private:
  static bool IsDouble(CellType type) {
    return type == CellType::kDouble || type == CellType::kLooseDouble;
  }

  bool comma_;
  std::string plain_;
};

class BroughtCsv : public BroughtRows {
 public:
  BroughtCsv(const BringSpec& spec, TwoPasses passes)
      : spec_(spec), passes_(std::move(passes)), rules_(spec_.csv) {}

  Status Infer();
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;
  size_t file() const override { return file_; }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  Status InferFile(size_t file);
  Status SetTypes();
  Status AppendRow();
  Status AppendColumn(size_t column, const CsvCell& cell);
  void NoteSkipped();

  const BringSpec spec_;
  TwoPasses passes_;
  CellRules rules_;
  std::vector<std::string> names_;
  std::vector<CellType> types_;
  SchemaPtr schema_;
  std::optional<BatchBuilder> batch_;
  std::optional<CsvRows> rows_;  // Of the file that is being read.
  size_t file_ = 0;
  size_t next_file_ = 0;
  std::vector<std::string> notes_;
};

Status BroughtCsv::InferFile(size_t file) {
  const std::string& path = spec_.paths[file];
  PT_LET(CsvRows rows, CsvRows::Open(path, spec_.csv));
  if (file == 0) {
    names_ = rows.names();
    types_.resize(names_.size(), CellType::kNone);
  } else if (names_ != rows.names()) {
    return Fail({.exit = Exit::kInput,
                 .what = "the columns differ from those of " + spec_.paths.front(),
                 .where = path + ":1"});
  }
  for (int64_t count = 0;; ++count) {
    if (count % kRowsBetweenReports == 0) PT_TRY(passes_.Report(0, file, rows.source()));
    PT_LET(const bool more, rows.Next());
    if (!more) return Status::OK();
    for (size_t i = 0; i < types_.size(); ++i) {
      const CsvCell& cell = rows.cells()[i];
      // Nothing is wider than text, and most cells have the type found so far.
      if (types_[i] == CellType::kText || IsNull(cell, spec_.csv)) continue;
      if (rules_.Fits(cell.text, types_[i])) continue;
      types_[i] = Unite(types_[i], rules_.TypeOf(cell.text));
    }
  }
}

Status BroughtCsv::SetTypes() {
  PT_LET(const auto said, SaidTypes(spec_, names_));
  for (size_t i = 0; i < names_.size(); ++i) {
    types_[i] = SettledType(said[i], types_[i]);
    // A column declared as doubles may also hold inf and nan.
    if (types_[i] == CellType::kDouble) types_[i] = CellType::kLooseDouble;
  }
  arrow::FieldVector fields;
  for (size_t i = 0; i < names_.size(); ++i) {
    fields.push_back(arrow::field(names_[i], ArrowType(types_[i])));
  }
  schema_ = arrow::schema(std::move(fields));
  PT_LET(batch_, BatchBuilder::Make(schema_));
  return Status::OK();
}

Status BroughtCsv::Infer() {
  for (size_t file = 0; file < spec_.paths.size(); ++file) PT_TRY(InferFile(file));
  return SetTypes();
}

// A cell with digits in a column of dates is most likely a date written in another way.
std::string FixFor(const std::string& column, const std::string& cell, CellType type) {
  const bool date = type == CellType::kDate || type == CellType::kTimestamp;
  if (date && cell.find_first_of("0123456789") != cell.npos) {
    return fmt::format(
        "leave its type out and read it in the SQL: to_date({0}, 'dd.MM.yyyy') AS {0}", column);
  }
  return FixOfCell(column, cell);
}

Status BroughtCsv::AppendColumn(size_t column, const CsvCell& cell) {
  arrow::ArrayBuilder& builder = batch_->column(column);
  if (IsNull(cell, spec_.csv)) return builder.AppendNull();
  const CellType type = types_[column];
  // Only a text can hold "" for ": such a cell fits no other type.
  if (type == CellType::kText || type == CellType::kNone) {
    return AppendCell(cell.doubled ? CsvText(cell) : std::string(cell.text), type, builder);
  }
  if (rules_.Fits(cell.text, type)) {
    return AppendCell(rules_.Plain(cell.text, type), type, builder);
  }
  return WrongCell(names_[column], CsvText(cell), type,
                   fmt::format("{}:{}", spec_.paths[file_], rows_->line()),
                   FixFor(names_[column], CsvText(cell), type));
}

Status BroughtCsv::AppendRow() {
  for (size_t i = 0; i < names_.size(); ++i) PT_TRY(AppendColumn(i, rows_->cells()[i]));
  return Status::OK();
}

void BroughtCsv::NoteSkipped() {
  if (rows_->skipped() == 0) return;
  notes_.push_back(fmt::format(
      "{}: {} row{} left out, of another length than the first line; the first is on line {}",
      spec_.paths[file_], rows_->skipped(), PluralOf(rows_->skipped()), rows_->first_skipped()));
}

Result<std::shared_ptr<arrow::RecordBatch>> BroughtCsv::Next() {
  while (true) {
    if (!rows_) {
      if (next_file_ == spec_.paths.size()) return nullptr;
      // A batch ends with its file: file() applies to all its rows.
      file_ = next_file_++;
      PT_LET(rows_, CsvRows::Open(spec_.paths[file_], spec_.csv));
    }
    bool full = false, more = true;
    while (!full) {
      PT_LET(more, rows_->Next());
      if (!more) break;
      PT_TRY(AppendRow());
      size_t bytes = 0;
      // 8: a number, or a text's offset and overhead.
      for (const CsvCell& cell : rows_->cells()) bytes += cell.text.size() + 8;
      full = batch_->EndRow(bytes);
    }
    PT_TRY(passes_.Report(1, file_, rows_->source()));
    if (!more) {
      // In this pass alone, or rows would be reported twice.
      NoteSkipped();
      rows_.reset();
    }
    if (batch_->rows() > 0) return batch_->Finish();
  }
}

}  // namespace

Result<std::unique_ptr<BroughtRows>> OpenCsvRows(const BringSpec& spec, const BringWatch& watch) {
  PT_TRY(CheckCsvOptions(spec.csv));
  PT_LET(TwoPasses passes, TwoPasses::Over(spec.paths, watch));
  auto rows = std::make_unique<BroughtCsv>(spec, std::move(passes));
  PT_TRY(rows->Infer());
  return rows;
}

}  // namespace protium
