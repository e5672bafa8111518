// SPDX-License-Identifier: Apache-2.0
#include "deep/cuda_device.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <memory>
#include <utility>

#include "deep/cuda.h"
#include "deep/float_tensor.h"
#include "deep/torch_wall.h"

namespace protium {
namespace {

const at::Device kFirst(at::kCUDA, 0);

// The tensor's memory, which holds the tensor as long as it is in use.
std::shared_ptr<std::byte> MemoryOf(const at::Tensor& tensor) {
  const auto kept = std::make_shared<at::Tensor>(tensor);
  return {kept, static_cast<std::byte*>(tensor.data_ptr())};
}

at::Tensor Bytes(const void* memory, int64_t bytes, at::Device device) {
  return at::for_blob(const_cast<void*>(memory), {bytes})
      .options(at::TensorOptions(at::kByte).device(device))
      .target_device(device)
      .make_tensor();
}

class CudaMemory final : public DeviceMemory {
 public:
  explicit CudaMemory(Json identity) : identity_(std::move(identity)) {}
  bool is_gpu() const override { return true; }
  const Json& identity() const override { return identity_; }
  // Pinned memory: the device's copy engine reads and writes it without the CPU.
  std::shared_ptr<std::byte> HostBytes(int64_t bytes) override {
    return Translated([&] {
      return MemoryOf(at::empty({bytes}, at::TensorOptions(at::kByte).pinned_memory(true)));
    });
  }
  std::shared_ptr<std::byte> DeviceBytes(int64_t bytes) override {
    return Translated(
        [&] { return MemoryOf(at::zeros({bytes}, at::TensorOptions(at::kByte).device(kFirst))); });
  }
  void CopyOver(const void* host, void* device, int64_t bytes) override {
    Translated([&] {
      // CUDA recognises pinned memory by its address, whatever tensor refers to it.
      Bytes(device, bytes, kFirst).copy_(Bytes(host, bytes, at::kCPU), /*non_blocking=*/true);
    });
  }
  void CopyBack(const void* device, void* host, int64_t bytes) override {
    Translated([&] { Bytes(host, bytes, at::kCPU).copy_(Bytes(device, bytes, kFirst)); });
  }
  void Zero(void* device, int64_t bytes) override {
    Translated([&] { Bytes(device, bytes, kFirst).zero_(); });
  }
  void Add(const float* from, float* to, int64_t count) override {
    Translated([&] {
      TensorOf({to, {count}}, kFirst).add_(TensorOf({const_cast<float*>(from), {count}}, kFirst));
    });
  }
  bool Hold(void* memory, size_t bytes) override { return HoldForCuda(memory, bytes); }
  void Release(void* memory) override { ReleaseFromCuda(memory); }

 private:
  Json identity_;
};

}  // namespace

Result<ComputeDevice> OpenGpu() {
  PT_LET(Json identity, StartCuda());
  return ComputeDevice(std::make_shared<CudaMemory>(std::move(identity)));
}

}  // namespace protium
