// SPDX-License-Identifier: Apache-2.0
// The memory that a net learns in: laid out once, so that gradients, optimisers, checkpoints and
// ranks all mean the same floats by the same offsets.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"
#include "tensor/net.h"

namespace protium {

// A buffer of a net among all of them.
struct BufferPart {
  std::string name;
  int64_t offset = 0;  // In floats.
  int64_t count = 0;
  bool whole = false;
};

// The parameters of a net in one piece of memory, each starting at a multiple of 16 floats (zeros
// between), and its buffers in another. Owns the memory; the net works in it.
class Weights {
 public:
  static Result<std::unique_ptr<Weights>> Make(Net& net);

  struct Part {
    int64_t offset = 0;  // In floats.
    int64_t count = 0;
  };
  const std::vector<Part>& parts() const { return parts_; }  // One a parameter.
  int64_t size() const { return size_; }                     // Floats, padding included.
  std::span<float> parameters() { return parameters_; }
  std::span<float> buffers() { return buffers_; }
  const std::vector<BufferPart>& buffer_parts() const { return buffer_parts_; }

  // One tensor a parameter over `size()` floats of the same layout.
  std::vector<at::Tensor> Views(float* base) const;

  // Parameters and buffers as they are now, borrowed.
  std::vector<NamedTensor> Tensors() const;
  // Refuses files with other names, shapes or types, naming the first that differs.
  Status Load(const Safetensors& file, const std::string& where);
  // Equal exactly when all bits of parameters and buffers are, for all practical purposes.
  std::string Hash() const;

 private:
  std::vector<Variable> variables_;  // Parameters, then buffers.
  std::vector<Part> parts_;
  std::vector<BufferPart> buffer_parts_;
  int64_t size_ = 0;
  at::Tensor memory_;
  at::Tensor buffer_memory_;
  std::span<float> parameters_;
  std::span<float> buffers_;
};

}  // namespace protium
