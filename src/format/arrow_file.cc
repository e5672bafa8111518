// SPDX-License-Identifier: Apache-2.0
#include "format/arrow_file.h"

#include <arrow/compute/cast.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/fault.h"
#include "column/schema.h"
#include "format/parquet.h"

namespace protium {
namespace {

using Type = arrow::Type;
using TypePtr = std::shared_ptr<arrow::DataType>;

constexpr int64_t kSliceRows = 64 << 10;

// The type in which a table carries values of `type`; null where there is none.
TypePtr CarriedType(const arrow::DataType& type) {
  const auto list_of = [](const arrow::DataType& item) -> TypePtr {
    const TypePtr carried = CarriedType(item);
    return carried == nullptr ? nullptr : arrow::list(carried);
  };
  switch (type.id()) {
    case Type::INT8:
    case Type::INT16:
    case Type::UINT8:
    case Type::UINT16:
      return arrow::int32();
    case Type::UINT32:
    case Type::UINT64:
      return arrow::int64();
    case Type::HALF_FLOAT:
      return arrow::float32();
    case Type::NA:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
      return arrow::utf8();
    case Type::LARGE_BINARY:
    case Type::BINARY_VIEW:
    case Type::FIXED_SIZE_BINARY:
      return arrow::binary();
    case Type::DATE64:
      return arrow::date32();
    case Type::TIMESTAMP:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case Type::DICTIONARY:
      return CarriedType(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::FIXED_SIZE_LIST:
    case Type::LIST_VIEW:
    case Type::LARGE_LIST_VIEW:
      return list_of(*type.field(0)->type());
    default: {
      const auto name = TypeName(type);
      return name.ok() ? *TypeNamed(*name) : nullptr;
    }
  }
}

Status DamagedArrow(const std::string& path, const Status& status) {
  return Fail({.exit = Exit::kInput,
               .what = "the Arrow file cannot be read",
               .where = path,
               .why = status.message(),
               .fix = "it may be cut off or damaged: write it again"});
}

Result<SchemaPtr> CarriedSchema(const arrow::Schema& schema, const std::string& path) {
  arrow::FieldVector fields;
  std::set<std::string> seen;
  for (const auto& field : schema.fields()) {
    if (!seen.insert(Lower(field->name())).second) {
      return Fail({.exit = Exit::kInput,
                   .what = "two columns are named \"" + field->name() + "\"",
                   .where = path,
                   .why = "column names are matched without regard to case",
                   .fix = "rename one of them"});
    }
    const TypePtr type = CarriedType(*field->type());
    if (type == nullptr) {
      return Fail(
          {.exit = Exit::kInput,
           .what = fmt::format("column \"{}\" is of type {}, which tables do not carry",
                               field->name(), field->type()->ToString()),
           .where = path,
           .fix = "leave it out, or write it as columns of numbers, texts, dates or times"});
    }
    fields.push_back(arrow::field(field->name(), type));
  }
  return arrow::schema(std::move(fields));
}

// One file or stream, batch by batch. The file is mapped, so that a large batch takes no memory of
// its own unless it is packed.
class ArrowBatches {
 public:
  static Result<ArrowBatches> Open(const std::string& path) {
    ArrowBatches batches;
    PT_LET(batches.file_, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
    PT_LET(const auto head, batches.file_->ReadAt(0, 6));
    const std::string_view begin(*head);
    if (begin.starts_with("FEA1")) {
      return Status::Invalid("it is of the first version of Feather, which is no Arrow file");
    }
    PT_TRY(batches.file_->Seek(0));
    if (begin == "ARROW1") {
      PT_LET(batches.blocks_, arrow::ipc::RecordBatchFileReader::Open(batches.file_));
    } else {
      PT_LET(batches.stream_, arrow::ipc::RecordBatchStreamReader::Open(batches.file_));
    }
    return batches;
  }
  SchemaPtr schema() const { return blocks_ ? blocks_->schema() : stream_->schema(); }
  // Null at the end.
  Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (stream_) {
      PT_TRY(stream_->ReadNext(&batch));
    } else if (next_ < blocks_->num_record_batches()) {
      PT_LET(batch, blocks_->ReadRecordBatch(next_++));
    }
    // Offsets and lengths are the file's own, and may point anywhere.
    if (batch != nullptr) PT_TRY(batch->ValidateFull());
    return batch;
  }
  double share() const {
    if (blocks_) return double(next_) / std::max(1, blocks_->num_record_batches());
    const auto at = file_->Tell(), all = file_->GetSize();
    return at.ok() && all.ok() && *all > 0 ? double(*at) / double(*all) : 0;
  }

 private:
  std::shared_ptr<arrow::io::MemoryMappedFile> file_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> blocks_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> stream_;
  int next_ = 0;
};

class BroughtArrow : public BroughtRows {
 public:
  BroughtArrow(const BringSpec& spec, const BringWatch& watch) : spec_(spec), watch_(watch) {}

  // Looks at the columns of all files.
  Status Open() {
    for (const std::string& path : spec_.paths) {
      const Result<ArrowBatches> batches = ArrowBatches::Open(path);
      if (!batches.ok()) return DamagedArrow(path, batches.status());
      PT_LET(const SchemaPtr schema, CarriedSchema(*batches->schema(), path));
      if (schema_ == nullptr) schema_ = schema;
      if (!schema_->Equals(*schema)) {
        return OtherColumns(path, *schema, spec_.paths.front(), *schema_);
      }
      NoteZones(*batches->schema());
    }
    return Status::OK();
  }
  const SchemaPtr& schema() const override { return schema_; }
  size_t file() const override { return file_; }
  std::vector<std::string> notes() const override { return {notes_.begin(), notes_.end()}; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;

 private:
  void NoteZones(const arrow::Schema& schema);
  Result<std::shared_ptr<arrow::RecordBatch>> Carried(const arrow::RecordBatch& batch) const;
  Result<bool> ReadOn();

  const BringSpec spec_;
  const BringWatch watch_;
  SchemaPtr schema_;
  std::unique_ptr<ArrowBatches> batches_;      // Of the file that is being read.
  std::shared_ptr<arrow::RecordBatch> batch_;  // Its rows from `row_` on come next.
  int64_t row_ = 0;
  size_t file_ = 0;
  size_t next_file_ = 0;
  std::set<std::string> notes_;
};

void BroughtArrow::NoteZones(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    if (field->type()->id() != Type::TIMESTAMP) continue;
    const std::string& zone = static_cast<const arrow::TimestampType&>(*field->type()).timezone();
    if (zone.empty() || zone == "UTC") continue;
    notes_.insert("times of column \"" + field->name() + "\" are those of UTC, not of " + zone);
  }
}

// A batch or a slice of one in the types of the table.
Result<std::shared_ptr<arrow::RecordBatch>> BroughtArrow::Carried(
    const arrow::RecordBatch& batch) const {
  arrow::ArrayVector columns;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const TypePtr& type = schema_->field(i)->type();
    if (batch.column(i)->type()->Equals(*type)) {
      columns.push_back(batch.column(i));
      continue;
    }
    const auto cast = arrow::compute::Cast(*batch.column(i), type);
    if (!cast.ok()) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("column \"{}\" of type {} cannot be read as {}",
                                       schema_->field(i)->name(),
                                       batch.column(i)->type()->ToString(), type->ToString()),
                   .where = spec_.paths[file_],
                   .why = cast.status().message(),
                   .fix = "write the column in that type"});
    }
    columns.push_back(*cast);
  }
  return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
}

