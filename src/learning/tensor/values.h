// SPDX-License-Identifier: Apache-2.0
// Parameters, buffers, outputs and gradients of a net, as training passes them around: memory and
// its shape, whichever library computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace protium {

// Float32 elements in row-major order, borrowed. They lie where the net computes: on a device with
// its own memory this is a device pointer.
struct FloatValues {
  float* data = nullptr;
  std::vector<int64_t> shape;

  int64_t count() const {
    int64_t n = 1;
    for (const int64_t dimension : shape) n *= dimension;
    return n;
  }
  // The elements, if they lie on the host.
  std::span<float> host() const { return {data, size_t(count())}; }
};

}  // namespace protium
