// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/wire_output.h"

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/type.h>

#include "spark_worker/conform.h"
#include "spark_worker/marks.h"

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
    return wire_.WriteInPlace(data, bytes);
  }

 private:
  ExecutorWire& wire_;
  int64_t position_ = 0;
  bool closed_ = false;
};

// A continuation mark and a length of 0: Arrow's columnar format, "IPC Streaming Format".
constexpr std::string_view kStreamEnd{"\xff\xff\xff\xff\0\0\0\0", 8};

arrow::ipc::IpcWriteOptions Options() {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  return options;
}

}  // namespace

// Sends what the payload points to before the payload is freed: parts are written in place.
Status WireOutput::Put(const arrow::ipc::IpcPayload& payload) {
  WireSink sink(wire_);
  int32_t ignored = 0;
  PT_TRY(arrow::ipc::WriteIpcPayload(payload, Options(), &sink, &ignored));
  return wire_.Flush();
}

Status WireOutput::Begin() {
  begun_ = true;
  PT_TRY(wire_.WriteInt(kArrowStream));
  wrapped_ = arrow::schema({arrow::field("_0", arrow::struct_(schema_->fields()))});
  arrow::ipc::IpcPayload payload;
  const arrow::ipc::DictionaryFieldMapper no_dictionaries;
  PT_TRY(arrow::ipc::GetSchemaPayload(*wrapped_, Options(), no_dictionaries, &payload));
  return Put(payload);
}

Status WireOutput::Emit(const arrow::RecordBatch& batch) {
  PT_LET(const auto rows, Conform(batch, schema_, "task \"" + task_ + "\" emitted"));
  // If there are no rows, nothing at all must be sent, so a task's empty batches are dropped.
  if (rows->num_rows() == 0) return Status::OK();
  if (!begun_) PT_TRY(Begin());
  const auto structs = std::make_shared<arrow::StructArray>(wrapped_->field(0)->type(),
                                                            rows->num_rows(), rows->columns());
  const auto wrapped = arrow::RecordBatch::Make(wrapped_, rows->num_rows(), {structs});
  arrow::ipc::IpcPayload payload;
  PT_TRY(arrow::ipc::GetRecordBatchPayload(*wrapped, Options(), &payload));
  return Put(payload);
}

Status WireOutput::Close() {
  if (!std::exchange(begun_, false)) return Status::OK();
  PT_TRY(wire_.Write(kStreamEnd.data(), kStreamEnd.size()));
  return wire_.Flush();
}

}  // namespace protium
