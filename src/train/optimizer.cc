// SPDX-License-Identifier: Apache-2.0
#include "train/optimizer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/fault.h"
#include "train/update_kernels.h"

namespace protium {
namespace {

// base^exponent by squaring: std::pow may differ in the last bit from one C library to the next.
double Power(double base, int64_t exponent) {
  double out = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) out *= base;
  }
  return out;
}

}  // namespace

Optimizer::Optimizer(const OptimizerSpec& spec, Weights& weights)
    : spec_(spec), weights_(weights), steps_(weights.parts().size()) {
  first_.resize(size_t(weights.size()));
  if (spec.kind == OptimizerKind::kAdam) second_.resize(size_t(weights.size()));
}

bool Optimizer::StepRange(const Gradient& gradient, int64_t begin, int64_t count, int64_t step) {
  const float* sum = gradient.sum.data() + begin;
  float* weights = weights_.parameters().data() + begin;
  float* first = first_.data() + begin;
  const GradientScale scale{.divisor = gradient.divisor,
                            .factor = gradient.factor,
                            .weight_decay = float(spec_.weight_decay)};
  if (spec_.kind == OptimizerKind::kSgd) {
    return SgdUpdate(
        {.scale = scale, .momentum = float(spec_.momentum), .rate = float(spec_.learning_rate)},
        sum, count, weights, first);
  }
  // The bias corrections of Adam (Kingma and Ba, 2015, section 3), for the parameter's own number
  // of steps: one that is used rarely is corrected as long as its moments are young. In double,
  // rounded once.
  const double left1 = 1 - Power(spec_.beta1, step);
  const double left2 = 1 - Power(spec_.beta2, step);
  return AdamUpdate({.scale = scale,
                     .beta1 = float(spec_.beta1),
                     .beta2 = float(spec_.beta2),
                     .rest1 = float(1 - spec_.beta1),
                     .rest2 = float(1 - spec_.beta2),
                     .epsilon = float(spec_.epsilon),
                     .rate = float(spec_.learning_rate / left1),
                     .second_divisor = float(std::sqrt(left2))},
                    sum, count, weights, first, second_.data() + begin);
}

// Neighbouring parameters that have made equally many steps are moved in one go, together with the
// padding between them. Padding stays zero, as its gradients, moments and weights all are.
bool Optimizer::Step(const Gradient& gradient, std::span<const float> defined) {
  bool finite = true;
  const auto& parts = weights_.parts();
  for (size_t i = 0; i < parts.size();) {
    if (defined[i] == 0) {
      ++i;
      continue;
    }
    const int64_t step = steps_[i] + 1;
    const int64_t begin = parts[i].offset;
    while (i < parts.size() && defined[i] != 0 && steps_[i] + 1 == step) steps_[i++] = step;
    const int64_t end = i < parts.size() ? parts[i].offset : weights_.size();
    finite = StepRange(gradient, begin, end - begin, step) && finite;
  }
  return finite;
}

std::vector<NamedTensor> Optimizer::Tensors() {
  const int64_t size = weights_.size();
  std::vector<NamedTensor> out;
  out.push_back({"steps", "I64", {int64_t(steps_.size())}, std::as_bytes(std::span(steps_))});
  out.push_back({"first", "F32", {size}, std::as_bytes(std::span(first_))});
  if (!second_.empty()) out.push_back({"second", "F32", {size}, std::as_bytes(std::span(second_))});
  return out;
}

Status Optimizer::Load(const Safetensors& file, const std::string& where) {
  for (const NamedTensor& to : Tensors()) {
    const NamedTensor* from = file.Find(to.name);
    if (from == nullptr || from->dtype != to.dtype || from->shape != to.shape) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("optimiser state does not fit the net: {}", where),
                   .where = where,
                   .why = "tensor " + to.name + " is missing or of another shape"});
    }
    std::memcpy(const_cast<std::byte*>(to.data.data()), from->data.data(), to.data.size());
  }
  return Status::OK();
}

}  // namespace protium
