// SPDX-License-Identifier: Apache-2.0
#include "tensor/weights.h"

// The hash is compiled into this file; its library is not linked.
#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/fault.h"
#include "base/unknown_name.h"
#include "tensor/guard.h"

namespace protium {
namespace {

// 64 bytes: a cache line.
constexpr int64_t kAlignFloats = 16;

int64_t Padded(int64_t floats) { return (floats + kAlignFloats - 1) / kAlignFloats * kAlignFloats; }

std::span<std::byte> AsBytes(float* data, int64_t count) {
  return std::as_writable_bytes(std::span(data, size_t(count)));
}

Status Foreign(const std::string& where, std::string why) {
  return Fail({.exit = Exit::kInput,
               .what = "weights do not fit the net: " + where,
               .where = where,
               .why = std::move(why)});
}

}  // namespace

// Declared in tensor/net.h.
Result<std::unique_ptr<Net>> BuildNet(const NetTable& table, const std::string& name,
                                      const Json& options, const NetInputs& inputs) {
  const auto found = table.find(name);
  if (found != table.end()) {
    return Guard("building net " + name, [&] { return found->second(options, inputs); });
  }
  std::vector<std::string> known;
  for (const auto& [each, builder] : table) known.push_back(each);
  return UnknownName("net", name, known, "net");
}

int64_t Weights::SizeOf(const Net& net) {
  int64_t size = 0;
  for (const Variable& each : net.parameters()) size += Padded(each.count());
  return size;
}

Result<std::unique_ptr<Weights>> Weights::Make(Net& net, const ComputeDevice& device) {
  return Lay(net, device, nullptr);
}

Result<std::unique_ptr<Weights>> Weights::MakeIn(std::shared_ptr<float> memory, Net& net) {
  return Lay(net, {}, std::move(memory));
}

Result<std::unique_ptr<Weights>> Weights::Lay(Net& net, const ComputeDevice& device,
                                              std::shared_ptr<float> memory) {
  auto out = std::make_unique<Weights>();
  out->device_ = device;
  out->constants_ = net.constants();
  for (const Variable& variable : net.parameters()) {
    out->variables_.push_back(variable);
    out->parts_.push_back({out->size_, variable.count()});
    out->size_ += Padded(variable.count());
  }
  int64_t buffer_floats = 0;
  for (const Variable& variable : net.buffers()) {
    out->variables_.push_back(variable);
    out->buffer_parts_.push_back({variable.name, buffer_floats, variable.count(), variable.whole});
    buffer_floats += variable.count();
  }
  PT_TRY(Guard("making room for weights", [&] {
    out->memory_ = memory ? std::move(memory) : device.HostFloats(out->size_);
    out->buffer_memory_ = device.HostFloats(buffer_floats);
    out->parameters_ = {out->memory_.get(), size_t(out->size_)};
    out->buffers_ = {out->buffer_memory_.get(), size_t(buffer_floats)};
    out->there_ = device.staged() ? device.DeviceFloats(out->size_) : out->memory_;
    out->buffers_there_ =
        device.staged() ? device.DeviceFloats(buffer_floats) : out->buffer_memory_;
    std::vector<FloatValues> buffers;
    for (size_t i = 0; i < net.buffers().size(); ++i) {
      buffers.push_back(
          {out->buffers_there_.get() + out->buffer_parts_[i].offset, net.buffers()[i].shape});
    }
    net.Bind(out->Views(out->there_.get()), std::move(buffers));
    // Some nets set the values that training starts with.
    out->Download();
  }));
  return out;
}

std::vector<FloatValues> Weights::Views(float* base) const {
  std::vector<FloatValues> views;
  for (size_t i = 0; i < parts_.size(); ++i) {
    views.push_back({base + parts_[i].offset, variables_[i].shape});
  }
  return views;
}

void Weights::Upload() {
  if (device_.staged()) device_.CopyOver(memory_.get(), there_.get(), size_);
  UploadBuffers();
}

void Weights::Download() {
  if (device_.staged()) device_.CopyBack(there_.get(), memory_.get(), size_);
  DownloadBuffers();
}

void Weights::UploadBuffers() {
  if (!device_.staged() || buffers_.empty()) return;
  device_.CopyOver(buffer_memory_.get(), buffers_there_.get(), int64_t(buffers_.size()));
}

void Weights::DownloadBuffers() {
  if (!device_.staged() || buffers_.empty()) return;
  device_.CopyBack(buffers_there_.get(), buffer_memory_.get(), int64_t(buffers_.size()));
}

std::vector<NamedTensor> Weights::Tensors() const {
  std::vector<NamedTensor> out;
  for (size_t i = 0; i < variables_.size(); ++i) {
    const bool buffer = i >= parts_.size();
    float* data = buffer ? buffers_.data() + buffer_parts_[i - parts_.size()].offset
                         : parameters_.data() + parts_[i].offset;
    out.push_back(
        {variables_[i].name, "F32", variables_[i].shape, AsBytes(data, variables_[i].count())});
  }
  out.insert(out.end(), constants_.begin(), constants_.end());
  return out;
}

Status Weights::Load(const Safetensors& file, const std::string& where) {
  // Everything is checked before anything is copied: a refused file changes no weight.
  const std::vector<NamedTensor> mine = Tensors();
  for (const NamedTensor& to : mine) {
    const NamedTensor* from = file.Find(to.name);
    if (from == nullptr) return Foreign(where, "it has no tensor " + to.name);
    if (from->dtype != to.dtype || from->shape != to.shape) {
      return Foreign(
          where, fmt::format("tensor {} is {} [{}], the net has {} [{}]", to.name, from->dtype,
                             fmt::join(from->shape, ", "), to.dtype, fmt::join(to.shape, ", ")));
    }
  }
  if (file.tensors().size() != mine.size()) {
    return Foreign(
        where, fmt::format("it has {} tensors, the net {}", file.tensors().size(), mine.size()));
  }
  for (const NamedTensor& constant : constants_) {
    if (std::ranges::equal(constant.data, file.Find(constant.name)->data)) continue;
    return Foreign(where, fmt::format("its {} are others than the net's", constant.name));
  }
  for (const NamedTensor& to : std::span(mine).first(variables_.size())) {
    const NamedTensor* from = file.Find(to.name);
    // Tensors() lends our own memory for reading.
    std::memcpy(const_cast<std::byte*>(to.data.data()), from->data.data(), to.data.size());
  }
  return Status::OK();
}

std::string Weights::Hash() const {
  // Includes the gaps between parameters; they stay zeros.
  const XXH128_hash_t a = XXH3_128bits(parameters_.data(), parameters_.size_bytes());
  const XXH128_hash_t b =
      XXH3_128bits_withSeed(buffers_.data(), buffers_.size_bytes(), a.low64 ^ a.high64);
  return fmt::format("{:016x}{:016x}{:016x}{:016x}", a.high64, a.low64, b.high64, b.low64);
}

}  // namespace protium
