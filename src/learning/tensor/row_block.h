// SPDX-License-Identifier: Apache-2.0
// Packed rows on their way to where a net computes. They are gathered in memory of the host and
// copied over in one piece; BatchRows have both, since losses read labels and weights on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rows/schema.h"
#include "tensor/batch.h"
#include "tensor/device.h"

namespace protium {

// One thread. Keeps its memory from block to block.
class RowBlock {
 public:
  explicit RowBlock(const ComputeDevice& device) : device_(device) {}

  // Memory of the host for so many bytes. What a device is still reading must not be overwritten:
  // something that was computed from the last block must have been read back.
  std::byte* Reserve(int64_t bytes);
  // The first `rows` rows of that memory, as a net reads them: on the CPU itself a view, else a
  // copy that is on its way. Valid until the next Reserve(). `schema` is borrowed.
  BatchRows Send(const RowSchema& schema, int64_t rows);

 private:
  ComputeDevice device_;
  std::shared_ptr<std::byte> host_;
  std::shared_ptr<std::byte> there_;
  int64_t bytes_ = 0;        // Of host_.
  int64_t there_bytes_ = 0;  // Of there_.
};

}  // namespace protium
