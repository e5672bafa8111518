// SPDX-License-Identifier: Apache-2.0
// Tensors that are borrowed from what training changes (Optimizer::Tensors() and the like), as
// memory to be written.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "format/safetensors.h"

namespace protium {

inline std::span<std::byte> WritableBytes(const NamedTensor& borrowed) {
  return {const_cast<std::byte*>(borrowed.data.data()), borrowed.data.size()};
}

// Copies the file's tensor of that name. Returns false, and changes nothing, if it is missing or of
// another type or shape.
inline bool TakeTensor(const Safetensors& file, const NamedTensor& to) {
  const NamedTensor* const from = file.Find(to.name);
  if (from == nullptr || from->dtype != to.dtype || from->shape != to.shape) return false;
  std::memcpy(WritableBytes(to).data(), from->data.data(), to.data.size());
  return true;
}

}  // namespace protium
