// SPDX-License-Identifier: Apache-2.0
// Nets whose backward LibTorch derives from its recording of the forward (autograd): modules of a
// program's own and TorchScript files. The contract of exact training (docs/rows.md) holds for
// them, because
//
// 1. a shard's forward draws from LibTorch's generator, which is seeded with the shard's key of
//    that step;
// 2. parameters and buffers lie in the memory that training adds up, in the order of registration;
// 3. buffers of all shards are combined as train/buffer_sums.h says, like those of the nets with
//    kernels of their own;
// 4. autocast to bfloat16, where it is asked for, is on in training forwards and nowhere else;
// 5. on a device the net's tensors are moved there as they are bound; new ones it draws on the CPU,
//    so that training starts from the same weights everywhere;
// 6. a forward that writes to what shards or rows share is caught by LibTorch's version counters.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "deep/batch.h"
#include "tensor/net.h"

namespace protium {

// One net as its maker built it: its tensors by name, each once, and the function that computes
// from them.
struct Recorded {
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  std::vector<std::pair<std::string, at::Tensor>> buffers;
  std::function<at::Tensor(const Batch& rows)> forward;  // [rows, outputs], or [rows] of one.
  std::function<void(bool training)> train;              // Switches dropout and batch norm.
  bool normalises_batches = false;                       // It needs two rows to train on.
  // Sets the tensors, as they were made, to where training starts; empty: they are there already.
  std::function<void(uint64_t key)> initialise;
};

// Makes the net from scratch, with parameters drawn from LibTorch's default generator. May throw.
// Called again for every Initialise(), so it must register the same tensors in the same order each
// time.
using RecordedMaker = std::function<Recorded()>;

// Makes one net to learn its tensors. Refuses (exit code of usage) a net without parameters,
// parameters that are not dense float32, and buffers that are neither float32 nor whole numbers up
// to kMostWhole. A forward that writes to a parameter, or to a buffer while it predicts, throws;
// callers of Net catch that.
Result<std::unique_ptr<Net>> MakeRecordedNet(RecordedMaker make, const NetInputs& inputs);

}  // namespace protium
