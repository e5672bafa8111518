// SPDX-License-Identifier: Apache-2.0
#include "column/stream.h"

#include <algorithm>
#include <utility>

namespace protium {

namespace {

class MemoryStream : public BatchStream {
 public:
  MemoryStream(SchemaPtr schema, arrow::RecordBatchVector batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {}
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (next_ == batches_.size()) return std::shared_ptr<arrow::RecordBatch>();
    return std::move(batches_[next_++]);
  }

 private:
  SchemaPtr schema_;
  arrow::RecordBatchVector batches_;
  size_t next_ = 0;
};

class CutStream : public BatchStream {
 public:
  CutStream(int64_t rows, BatchStreamPtr whole) : rows_(rows), whole_(std::move(whole)) {}
  const SchemaPtr& schema() const override { return whole_->schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (batch_ == nullptr || at_ == batch_->num_rows()) {
      PT_LET(batch_, whole_->Next());
      at_ = 0;
      if (batch_ == nullptr || batch_->num_rows() <= rows_) return std::exchange(batch_, nullptr);
    }
    const int64_t from = std::exchange(at_, std::min(at_ + rows_, batch_->num_rows()));
    return batch_->Slice(from, at_ - from);
  }

 private:
  const int64_t rows_;
  BatchStreamPtr whole_;
  std::shared_ptr<arrow::RecordBatch> batch_;  // What is cut now.
  int64_t at_ = 0;                             // How many of its rows have been returned.
};

}  // namespace

BatchStreamPtr InBatchesOf(int64_t rows, BatchStreamPtr stream) {
  return std::make_unique<CutStream>(rows, std::move(stream));
}

BatchStreamPtr MakeStream(SchemaPtr schema, arrow::RecordBatchVector batches) {
  return std::make_unique<MemoryStream>(std::move(schema), std::move(batches));
}

Result<arrow::RecordBatchVector> Collect(BatchStream& stream) {
  arrow::RecordBatchVector all;
  for (;;) {
    PT_LET(auto batch, stream.Next());
    if (!batch) return all;
    all.push_back(std::move(batch));
  }
}

}  // namespace protium
