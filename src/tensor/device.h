// SPDX-License-Identifier: Apache-2.0
// Where a rank computes: on the CPU, or on a device with memory of its own, which rows, weights and
// outputs' derivatives are copied to and outputs and gradients back from. All that the house knows
// of such copies is in this file; the rest asks for memory and for a copy.
//
// 1. On the CPU itself nothing is copied: both sides are the same memory.
// 2. Copies to a device are ordered with the work that is given to it afterwards; they return at
//    once, so the host must not write the source before it has read something back.
// 3. Copies back wait until the device has computed what they bring.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// A value; copies mean the same device. Calls that make or copy tensors may throw LibTorch's
// exceptions.
class ComputeDevice {
 public:
  // The CPU itself.
  ComputeDevice() = default;
  // The CPU in a device's place: everything takes the way of a device, so that this way can be
  // tried and tested without one.
  static ComputeDevice StandIn();
  // The first GPU that CUDA_VISIBLE_DEVICES shows. Loads LibTorch's CUDA libraries, makes all
  // kernels of this process repeatable and starts CUDA. Faults of Exit::kEnvironment: this LibTorch
  // has no CUDA, the driver is too old for it, there is no such device, or it cannot be used.
  static Result<ComputeDevice> OpenGpu();

  at::Device where() const { return where_; }
  // Whether it has, or pretends to have, memory of its own.
  bool staged() const { return staged_; }
  bool is_gpu() const { return !where_.is_cpu(); }
  // What of it decides bits, as entries of the fingerprint (train/fingerprint.h): kind of device,
  // versions of its libraries.
  const Json& identity() const { return identity_; }
  // Rows of every forward that predicts (tensor/predict.h).
  int64_t predict_rows() const;

  // Memory of the host that a device copies from and to without another copy between: bytes.
  at::Tensor HostBytes(int64_t count) const;
  // Float32 [count], zeros, of the host in the same way.
  at::Tensor HostFloats(int64_t count) const;
  // Float32 [count], zeros, where it computes; a staged device's own.
  at::Tensor DeviceFloats(int64_t count) const;

  // `values` as a tensor of this shape where it computes: a view on the CPU itself, else a copy.
  at::Tensor Send(std::span<const float> values, at::IntArrayRef shape) const;
  // The elements of a contiguous float32 tensor, on the host: those themselves on the CPU itself,
  // else a copy of them in `room`, which grows as needed.
  std::span<const float> Fetch(const at::Tensor& from, at::Tensor& room) const;

 private:
  ComputeDevice(at::Device where, Json identity)
      : where_(where), staged_(true), identity_(std::move(identity)) {}

  at::Device where_ = at::kCPU;
  bool staged_ = false;
  Json identity_ = {{"device", "cpu"}};
};

// Copies between memory of the host and of a device; `to` and `from` have one shape. CopyOver()
// returns at once, CopyBack() when the copy is there.
void CopyOver(const at::Tensor& host, const at::Tensor& device);
void CopyBack(const at::Tensor& device, const at::Tensor& host);

// Holds memory of the host, allocated elsewhere, where a GPU reads and writes it at full speed.
// Other devices need no such thing, and where the system refuses it copies are just slower.
class HeldMemory {
 public:
  HeldMemory(const ComputeDevice& device, std::span<float> memory);
  ~HeldMemory();
  HeldMemory(HeldMemory&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}
  HeldMemory& operator=(HeldMemory&&) = delete;

 private:
  std::span<float> memory_;  // Empty: nothing is held.
};

}  // namespace protium
