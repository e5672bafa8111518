// SPDX-License-Identifier: Apache-2.0
// The layers of a net in training, each with handwritten forward and backward passes: for a few
// hundred rows a recorded graph costs as much as the arithmetic, and we determine the order of
// every sum (layers.h). Values are [rows, width], row by row. One thread, apart from the threads of
// products.
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

// The data that the layers of one net share.
struct NetMemory {
  explicit NetMemory(int32_t threads) : product(threads) {}

  std::vector<FloatValues> weights;  // Parameters of all layers, in their order.
  std::vector<FloatValues> running;  // Buffers, likewise.
  std::vector<bool> frozen;          // By buffer: a statistic that stays as it is. Empty: none is.
  BatchRows
      rows;  // Of the last Forward(): a view of the caller's rows, which Backward() reads again.
  uint64_t key = 0;  // Key of its randomness.
  Product product;
  GradientTargets targets;
};

class LayerKernel {
 public:
  virtual ~LayerKernel() = default;
  // Called when the weights in the memory are set or have moved.
  virtual void Bind() {}
  // Returns the output for the memory's rows, valid until the next call. `in` is the output of the
  // previous layer, which may be overwritten; nullptr if the layer reads the rows.
  virtual float* Forward(float* in) = 0;
  // Turns the derivative by the output of the last Forward() into the derivative by its input;
  // layers that neither read rows nor multiply overwrite it. Writes the derivatives by parameters
  // to the sink.
  virtual float* Backward(float* gradient, const GradientSink& sink) = 0;
};

// Positions of a layer's first parameter and buffer among all.
struct FirstTensors {
  size_t parameter = 0;
  size_t buffer = 0;
};

// For all kinds that compute by themselves: not kEmbed, nor kSum. `memory` must outlive it.
std::unique_ptr<LayerKernel> MakeKernel(const Layer& layer, FirstTensors first, NetMemory& memory);
// For kDense and kPairs over kEmbed; its first parameter follows the last of kEmbed.
std::unique_ptr<LayerKernel> MakeInputKernel(const Layer& embed, const Layer& next,
                                             FirstTensors first, NetMemory& memory);

}  // namespace protium
