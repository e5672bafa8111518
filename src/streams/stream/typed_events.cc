// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <arrow/compute/cast.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "column/batches.h"
#include "format/bring.h"
#include "format/parquet_rows.h"
#include "stream/event_letters.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Files that state their types.
class TypedEvents : public EventReader {
 public:
  TypedEvents(fs::path path, BatchStreamPtr rows, FoundColumns found, SchemaPtr columns)
      : path_(std::move(path)),
        rows_(std::move(rows)),
        found_(std::move(found)),
        columns_(std::move(columns)) {}

  Result<EventChunk> Read(int64_t most) override {
    EventChunk chunk;
    std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
    while (chunk.records < most && !ended_) {
      PT_TRY(Refill(chunk));
      if (batch_ == nullptr) break;
      const int64_t taken = std::min(most - chunk.records, batch_->num_rows());
      parts.push_back(batch_->Slice(0, taken));
      batch_ = taken == batch_->num_rows() ? nullptr : batch_->Slice(taken);
      chunk.records += taken;
    }
    PT_LET(chunk.events.rows, Together(columns_, parts));
    return chunk;
  }
  std::vector<std::string> ignored() const override { return found_.unknown; }

 private:
  // Reads the next batch unless there is one; null at the end.
  Status Refill(EventChunk& chunk) {
    if (batch_ != nullptr) return Status::OK();
    const auto cast = NextCast();
    ended_ = !cast.ok() || *cast == nullptr;
    if (cast.ok()) {
      batch_ = *cast;
      return Status::OK();
    }
    ++chunk.records;
    chunk.events.dead.push_back(
        Letter(NameOf(path_) + ", the rest", ReasonOf(cast.status()), path_.string()));
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> NextCast() {
    PT_LET(const auto next, rows_->Next());
    if (next == nullptr) return nullptr;
    arrow::ArrayVector columns;
    for (size_t i = 0; i < found_.places.size(); ++i) {
      const auto& field = columns_->field(int(i));
      if (found_.places[i] < 0) {
        PT_LET(columns.emplace_back(), arrow::MakeArrayOfNull(field->type(), next->num_rows()));
        continue;
      }
      PT_LET(const arrow::Datum cast,
             arrow::compute::Cast(next->column(found_.places[i]), field->type()));
      columns.push_back(cast.make_array());
    }
    return arrow::RecordBatch::Make(columns_, next->num_rows(), std::move(columns));
  }

  fs::path path_;
  BatchStreamPtr rows_;
  FoundColumns found_;
  SchemaPtr columns_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  bool ended_ = false;
};

}  // namespace

Result<BatchStreamPtr> OpenTypedRows(const fs::path& path, Format format) {
  if (format == Format::kParquet) {
    PT_LET(ParquetRows rows, ReadParquetRows({path.string()}, {.threads = true}));
    return std::move(rows.rows);
  }
  BringSpec spec{.paths = {path.string()}, .format = format};
  PT_LET(std::unique_ptr<BroughtRows> rows, OpenRows(spec, [](double) { return Status::OK(); }));
  return BatchStreamPtr(std::move(rows));
}

Result<std::unique_ptr<EventReader>> OpenTypedEvents(const fs::path& path, const EventForm& form) {
  Result<BatchStreamPtr> rows = OpenTypedRows(path, form.format);
  if (!rows.ok()) return DeadFile(path, ReasonOf(rows.status()));
  FoundColumns found = FindColumns((*rows)->schema()->field_names(), form);
  PT_LET(std::string refused, WhyRefused(path, found, form.new_columns));
  if (!refused.empty()) return DeadFile(path, std::move(refused));
  return std::make_unique<TypedEvents>(path, *std::move(rows), std::move(found), form.columns);
}

}  // namespace protium
