// SPDX-License-Identifier: Apache-2.0
// Batches between two processes: written once into shared memory, read in place.
//
// 1. A slot is memory of the writer's that holds one batch as an Arrow IPC message.
// 2. The writer writes into a slot only while it is free: when it is new, and after Free().
// 3. At most kWindow written batches are not taken yet. Taken ones do not count, so a reader may
//    hold as many as it likes; the writer then makes more slots.
// 4. Messages contain only numbers and lengths, and a slot's memory once, as a descriptor.
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

// What the reader must know.
struct WrittenBatch {
  int32_t slot = 0;
  int64_t bytes = 0;
  UniqueFd memory;  // Set if the slot's memory is new to the reader.
};

// The writing side. Write() and HasRoom() from one thread, the others from any.
class SlotWriter {
 public:
  // Whether fewer than kWindow batches are not taken.
  bool HasRoom() const;
  // Writes into a free slot, or into a new one. Call it only if HasRoom().
  Result<WrittenBatch> Write(const arrow::RecordBatch& batch);
  // The reader took a batch, or does not need a slot any more. Ignores slots that do not exist.
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

// The reading side. One thread; but `free` is called with a slot's number from whichever thread
// drops the last reference to its batch, even after the reader was destroyed.
class SlotReader {
 public:
  SlotReader(SchemaPtr schema, std::function<void(int32_t)> free);
  // Returns the batch in the slot, which is borrowed until its last reference is dropped. `memory`
  // is set if the slot is new or has new memory. Validates everything: numbers, lengths, and the
  // batch itself.
  Result<std::shared_ptr<arrow::RecordBatch>> Read(int64_t slot, int64_t bytes, UniqueFd memory);
  const SchemaPtr& schema() const { return schema_; }

 private:
  SchemaPtr schema_;
  std::shared_ptr<const std::function<void(int32_t)>> free_;
  std::vector<std::shared_ptr<Mapping>> slots_;
};

}  // namespace protium
