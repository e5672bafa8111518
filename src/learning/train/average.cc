// SPDX-License-Identifier: Apache-2.0
#include "train/average.h"

#include <algorithm>

#include "base/fault.h"
#include "train/state_tensors.h"
#include "train/update_kernels.h"

namespace protium {

std::optional<WeightAverage> WeightAverage::Of(const TrainOptions& train, Weights& weights) {
  if (train.average > 0) return std::optional<WeightAverage>(std::in_place, train.average, weights);
  return std::nullopt;
}

Status WeightAverage::Reserve(const std::filesystem::path& disk) {
  return FloatMemory::Make(weights_->size(), disk).Value(&other_);
}

void WeightAverage::Begin() { std::ranges::copy(weights_->parameters(), other_.data()); }

void WeightAverage::Step(int64_t t) {
  const double keep = std::min(decay_, double(1 + t) / double(10 + t));
  AverageUpdate(float(keep), float(1 - keep), weights_->parameters().data(), weights_->size(),
                other_.data());
}

void WeightAverage::Exchange() {
  std::ranges::swap_ranges(other_.floats(), weights_->parameters());
}

NamedTensor WeightAverage::Trained() {
  return {"trained", "F32", {weights_->size()}, std::as_bytes(other_.floats())};
}

std::span<float> WeightAverage::Of(size_t parameter) const {
  const Weights::Part& part = weights_->parts()[parameter];
  return other_.floats().subspan(size_t(part.offset), size_t(part.count));
}

RowPlane WeightAverage::PlaneOf(size_t parameter) const {
  return {Of(parameter).data(), weights_->parameter(parameter).shape[1]};
}

// Called while exchanged: a checkpoint's weights are the average, and are loaded into the net.
Status WeightAverage::Load(const Safetensors& file, const std::string& where) {
  if (TakeTensor(file, Trained())) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "the weights in training do not fit the net: " + where,
               .where = where});
}

}  // namespace protium
