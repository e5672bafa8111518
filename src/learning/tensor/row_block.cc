// SPDX-License-Identifier: Apache-2.0
#include "tensor/row_block.h"

namespace protium {

std::byte* RowBlock::Reserve(int64_t bytes) {
  // It never shrinks: otherwise a short last step would reallocate it in every epoch.
  if (host_ == nullptr || bytes_ < bytes) {
    host_ = device_.HostBytes(bytes);
    bytes_ = bytes;
  }
  return host_.get();
}

BatchRows RowBlock::Send(const RowSchema& schema, int64_t rows) {
  const int64_t bytes = rows * schema.width();
  if (!device_.staged()) return {schema, host_.get(), rows};
  if (there_ == nullptr || there_bytes_ < bytes) {
    there_ = device_.DeviceBytes(bytes_);
    there_bytes_ = bytes_;
  }
  device_.memory()->CopyOver(host_.get(), there_.get(), bytes);
  return {schema, host_.get(), rows, there_.get()};
}

}  // namespace protium
