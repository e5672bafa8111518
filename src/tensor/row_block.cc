// SPDX-License-Identifier: Apache-2.0
#include "tensor/row_block.h"

#include <ATen/ops/empty.h>

namespace protium {

std::byte* RowBlock::Reserve(int64_t bytes) {
  // Never smaller: a short last step would otherwise make it anew in every epoch.
  if (!host_.defined() || host_.numel() < bytes) host_ = device_.HostBytes(bytes);
  return static_cast<std::byte*>(host_.data_ptr());
}

Batch RowBlock::Send(const RowSchema& schema, int64_t rows) {
  const int64_t bytes = rows * schema.width();
  if (!device_.staged()) return {schema, host_.const_data_ptr(), rows};
  if (!there_.defined() || there_.numel() < bytes) {
    there_ = at::empty({host_.numel()}, at::TensorOptions(at::kByte).device(device_.where()));
  }
  const at::Tensor block = there_.narrow(0, 0, bytes);
  CopyOver(host_.narrow(0, 0, bytes), block);
  return {schema, host_.const_data_ptr(), rows, block.view({rows, schema.width()})};
}

}  // namespace protium
