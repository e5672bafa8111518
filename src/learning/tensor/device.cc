// SPDX-License-Identifier: Apache-2.0
#include "tensor/device.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace protium {
namespace {

// Every forward that predicts has this many rows, since a net may compute other bits for a row
// among another number of them (tensor/predict.h): changing these numbers changes predictions. For
// a GPU: enough rows to fill it, few enough for nets that widen a row a thousand times.
constexpr int64_t kGpuPredictRows = 4096;
constexpr int64_t kCpuPredictRows = 1024;
constexpr size_t kCacheLine = 64;

std::shared_ptr<std::byte> Allocate(int64_t bytes) {
  constexpr std::align_val_t kAlign{kCacheLine};
  void* const memory = ::operator new(std::max<size_t>(size_t(bytes), 1), kAlign);
  return {static_cast<std::byte*>(memory),
          [](std::byte* each) { ::operator delete(each, kAlign); }};
}

std::shared_ptr<std::byte> Zeros(std::shared_ptr<std::byte> memory, int64_t bytes) {
  std::memset(memory.get(), 0, size_t(bytes));
  return memory;
}

// The same memory, which both pointers own.
std::shared_ptr<float> AsFloats(const std::shared_ptr<std::byte>& memory) {
  return {memory, reinterpret_cast<float*>(memory.get())};
}

// A device whose memory is ordinary memory, separate from the host's, so that a forgotten copy is
// noticed.
class StandInMemory final : public DeviceMemory {
 public:
  bool is_gpu() const override { return false; }
  const Json& identity() const override { return identity_; }
  std::shared_ptr<std::byte> HostBytes(int64_t bytes) override { return Allocate(bytes); }
  std::shared_ptr<std::byte> DeviceBytes(int64_t bytes) override {
    return Zeros(Allocate(bytes), bytes);
  }
  void CopyOver(const void* host, void* device, int64_t bytes) override {
    std::memcpy(device, host, size_t(bytes));
  }
  void CopyBack(const void* device, void* host, int64_t bytes) override {
    std::memcpy(host, device, size_t(bytes));
  }
  void Zero(void* device, int64_t bytes) override { std::memset(device, 0, size_t(bytes)); }
  void Add(const float* from, float* to, int64_t count) override {
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];
  }
  bool Hold(void*, size_t) override { return false; }
  void Release(void*) override {}

 private:
  Json identity_ = {{"device", "cpu in a device's place"}};
};

constexpr int64_t Bytes(int64_t floats) { return floats * int64_t(sizeof(float)); }

}  // namespace

ComputeDevice ComputeDevice::StandIn() { return ComputeDevice(std::make_shared<StandInMemory>()); }

const Json& ComputeDevice::identity() const {
  static const Json cpu = {{"device", "cpu"}};
  return staged() ? device_->identity() : cpu;
}

int64_t ComputeDevice::predict_rows() const { return is_gpu() ? kGpuPredictRows : kCpuPredictRows; }

std::shared_ptr<std::byte> ComputeDevice::HostBytes(int64_t bytes) const {
  return staged() ? device_->HostBytes(bytes) : Allocate(bytes);
}

std::shared_ptr<std::byte> ComputeDevice::DeviceBytes(int64_t bytes) const {
  return staged() ? device_->DeviceBytes(bytes) : Zeros(Allocate(bytes), bytes);
}

std::shared_ptr<float> ComputeDevice::HostFloats(int64_t count) const {
  return AsFloats(Zeros(HostBytes(Bytes(count)), Bytes(count)));
}

std::shared_ptr<float> ComputeDevice::DeviceFloats(int64_t count) const {
  return AsFloats(DeviceBytes(Bytes(count)));
}

std::span<float> ComputeDevice::Reserve(int64_t count, FloatRoom& room) const {
  // Existing values are not copied: they are undefined.
  if (room.count < count) room = {AsFloats(HostBytes(Bytes(count))), count};
  return {room.memory.get(), size_t(count)};
}

void ComputeDevice::CopyOver(const float* host, float* device, int64_t count) const {
  device_->CopyOver(host, device, Bytes(count));
}

void ComputeDevice::CopyBack(const float* device, float* host, int64_t count) const {
  device_->CopyBack(device, host, Bytes(count));
}

void ComputeDevice::Zero(float* device, int64_t count) const {
  device_->Zero(device, Bytes(count));
}

FloatValues ComputeDevice::Send(std::span<float> values, std::vector<int64_t> shape,
                                FloatRoom& room) const {
  if (!staged()) return {values.data(), std::move(shape)};
  const auto count = int64_t(values.size());
  if (room.count < count) room = {DeviceFloats(count), count};
  CopyOver(values.data(), room.memory.get(), count);
  return {room.memory.get(), std::move(shape)};
}

std::span<const float> ComputeDevice::Fetch(const FloatValues& from, FloatRoom& room) const {
  if (!staged()) return from.host();
  const std::span<float> here = Reserve(from.count(), room);
  CopyBack(from.data, here.data(), from.count());
  return here;
}

HeldMemory::HeldMemory(const ComputeDevice& device, std::span<float> memory) : device_(device) {
  if (device.is_gpu() && device.memory()->Hold(memory.data(), memory.size_bytes())) {
    memory_ = memory;
  }
}

HeldMemory::~HeldMemory() {
  if (!memory_.empty()) device_.memory()->Release(memory_.data());
}

}  // namespace protium
