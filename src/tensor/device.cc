// SPDX-License-Identifier: Apache-2.0
#include "tensor/device.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <utility>

#include "tensor/cuda.h"

namespace protium {
namespace {

// Of a GPU: enough rows to fill it, few enough for nets that widen a row a thousand times.
constexpr int64_t kGpuPredictRows = 4096;
constexpr int64_t kCpuPredictRows = 1024;

// Pinned: the device's copy engine reads and writes it without the CPU.
at::TensorOptions OnHost(const ComputeDevice& device, at::ScalarType type) {
  return at::TensorOptions(type).pinned_memory(device.is_gpu());
}

}  // namespace

ComputeDevice ComputeDevice::StandIn() {
  return {at::Device(at::kCPU), {{"device", "cpu in a device's place"}}};
}

Result<ComputeDevice> ComputeDevice::OpenGpu() {
  PT_LET(Json identity, StartCuda());
  return ComputeDevice(at::Device(at::kCUDA, 0), std::move(identity));
}

int64_t ComputeDevice::predict_rows() const { return is_gpu() ? kGpuPredictRows : kCpuPredictRows; }

at::Tensor ComputeDevice::HostBytes(int64_t count) const {
  return at::empty({count}, OnHost(*this, at::kByte));
}

at::Tensor ComputeDevice::HostFloats(int64_t count) const {
  return at::zeros({count}, OnHost(*this, at::kFloat));
}

at::Tensor ComputeDevice::DeviceFloats(int64_t count) const {
  return at::zeros({count}, at::TensorOptions(at::kFloat).device(where_));
}

at::Tensor ComputeDevice::Send(std::span<const float> values, at::IntArrayRef shape) const {
  // LibTorch has no views of what is constant; nobody writes to this one.
  const at::Tensor here = at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat);
  if (!staged_) return here;
  at::Tensor there = at::empty(shape, at::TensorOptions(at::kFloat).device(where_));
  CopyOver(here, there);
  return there;
}

std::span<const float> ComputeDevice::Fetch(const at::Tensor& from, at::Tensor& room) const {
  const auto count = size_t(from.numel());
  if (!staged_) return {from.const_data_ptr<float>(), count};
  if (!room.defined() || room.numel() < from.numel()) room = HostFloats(from.numel());
  CopyBack(from.flatten(), room.narrow(0, 0, from.numel()));
  return {room.const_data_ptr<float>(), count};
}

void CopyOver(const at::Tensor& host, const at::Tensor& device) {
  device.copy_(host, /*non_blocking=*/true);
}

void CopyBack(const at::Tensor& device, const at::Tensor& host) { host.copy_(device); }

HeldMemory::HeldMemory(const ComputeDevice& device, std::span<float> memory) {
  if (device.is_gpu() && HoldForCuda(memory.data(), memory.size_bytes())) memory_ = memory;
}

HeldMemory::~HeldMemory() {
  if (!memory_.empty()) ReleaseFromCuda(memory_.data());
}

}  // namespace protium