// Fetches the next batch that has rows; false at the end of all files.
Result<bool> BroughtArrow::ReadOn() {
  while (batch_ == nullptr || row_ >= batch_->num_rows()) {
    if (batches_ == nullptr) {
      if (next_file_ == spec_.paths.size()) return false;
      file_ = next_file_++;
      PT_LET(ArrowBatches opened, ArrowBatches::Open(spec_.paths[file_]));
      batches_ = std::make_unique<ArrowBatches>(std::move(opened));
    }
    PT_TRY(watch_((double(file_) + batches_->share()) / double(spec_.paths.size())));
    auto batch = batches_->Next();
    if (!batch.ok()) return DamagedArrow(spec_.paths[file_], batch.status());
    batch_ = std::move(*batch);
    row_ = 0;
    if (batch_ == nullptr) batches_.reset();
  }
  return true;
}

Result<std::shared_ptr<arrow::RecordBatch>> BroughtArrow::Next() {
  PT_LET(const bool more, ReadOn());
  if (!more) return nullptr;
  const auto slice = batch_->Slice(row_, kSliceRows);
  row_ += slice->num_rows();
  return Carried(*slice);
}

}  // namespace

Result<std::unique_ptr<BroughtRows>> OpenArrowRows(const BringSpec& spec, const BringWatch& watch) {
  auto rows = std::make_unique<BroughtArrow>(spec, watch);
  PT_TRY(rows->Open());
  return rows;
}

}  // namespace protium
