// SPDX-License-Identifier: Apache-2.0
#include "deep/batch.h"

#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>

namespace protium {

at::Tensor Batch::operator[](std::string_view field) const {
  const RowField* const found = schema().Find(field);
  TORCH_CHECK(found != nullptr, "rows have no field \"", field, "\"");
  const auto type = found->element == RowElement::kInt32 ? at::kInt : at::kFloat;
  // LibTorch has no views of constant memory, but nets do not write to their inputs.
  void* const first =
      const_cast<std::byte*>((there() != nullptr ? there() : row(0)) + found->offset);
  return at::for_blob(first, {size(), found->elements()})
      .strides({schema().width() / 4, 1})
      .options(at::TensorOptions(type).device(device_))
      .target_device(device_)
      .make_tensor();
}

}  // namespace protium
