// SPDX-License-Identifier: Apache-2.0
#include "format/arrow_file.h"

#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/fault.h"
#include "column/claims.h"
#include "format/carried_rows.h"
#include "format/parquet.h"

namespace protium {
namespace {

constexpr int64_t kSliceRows = 64 << 10;

Status DamagedArrow(const std::string& path, const Status& status) {
  return Fail({.exit = Exit::kInput,
               .what = "the Arrow file cannot be read",
               .where = path,
               .why = status.message(),
               .fix = "it may be cut off or damaged: write it again"});
}

Status CheckClaimsOf(const arrow::RecordBatch& batch, const std::string& path) {
  const Status claims = CheckClaims(batch, kSliceRows);
  if (claims.ok()) return claims;
  Fault fault = FaultOf(claims);
  fault.where = path;
  return Fail(std::move(fault));
}

int64_t LargestFile(const std::vector<std::string>& paths) {
  uintmax_t largest = 0;
  for (const std::string& path : paths) {
    std::error_code missing;  // Reported when the file is opened.
    const uintmax_t bytes = std::filesystem::file_size(path, missing);
    if (!missing) largest = std::max(largest, bytes);
  }
  return int64_t(largest);
}

// A buffer that keeps alive the pool it is in: batches may outlive their reader.
class PooledBuffer : public arrow::Buffer {
 public:
  PooledBuffer(std::shared_ptr<arrow::MemoryPool> pool, std::shared_ptr<arrow::Buffer> buffer)
      : Buffer(buffer->data(), buffer->size()),
        pool_(std::move(pool)),
        buffer_(std::move(buffer)) {}

