// SPDX-License-Identifier: Apache-2.0
#include "model/average_file.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

constexpr const char* kWeightsTensor = "weights";

std::string PrefixOf(size_t member) { return std::to_string(member) + "."; }

Status Damaged(const std::filesystem::path& file, const std::string& why) {
  return Fail({.exit = Exit::kInput,
               .what = file.string() + " does not hold the weights of this average",
               .why = why});
}

Result<std::vector<double>> ReadWeights(const Safetensors& file, const std::filesystem::path& path,
                                        size_t members) {
  const NamedTensor* const tensor = file.Find(kWeightsTensor);
  if (tensor == nullptr || tensor->dtype != "F64" ||
      tensor->shape != std::vector<int64_t>{int64_t(members)}) {
    return Damaged(path, "it has no weight for each member");
  }
  std::vector<double> weights(members);
  std::memcpy(weights.data(), tensor->data.data(), members * sizeof(double));
  double sum = 0;
  for (const double each : weights) {
    if (!(each >= 0)) return Damaged(path, "a member's weight is not a number of 0 or more");
    sum += each;
  }
  if (std::abs(sum - 1) > 1e-9) return Damaged(path, "the members' weights do not add up to 1");
  return weights;
}

Result<Safetensors> ReadMember(const Safetensors& file, const std::filesystem::path& path,
                               size_t member) {
  std::vector<NamedTensor> own;
  for (NamedTensor tensor : file.tensors()) {
    if (!tensor.name.starts_with(PrefixOf(member))) continue;
    tensor.name.erase(0, PrefixOf(member).size());
    own.push_back(std::move(tensor));
  }
  if (own.empty()) return Damaged(path, "it lacks member " + std::to_string(member));
  const std::string bytes = SafetensorsBytes(own);
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return Safetensors::Parse({data, data + bytes.size()}, path.string());
}

}  // namespace

Result<std::string> WriteAverage(const std::filesystem::path& file,
                                 std::span<const std::string> members,
                                 std::span<const double> weights) {
  std::vector<Safetensors> read;
  for (const std::string& each : members) {
    PT_LET(read.emplace_back(), Safetensors::Read(each));
  }
  std::vector<NamedTensor> all;
  for (size_t m = 0; m < read.size(); ++m) {
    for (NamedTensor tensor : read[m].tensors()) {
      tensor.name = PrefixOf(m) + tensor.name;
      all.push_back(std::move(tensor));
    }
  }
  all.push_back({kWeightsTensor, "F64", {int64_t(weights.size())}, std::as_bytes(weights)});
  PT_TRY(WriteSafetensors(file, all));
  return WeightsSha256(all);
}

Result<AverageFile> ReadAverage(const std::filesystem::path& file, size_t members) {
  PT_LET(const Safetensors all, Safetensors::Read(file));
  AverageFile out;
  PT_LET(out.weights, ReadWeights(all, file, members));
  for (size_t m = 0; m < members; ++m) {
    PT_LET(out.members.emplace_back(), ReadMember(all, file, m));
  }
  return out;
}

}  // namespace protium
