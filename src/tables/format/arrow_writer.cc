// SPDX-License-Identifier: Apache-2.0
#include "format/arrow_writer.h"

#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>

#include <utility>

#include "format/atomic_output.h"

namespace protium {
namespace {

class ArrowWriter : public FileWriter {
 public:
  explicit ArrowWriter(AtomicFile file)
      : output_(std::make_shared<AtomicOutput>(std::move(file))) {}

  Status Open(const SchemaPtr& schema) {
    arrow::ipc::IpcWriteOptions options;
    PT_LET(options.codec, arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
    PT_LET(writer_, arrow::ipc::MakeFileWriter(output_, schema, options));
    return Status::OK();
  }
  Status Write(const arrow::RecordBatch& batch) override {
    if (batch.num_rows() == 0) return Status::OK();
    return output_->Explain(writer_->WriteRecordBatch(batch));
  }
  Status Commit() override {
    PT_TRY(output_->Explain(writer_->Close()));
    return output_->Commit();
  }

 private:
  std::shared_ptr<AtomicOutput> output_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<FileWriter>> WriteArrow(AtomicFile file, const SchemaPtr& schema,
                                               Packing packing) {
  auto writer = std::make_unique<ArrowWriter>(std::move(file));
  PT_TRY(writer->Open(schema));
  return writer;
}

}  // namespace protium
