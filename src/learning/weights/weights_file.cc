// SPDX-License-Identifier: Apache-2.0
#include "weights/weights_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/fault.h"
#include "base/half.h"
#include "weights/old_torch_file.h"

namespace protium {
namespace {

constexpr double kMostWhole = 1 << 24;

template <class From>
From ItemAt(const NamedTensor& tensor, size_t i) {
  From item;
  std::memcpy(&item, tensor.data.data() + i * sizeof item, sizeof item);
  return item;
}

template <class From, class Convert>
std::vector<float> Converted(const NamedTensor& tensor, Convert convert) {
  std::vector<float> floats(tensor.data.size() / sizeof(From));
  for (size_t i = 0; i < floats.size(); ++i) floats[i] = convert(ItemAt<From>(tensor, i));
  return floats;
}

Status NoFloats(const NamedTensor& tensor, std::string why) {
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("cannot make float32 of {}, which is {}", tensor.name, tensor.dtype),
       .why = std::move(why)});
}

template <class From>
Result<std::vector<float>> FromWhole(const NamedTensor& tensor) {
  for (size_t i = 0; i < tensor.data.size() / sizeof(From); ++i) {
    const From whole = ItemAt<From>(tensor, i);
    if (std::abs(double(whole)) <= kMostWhole) continue;
    return NoFloats(tensor, fmt::format("it holds {}, which is beyond 2^24", whole));
  }
  return Converted<From>(tensor, [](From whole) { return float(whole); });
}

Result<std::vector<float>> FloatsOf(const NamedTensor& tensor, std::vector<std::string>& rounded) {
  const std::string& type = tensor.dtype;
  if (type == "F64") {
    bool exact = true;
    auto floats = Converted<double>(tensor, [&](double value) {
      exact = exact && (double(float(value)) == value || std::isnan(value));
      return float(value);
    });
    if (!exact) rounded.push_back(tensor.name);
    return floats;
  }
  if (type == "F16") return Converted<Float16>(tensor, [](Float16 half) { return Widen(half); });
  if (type == "BF16")
    return Converted<Bfloat16>(tensor, [](Bfloat16 bfloat16) { return Widen(bfloat16); });
  if (type == "I64") return FromWhole<int64_t>(tensor);
  if (type == "I32") return FromWhole<int32_t>(tensor);
  if (type == "I16") return FromWhole<int16_t>(tensor);
  if (type == "I8") return FromWhole<int8_t>(tensor);
  if (type == "U8" || type == "BOOL") return FromWhole<uint8_t>(tensor);
  return NoFloats(tensor, "no net here has such numbers");
}

}  // namespace

Result<WeightsFile> WeightsFile::Read(const std::filesystem::path& file, const std::string& key) {
  WeightsFile weights;
  PT_LET(weights.mapped_, MappedFile::Open(file.string()));
  const std::string_view bytes = weights.mapped_->text();
  if (bytes.starts_with("PK") || OldTorchFile::Begins(bytes)) {
    PT_LET(TorchState state, ReadTorchState(bytes, key, file.string()));
    weights.tensors_ = std::move(state.tensors);
    weights.gathered_ = std::move(state.gathered);
    return weights;
  }
  if (bytes.starts_with("\x80")) {
    return Fail({.exit = Exit::kInput,
                 .what = file.string() + " is a pickle, not one of tensors that torch.save() wrote",
                 .where = file.string(),
                 .fix = "torch.save(module.state_dict(), \"weights.pt\")"});
  }
  if (!key.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--key is for files of PyTorch, and this is none",
                 .where = file.string()});
  }
  weights.mapped_.reset();
  PT_LET(weights.safetensors_, Safetensors::Read(file));
  weights.tensors_ = weights.safetensors_->tensors();
  return weights;
}

Result<FloatTensors> ToFloat32(const std::vector<NamedTensor>& tensors) {
  FloatTensors out;
  for (NamedTensor tensor : tensors) {
    if (tensor.dtype != "F32") {
      PT_LET(auto floats, FloatsOf(tensor, out.rounded));
      out.converted.push_back(std::move(floats));
      tensor.dtype = "F32";
      tensor.data = std::as_bytes(std::span(out.converted.back()));
    }
    out.tensors.push_back(std::move(tensor));
  }
  return out;
}

}  // namespace protium
