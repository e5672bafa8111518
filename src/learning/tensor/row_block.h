// SPDX-License-Identifier: Apache-2.0
// Gathers packed rows in memory of the host and copies them in one piece to where a net computes.
// BatchRows have both, since losses read labels and weights on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rows/schema.h"
#include "tensor/batch.h"
#include "tensor/device.h"

namespace protium {

// One thread. Reuses its memory from block to block.
class RowBlock {
 public:
  explicit RowBlock(const ComputeDevice& device) : device_(device) {}

  // Returns memory of the host for `bytes`. It must not be overwritten while a device still reads
  // it: something computed from the last block must have been read back.
  std::byte* Reserve(int64_t bytes);
  // Returns the first `rows` rows of that memory, as a net reads them: a view on the CPU, else a
  // copy in progress. Valid until the next Reserve(). `schema` is borrowed.
  BatchRows Send(const RowSchema& schema, int64_t rows);

 private:
  ComputeDevice device_;
  std::shared_ptr<std::byte> host_;
  std::shared_ptr<std::byte> there_;
  int64_t bytes_ = 0;        // Of host_.
  int64_t there_bytes_ = 0;  // Of there_.
};

}  // namespace protium
