// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/wire_input.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "base/fault.h"
#include "column/claims.h"

namespace protium {

namespace {

// A length beyond it means that the stream is misread.
constexpr int64_t kMaxMessage = int64_t{16} << 30;

// Reads exactly the requested bytes, straight into the buffer that a batch will hold. Arrow's own
// buffered streams would read ahead, beyond the end of the IPC stream.
class WireStream : public arrow::io::InputStream {
 public:
  explicit WireStream(ExecutorWire& wire) : wire_(wire) {}

  Status Close() override {
    closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return closed_; }
  Result<int64_t> Tell() const override { return position_; }

  Result<int64_t> Read(int64_t bytes, void* out) override {
    PT_TRY(wire_.Read(out, bytes));
    position_ += bytes;
    return bytes;
  }

  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    if (bytes < 0 || bytes > kMaxMessage) {
      return Status::Invalid("a batch cannot have ", bytes, " bytes");
    }
    PT_LET(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(bytes));
    PT_TRY(Read(bytes, buffer->mutable_data()));
    return buffer;
  }

 private:
  ExecutorWire& wire_;
  int64_t position_ = 0;
  bool closed_ = false;
};

Status NotOurs(const arrow::Schema& schema) {
  return Fail({.exit = Exit::kEnvironment,
               .what = "Spark sent rows that are not one column of structs",
               .why = schema.ToString()});
}

}  // namespace

Result<std::unique_ptr<WireInput>> WireInput::Open(ExecutorWire& wire) {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.use_threads = false;
  PT_LET(std::shared_ptr<arrow::RecordBatchReader> reader,
         arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<WireStream>(wire), options));
  const arrow::Schema& outer = *reader->schema();
  const bool wrapped =
      outer.num_fields() == 1 && outer.field(0)->type()->id() == arrow::Type::STRUCT;
  if (!wrapped) return NotOurs(outer);
  SchemaPtr schema = arrow::schema(outer.field(0)->type()->fields());
  return std::unique_ptr<WireInput>(new WireInput(std::move(reader), std::move(schema)));
}

Result<std::shared_ptr<arrow::RecordBatch>> WireInput::Next() {
  std::shared_ptr<arrow::RecordBatch> batch;
  if (ended_) return batch;
  PT_TRY(reader_->ReadNext(&batch));
  if (!batch) {
    ended_ = true;
    return batch;
  }
  PT_TRY(batch->ValidateFull());
  PT_TRY(CheckClaims(*batch));
  const auto& rows = static_cast<const arrow::StructArray&>(*batch->column(0));
  if (rows.null_count() != 0) return NotOurs(*batch->schema());
  arrow::ArrayVector columns;
  for (int i = 0; i < rows.num_fields(); ++i) columns.push_back(rows.field(i));
  return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
}

Status WireInput::Skip() {
  std::shared_ptr<arrow::RecordBatch> batch;
  while (!ended_) {
    PT_TRY(reader_->ReadNext(&batch));
    ended_ = !batch;
  }
  return Status::OK();
}

}  // namespace protium
