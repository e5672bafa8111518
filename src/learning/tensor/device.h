// SPDX-License-Identifier: Apache-2.0
// Where a rank computes: on the CPU, or on a device with its own memory. Rows, weights and
// derivatives of outputs are copied to a device, outputs and gradients back from it. Protium only
// asks for memory and copies; how they are made is up to the device.
//
// 1. On the CPU nothing is copied: both sides are the same memory.
// 2. Copies to a device are ordered with the work it is given afterwards; they return at once, so
//    the host must not write the source before it has read something back.
// 3. Copies back wait until the device has computed what they copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tensor/values.h"

namespace protium {

// A device and its memory. Sizes are in bytes; calls may throw whatever Guard() (tensor/guard.h)
// turns into a Status. One thread at a time.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual bool is_gpu() const = 0;
  // The properties of the device that decide bits, as entries of the fingerprint
  // (train/fingerprint.h): kind of device, versions of its libraries.
  virtual const Json& identity() const = 0;
  // Memory of the host that the device copies from and to without an intermediate copy.
  virtual std::shared_ptr<std::byte> HostBytes(int64_t bytes) = 0;
  // Memory of the device, zeroed.
  virtual std::shared_ptr<std::byte> DeviceBytes(int64_t bytes) = 0;
  virtual void CopyOver(const void* host, void* device, int64_t bytes) = 0;
  virtual void CopyBack(const void* device, void* host, int64_t bytes) = 0;
  virtual void Zero(void* device, int64_t bytes) = 0;
  // to[i] += from[i], both on the device.
  virtual void Add(const float* from, float* to, int64_t count) = 0;
  // Pins memory of the host, allocated elsewhere, where it reads and writes it at full speed; false
  // if that is refused.
  virtual bool Hold(void* memory, size_t bytes) = 0;
  virtual void Release(void* memory) = 0;
};

// Floats that grow as needed; memory is reused.
struct FloatRoom {
  std::shared_ptr<float> memory;
  int64_t count = 0;
};

// A value; copies mean the same device.
class ComputeDevice {
 public:
  // The CPU.
  ComputeDevice() = default;
  explicit ComputeDevice(std::shared_ptr<DeviceMemory> device) : device_(std::move(device)) {}
  // The CPU in a device's place: everything is done as for a device, so that this can be tried and
  // tested without one.
  static ComputeDevice StandIn();

  // Whether it has, or pretends to have, its own memory.
  bool staged() const { return device_ != nullptr; }
  bool is_gpu() const { return staged() && device_->is_gpu(); }
  const Json& identity() const;
  // Rows of every forward that predicts (tensor/predict.h).
  int64_t predict_rows() const;

  // As DeviceMemory::HostBytes(); on the CPU ordinary memory.
  std::shared_ptr<std::byte> HostBytes(int64_t bytes) const;
  std::shared_ptr<std::byte> DeviceBytes(int64_t bytes) const;
  // `count` zeros on the host, allocated likewise, and where it computes.
  std::shared_ptr<float> HostFloats(int64_t count) const;
  std::shared_ptr<float> DeviceFloats(int64_t count) const;
  // At least `count` floats on the host, with undefined values.
  std::span<float> Reserve(int64_t count, FloatRoom& room) const;

  // For staged devices only; counts are in floats.
  void CopyOver(const float* host, float* device, int64_t count) const;
  void CopyBack(const float* device, float* host, int64_t count) const;
  void Zero(float* device, int64_t count) const;
  void Add(const float* from, float* to, int64_t count) const { device_->Add(from, to, count); }

  // Returns `values` in this shape where it computes: the same memory on the CPU, else a copy in
  // `room`.
  FloatValues Send(std::span<float> values, std::vector<int64_t> shape, FloatRoom& room) const;
  // Returns the elements on the host: the same memory on the CPU, else a copy in `room`.
  std::span<const float> Fetch(const FloatValues& from, FloatRoom& room) const;

  DeviceMemory* memory() const { return device_.get(); }

 private:
  std::shared_ptr<DeviceMemory> device_;
};

// Pins memory of the host, allocated elsewhere, so that a device reads and writes it at full speed;
// if the system refuses, copies are just slower.
class HeldMemory {
 public:
  HeldMemory(const ComputeDevice& device, std::span<float> memory);
  ~HeldMemory();
  HeldMemory(HeldMemory&& other) noexcept
      : device_(other.device_), memory_(std::exchange(other.memory_, {})) {}
  HeldMemory& operator=(HeldMemory&&) = delete;

 private:
  ComputeDevice device_;
  std::span<float> memory_;  // Empty: nothing is pinned.
};

}  // namespace protium