 private:
  // Freed in reverse: the memory before its pool.
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::shared_ptr<arrow::Buffer> buffer_;
};

std::shared_ptr<arrow::ArrayData> WithPool(const std::shared_ptr<arrow::MemoryPool>& pool,
                                           const arrow::ArrayData& column) {
  auto kept = column.Copy();
  for (auto& buffer : kept->buffers) {
    if (buffer != nullptr) buffer = std::make_shared<PooledBuffer>(pool, buffer);
  }
  for (auto& child : kept->child_data) child = WithPool(pool, *child);
  if (kept->dictionary != nullptr) kept->dictionary = WithPool(pool, *kept->dictionary);
  return kept;
}

std::shared_ptr<arrow::RecordBatch> WithPool(const std::shared_ptr<arrow::MemoryPool>& pool,
                                             const arrow::RecordBatch& batch) {
  std::vector<std::shared_ptr<arrow::ArrayData>> columns;
  for (const auto& column : batch.column_data()) columns.push_back(WithPool(pool, *column));
  return arrow::RecordBatch::Make(batch.schema(), batch.num_rows(), std::move(columns));
}

// One file or stream, batch by batch. The file is mapped, so that a large batch needs no memory of
// its own unless it is compressed.
class ArrowBatches {
 public:
  // Decompressed data is allocated from `pool`.
  static Result<ArrowBatches> Open(const std::string& path,
                                   const std::shared_ptr<arrow::MemoryPool>& pool) {
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.memory_pool = pool.get();
    // Numbers may be at any address, including ones where they must not be read as such.
    options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
    ArrowBatches batches;
    batches.pool_ = pool;
    PT_LET(batches.file_, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
    PT_LET(const auto head, batches.file_->ReadAt(0, 6));
    const std::string_view begin(*head);
    if (begin.starts_with("FEA1")) {
      return Status::Invalid("it is of the first version of Feather, which is not an Arrow file");
    }
    PT_TRY(batches.file_->Seek(0));
    if (begin == "ARROW1") {
      PT_LET(batches.blocks_, arrow::ipc::RecordBatchFileReader::Open(batches.file_, options));
    } else {
      PT_LET(batches.stream_, arrow::ipc::RecordBatchStreamReader::Open(batches.file_, options));
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
    if (batch == nullptr) return batch;
    PT_TRY(batch->ValidateFull());
    return WithPool(pool_, *batch);
  }
  double share() const {
    if (blocks_) return double(next_) / std::max(1, blocks_->num_record_batches());
    const auto at = file_->Tell(), all = file_->GetSize();
    return at.ok() && all.ok() && *all > 0 ? double(*at) / double(*all) : 0;
  }

 private:
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::shared_ptr<arrow::io::MemoryMappedFile> file_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> blocks_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> stream_;
  int next_ = 0;
};

class BroughtArrow : public BroughtRows {
 public:
  BroughtArrow(const BringSpec& spec, const BringWatch& watch)
      : spec_(spec),
        watch_(watch),
        pool_(std::make_shared<arrow::CappedMemoryPool>(
            arrow::default_memory_pool(), MostUnpackedBytes(LargestFile(spec.paths)))) {}

  // Checks the columns of all files.
  Status Open() {
    for (const std::string& path : spec_.paths) {
      const Result<ArrowBatches> batches = ArrowBatches::Open(path, pool_);
      if (!batches.ok()) return DamagedArrow(path, batches.status());
      PT_LET(const SchemaPtr schema, CarriedSchema(*batches->schema(), path));
      if (schema_ == nullptr) schema_ = schema;
      if (!schema_->Equals(*schema)) {
        return OtherColumns(path, *schema, spec_.paths.front(), *schema_);
      }
      notes_.merge(ZoneNotes(*batches->schema()));
    }
    return Status::OK();
  }
  const SchemaPtr& schema() const override { return schema_; }
  size_t file() const override { return file_; }
  std::vector<std::string> notes() const override { return {notes_.begin(), notes_.end()}; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;

 private:
  Result<bool> ReadOn();

  const BringSpec spec_;
  const BringWatch watch_;
  const std::shared_ptr<arrow::MemoryPool> pool_;
  SchemaPtr schema_;
  std::unique_ptr<ArrowBatches> batches_;      // Of the file that is being read.
  std::shared_ptr<arrow::RecordBatch> batch_;  // Its rows from `row_` on come next.
  int64_t row_ = 0;
  size_t file_ = 0;
  size_t next_file_ = 0;
  std::set<std::string> notes_;
};

// Fetches the next batch that has rows; false at the end of all files.
Result<bool> BroughtArrow::ReadOn() {
  while (batch_ == nullptr || row_ >= batch_->num_rows()) {
    if (batches_ == nullptr) {
      if (next_file_ == spec_.paths.size()) return false;
      file_ = next_file_++;
      PT_LET(ArrowBatches opened, ArrowBatches::Open(spec_.paths[file_], pool_));
      batches_ = std::make_unique<ArrowBatches>(std::move(opened));
    }
    PT_TRY(watch_((double(file_) + batches_->share()) / double(spec_.paths.size())));
    auto batch = batches_->Next();
    if (!batch.ok()) return DamagedArrow(spec_.paths[file_], batch.status());
    batch_ = std::move(*batch);
    row_ = 0;
    if (batch_ == nullptr) {
      batches_.reset();
    } else {
      PT_TRY(CheckClaimsOf(*batch_, spec_.paths[file_]));
    }
  }
  return true;
}

Result<std::shared_ptr<arrow::RecordBatch>> BroughtArrow::Next() {
  PT_LET(const bool more, ReadOn());
  if (!more) return nullptr;
  const auto slice = batch_->Slice(row_, kSliceRows);
  row_ += slice->num_rows();
  return CarriedBatch(*slice, schema_, spec_.paths[file_]);
}

}  // namespace

Result<std::unique_ptr<BroughtRows>> OpenArrowRows(const BringSpec& spec, const BringWatch& watch) {
  auto rows = std::make_unique<BroughtArrow>(spec, watch);
  PT_TRY(rows->Open());
  return rows;
}

}  // namespace protium
