// SPDX-License-Identifier: Apache-2.0
// Nets whose backward pass LibTorch derives by recording the forward pass (autograd): a program's
// own modules and TorchScript files. They fulfil the contract of exact training (docs/rows.md),
// because
//
// 1. a shard's forward pass draws from LibTorch's generator, which is seeded with the shard's key
//    for that step;
// 2. parameters and buffers are in the memory that training sums over, in the order of
//    registration;
// 3. buffers of all shards are combined as train/buffer_sums.h says, like those of the nets with
//    our own kernels;
// 4. autocast to bfloat16, if requested, is on only in forward passes of training;
// 5. for a device the net's tensors are moved there when they are bound, but first weights are
//    drawn on the CPU, so that training starts from the same weights everywhere;
// 6. LibTorch's version counters detect a forward pass that writes to memory shared by shards or
//    rows.
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

// One net as its maker built it: its tensors by name, each once, and the function that uses them.
struct Recorded {
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  std::vector<std::pair<std::string, at::Tensor>> buffers;
  std::function<at::Tensor(const Batch& rows)> forward;  // [rows, outputs], or [rows] if one.
  std::function<void(bool training)> train;              // Switches dropout and batch norm.
  bool normalises_batches = false;                       // It needs two rows to train on.
  // After train(true): makes the batch norms whose buffers are `frozen`, by their position, use
  // these and leave them (NormalisingNet).
  std::function<void(const std::vector<bool>& frozen)> freeze;
  int64_t members = 1;  // Net::members().
  // Sets the new tensors to the values that training starts from; empty: they already have them.
  std::function<void(uint64_t key)> initialise;
};

// Makes the net from scratch, with parameters drawn from LibTorch's default generator. May throw.
// Called again for every Initialise(), so it must register the same tensors in the same order each
// time.
using RecordedMaker = std::function<Recorded()>;

// Makes one net to find out its tensors. Refuses (Exit::kUsage) a net without parameters,
// parameters that are not dense float32, and buffers that are neither float32 nor whole numbers up
// to kMostWhole. A forward pass that writes to a parameter, or to a buffer during prediction,
// throws; callers of Net catch that.
Result<std::unique_ptr<Net>> MakeRecordedNet(RecordedMaker make, const NetInputs& inputs);

}  // namespace protium
