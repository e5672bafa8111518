// SPDX-License-Identifier: Apache-2.0
#include "column/stream.h"

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

}  // namespace

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
