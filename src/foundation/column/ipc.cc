// SPDX-License-Identifier: Apache-2.0
#include "column/ipc.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/api.h>
#include <arrow/memory_pool.h>

#include "column/claims.h"

namespace protium {

namespace {

// The processes of a run send buffers that are aligned and not compressed, so that nothing has to
// be allocated for them; a damaged message could request any amount.
arrow::MemoryPool* NoMemory() {
  static arrow::CappedMemoryPool pool(arrow::default_memory_pool(), 0);
  return &pool;
}

}  // namespace

Result<std::shared_ptr<arrow::Buffer>> SchemaToIpc(const arrow::Schema& schema) {
  return arrow::ipc::SerializeSchema(schema);
}

Result<std::shared_ptr<arrow::Schema>> SchemaFromIpc(std::shared_ptr<arrow::Buffer> buffer) {
  arrow::io::BufferReader reader(std::move(buffer));
  arrow::ipc::DictionaryMemo memo;
  return arrow::ipc::ReadSchema(&reader, &memo);
}

Result<std::shared_ptr<arrow::RecordBatch>> BatchFromIpc(
    std::shared_ptr<arrow::Buffer> buffer, const std::shared_ptr<arrow::Schema>& schema) {
  arrow::io::BufferReader reader(std::move(buffer));
  const arrow::ipc::DictionaryMemo memo;
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.use_threads = false;
  options.memory_pool = NoMemory();
  // Numbers may be unaligned, and must not be read so.
  options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
  PT_LET(auto batch, arrow::ipc::ReadRecordBatch(schema, &memo, options, &reader));
  PT_TRY(batch->ValidateFull());
  PT_TRY(CheckClaims(*batch));
  return batch;
}

}  // namespace protium
