// SPDX-License-Identifier: Apache-2.0
#include "tensor/batch.h"

#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>

namespace protium {

at::Tensor Batch::operator[](std::string_view field) const {
  const RowField* const found = schema_->Find(field);
  TORCH_CHECK(found != nullptr, "rows have no field \"", field, "\"");
  // Nets do not write into their inputs: LibTorch has no views of what is constant.
  void* const first = const_cast<std::byte*>(rows_ + found->offset);
  return at::from_blob(first, {size_, found->elements()}, {schema_->width() / 4, 1},
                       found->element == RowElement::kInt32 ? at::kInt : at::kFloat);
}

}  // namespace protium
