// SPDX-License-Identifier: Apache-2.0
// Batches between two processes: written once into shared memory, read where they lie.
//
// 1. A slot is memory of the writer's that holds one batch as an Arrow IPC message.
// 2. A slot is written only while it is free: from its making or from Free() on.
// 3. At most kWindow written batches are not taken yet; taken ones do not count, so a reader may
// keep
//    as many as it likes.
#pragma once

#include <arrow/buffer.h>
#include <arrow/record_batch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "column/source.h"
#include "os/memfd.h"

namespace protium {

struct WrittenBatch {
  int32_t slot = 0;
  int64_t bytes = 0;
  UniqueFd memory;  // Set when the slot's memory is new to the reader.
};

// Write() and HasRoom() from one thread, the others from any.
class SlotWriter {
 public:
  bool HasRoom() const;
  // Writes into a free slot. HasRoom() is the caller's to ask.
  Result<WrittenBatch> Write(const arrow::RecordBatch& batch);
  void Taken();
  void Free(int64_t slot);

 private:
  struct Slot {
    Mapping memory;
    bool busy = true;
  };
  int32_t PickSlot(int64_t bytes);

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  int32_t not_taken_ = 0;
};

// One thread; `free` is called with a slot's number from whichever thread drops the last reference
// to its batch, also after the reader's own end.
class SlotReader {
 public:
  SlotReader(SchemaPtr schema, std::function<void(int32_t)> free);
  // `memory` is set when the slot is new or has new memory. What it holds is validated.
  Result<std::shared_ptr<arrow::RecordBatch>> Read(int64_t slot, int64_t bytes, UniqueFd memory);
  const SchemaPtr& schema() const { return schema_; }

 private:
  SchemaPtr schema_;
  std::shared_ptr<const std::function<void(int32_t)>> free_;
  std::vector<std::shared_ptr<Mapping>> slots_;
};

}  // namespace protium
