// SPDX-License-Identifier: Apache-2.0
#include "workers/slots.h"

#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/fault.h"
#include "column/ipc.h"
#include "workers/protocol.h"

namespace protium {

namespace {

// A memfd's untouched pages cost nothing, so a slot is made large enough for most batches at once.
constexpr int64_t kLeastSlotBytes = int64_t{4} << 20;
// Limits on what the other side may claim.
constexpr int64_t kMostSlotBytes = int64_t{64} << 30;
constexpr int64_t kMostSlots = 1 << 16;

// The memory of a slot, as a buffer that gives the slot back when nothing refers to it any more.
class Borrowed : public arrow::Buffer {
 public:
  Borrowed(std::shared_ptr<Mapping> memory, int64_t bytes, int32_t slot,
           std::shared_ptr<const std::function<void(int32_t)>> free)
      : arrow::Buffer(reinterpret_cast<const uint8_t*>(memory->data()), bytes),
        memory_(std::move(memory)),
        slot_(slot),
        free_(std::move(free)) {}
  ~Borrowed() override { (*free_)(slot_); }

 private:
  std::shared_ptr<Mapping> memory_;
  int32_t slot_;
  std::shared_ptr<const std::function<void(int32_t)>> free_;
};

arrow::ipc::IpcWriteOptions WriteOptions() {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  // Buffers of the batch are then aligned in place, as Arrow recommends.
  options.alignment = 64;
  options.use_threads = false;
  return options;
}

}  // namespace

bool SlotWriter::HasRoom() const {
  std::lock_guard lock(mutex_);
  return not_taken_ < kWindow;
}

// Returns a free slot that is large enough, else any free one (it gets new memory), else a new one.
// The slot is busy from here on.
int32_t SlotWriter::PickSlot(int64_t bytes) {
  std::lock_guard lock(mutex_);
  int32_t picked = -1;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i]->busy) continue;
    picked = static_cast<int32_t>(i);
    if (slots_[i]->memory.size() >= bytes) break;
  }
  if (picked < 0) {
    picked = static_cast<int32_t>(slots_.size());
    slots_.push_back(std::make_unique<Slot>());
  }
  slots_[picked]->busy = true;
  ++not_taken_;
  return picked;
}

Result<WrittenBatch> SlotWriter::Write(const arrow::RecordBatch& batch) {
  WrittenBatch written;
  PT_TRY(arrow::ipc::GetRecordBatchSize(batch, WriteOptions(), &written.bytes));
  written.slot = PickSlot(written.bytes);
  Slot* slot;
  {
    std::lock_guard lock(mutex_);
    slot = slots_[written.slot].get();
  }
  // A free slot is one that the reader holds no batch of, so its memory can be replaced.
  if (slot->memory.size() < written.bytes) {
    const uint64_t want = std::max(kLeastSlotBytes, written.bytes);
    PT_LET(Memfd memory, Memfd::Make("protium-slot", static_cast<int64_t>(std::bit_ceil(want))));
    PT_LET(slot->memory, memory.Map());
    written.memory = memory.Take();
  }
  auto target = std::make_shared<arrow::MutableBuffer>(
      reinterpret_cast<uint8_t*>(slot->memory.data()), slot->memory.size());
  arrow::io::FixedSizeBufferWriter out(std::move(target));
  int32_t metadata_bytes = 0;
  int64_t body_bytes = 0;
  PT_TRY(
      arrow::ipc::WriteRecordBatch(batch, 0, &out, &metadata_bytes, &body_bytes, WriteOptions()));
  return written;
}

void SlotWriter::Taken() {
  std::lock_guard lock(mutex_);
  --not_taken_;
}

void SlotWriter::Free(int64_t slot) {
  std::lock_guard lock(mutex_);
  if (slot >= 0 && slot < static_cast<int64_t>(slots_.size())) slots_[slot]->busy = false;
}

SlotReader::SlotReader(SchemaPtr schema, std::function<void(int32_t)> free)
    : schema_(std::move(schema)),
      free_(std::make_shared<const std::function<void(int32_t)>>(std::move(free))) {}

Result<std::shared_ptr<arrow::RecordBatch>> SlotReader::Read(int64_t slot, int64_t bytes,
                                                             UniqueFd memory) {
  if (slot < 0 || slot >= kMostSlots) return Status::Invalid("there is no slot ", slot);
  if (memory) {
    if (slot >= static_cast<int64_t>(slots_.size())) slots_.resize(slot + 1);
    PT_LET(const Memfd adopted, Memfd::Adopt(std::move(memory), kMostSlotBytes));
    PT_LET(Mapping mapping, adopted.Map());
    slots_[slot] = std::make_shared<Mapping>(std::move(mapping));
  }
  const bool there = slot < static_cast<int64_t>(slots_.size()) && slots_[slot];
  if (!there || bytes < 0 || bytes > slots_[slot]->size()) {
    return Status::Invalid("slot ", slot, " holds no batch of ", bytes, " bytes");
  }
  auto buffer = std::make_shared<Borrowed>(slots_[slot], bytes, static_cast<int32_t>(slot), free_);
  return BatchFromIpc(std::move(buffer), schema_);
}

}  // namespace protium
