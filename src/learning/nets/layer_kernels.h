// SPDX-License-Identifier: Apache-2.0
// The layers of a net in training, each with its forward and its derivative written out: at a few
// hundred rows a recorded graph costs as much as the arithmetic, and the order of every sum is ours
// (layers.h). Values are [rows, width], one row after another. One thread, but for what products
// share with others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nets/gradient_targets.h"
#include "nets/layers.h"
#include "nets/product.h"
#include "tensor/batch.h"
#include "tensor/values.h"

namespace protium {

// What the layers of one net share.
struct NetMemory {
  explicit NetMemory(int32_t threads) : product(threads) {}

  std::vector<FloatValues> weights;  // Of all layers, in their order.
  std::vector<FloatValues> running;  // Buffers, likewise.
  BatchRows
      rows;  // Of the last Forward(): a view of the caller's rows, which Backward() reads again.
  uint64_t key = 0;  // Of its randomness.
  Product product;
  GradientTargets targets;
};

class LayerKernel {
 public:
  virtual ~LayerKernel() = default;
  // The memory's weights have come, or have moved.
  virtual void Bind() {}
  // The output of the memory's rows, valid until the next call. `in` is that of the layer before
  // it, and may be overwritten; nullptr where the layer reads the rows.
  virtual float* Forward(float* in) = 0;
  // From the derivative by the output of the last Forward(), which layers that neither read rows
  // nor multiply overwrite, that by its input. Gives those by its parameters to the sink.
  virtual float* Backward(float* gradient, const GradientSink& sink) = 0;
};

// Where the first of a layer's parameters and buffers are among all.
struct FirstTensors {
  size_t parameter = 0;
  size_t buffer = 0;
};

// Of kLinear, kDense, kBatchNorm and kRelu. `memory` must outlive it.
std::unique_ptr<LayerKernel> MakeKernel(const Layer& layer, FirstTensors first, NetMemory& memory);
// Of kDense over kEmbed, whose first parameter follows its last.
std::unique_ptr<LayerKernel> MakeInputKernel(const Layer& embed, const Layer& dense,
                                             FirstTensors first, NetMemory& memory);

}  // namespace protium
