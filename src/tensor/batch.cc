// SPDX-License-Identifier: Apache-2.0
#include "tensor/batch.h"

#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>

namespace protium {

Batch Batch::Slice(int64_t begin, int64_t end) const {
  const at::Tensor block = block_.defined() ? block_.narrow(0, begin, end - begin) : at::Tensor();
  return {schema(), row(begin), end - begin, block};
}

at::Tensor Batch::operator[](std::string_view field) const {
  const RowField* const found = schema().Find(field);
  TORCH_CHECK(found != nullptr, "rows have no field \"", field, "\"");
  const auto type = found->element == RowElement::kInt32 ? at::kInt : at::kFloat;
  if (block_.defined()) {
    return block_.view(type).narrow(1, found->offset / 4, found->elements());
  }
  // Nets do not write into their inputs: LibTorch has no views of what is constant.
  void* const first = const_cast<std::byte*>(row(0) + found->offset);
  return at::from_blob(first, {size(), found->elements()}, {schema().width() / 4, 1}, type);
}

}  // namespace protium
