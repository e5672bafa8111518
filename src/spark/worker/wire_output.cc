// SPDX-License-Identifier: Apache-2.0
#include "spark/worker/wire_output.h"

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/type.h>

#include "spark/worker/conform.h"
#include "spark/worker/marks.h"

namespace protium {

namespace {

class WireSink : public arrow::io::OutputStream {
 public:
  explicit WireSink(ExecutorWire& wire) : wire_(wire) {}

  Status Close() override {
    closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return closed_; }
  Result<int64_t> Tell() const override { return position_; }
  using arrow::io::OutputStream::Write;
  Status Write(const void* data, int64_t bytes) override {
    position_ += bytes;
    return wire_.Write(data, bytes);
  }

 private:
  ExecutorWire& wire_;
  int64_t position_ = 0;
  bool closed_ = false;
};

}  // namespace

Status WireOutput::Begin() {
  PT_TRY(wire_.WriteInt(kArrowStream));
  wrapped_ = arrow::schema({arrow::field("_0", arrow::struct_(schema_->fields()))});
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  PT_LET(writer_,
         arrow::ipc::MakeStreamWriter(std::make_shared<WireSink>(wire_), wrapped_, options));
  return Status::OK();
}

Status WireOutput::Emit(const arrow::RecordBatch& batch) {
  PT_LET(const auto rows, Conform(batch, schema_, "task \"" + task_ + "\" emitted"));
  if (rows->num_rows() == 0) return Status::OK();
  if (!writer_) PT_TRY(Begin());
  const auto structs = std::make_shared<arrow::StructArray>(wrapped_->field(0)->type(),
                                                            rows->num_rows(), rows->columns());
  PT_TRY(
      writer_->WriteRecordBatch(*arrow::RecordBatch::Make(wrapped_, rows->num_rows(), {structs})));
  return wire_.Flush();
}

Status WireOutput::Close() {
  if (!writer_) return Status::OK();
  const auto writer = std::exchange(writer_, nullptr);
  return writer->Close();
}

}  // namespace protium
