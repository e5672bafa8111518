// SPDX-License-Identifier: Apache-2.0
// Nets whose backward LibTorch finds out by itself, from what it recorded of the forward: modules
// of a program's own and TorchScript files. The contract of exact training (docs/rows.md) holds for
// them, because
//
// 1. a shard's forward draws from LibTorch's generator, seeded with the shard's key of that step;
// 2. parameters and buffers lie in the memory that training adds up, in the order of registration;
// 3. buffers of all shards are combined as train/buffer_sums.h says, as the kernels' own are.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensor/net.h"

namespace protium {

// One made net: its tensors by name, each once, and what it computes from them.
struct Recorded {
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  std::vector<std::pair<std::string, at::Tensor>> buffers;
  std::function<at::Tensor(const Batch& rows)> forward;  // [rows, outputs], or [rows] of one.
  std::function<void(bool training)> train;              // Switches dropout and batch norm.
  bool normalises_batches = false;                       // It needs two rows to train on.
};

// Makes the net anew, its parameters drawn from LibTorch's generator. May throw.
using RecordedMaker = std::function<Recorded()>;

// Refuses a net without parameters, parameters that are not dense float32, and buffers that are
// neither float32 nor whole numbers up to kMostWhole. A forward that writes to a parameter, or to a
// buffer while it predicts, throws.
Result<std::unique_ptr<Net>> MakeRecordedNet(RecordedMaker make, int64_t outputs);

}  // namespace protium
