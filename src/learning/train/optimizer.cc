// SPDX-License-Identifier: Apache-2.0
#include "train/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "train/name_pattern.h"
#include "train/update_kernels.h"

namespace protium {

Result<std::vector<double>> ParameterRates(const std::vector<ParameterOptions>& options,
                                           const std::vector<Variable>& parameters) {
  std::vector<double> rates(parameters.size(), 1);
  // From the last to the first, so that the first matching entry wins.
  for (size_t o = options.size(); o-- > 0;) {
    PT_LET(const std::vector<size_t> found,
           FindByPattern(options[o].name, parameters, fmt::format("train.parameters.{}.name", o)));
    for (const size_t i : found) rates[i] = options[o].rate;
  }
  return rates;
}

Result<Optimizer> Optimizer::Make(const Choice& choice, Weights& weights, std::vector<double> rates,
                                  int32_t threads) {
  PT_LET(std::unique_ptr<UpdateRule> rule, MakeUpdateRule(choice));
  if (rates.empty()) rates.assign(weights.parts().size(), 1);
  Optimizer out(std::move(rule), weights, std::move(rates));
  out.threads_ = threads;
  return out;
}

Optimizer::Optimizer(std::unique_ptr<UpdateRule> rule, Weights& weights, std::vector<double> rates)
    : rule_(std::move(rule)),
      weights_(&weights),
      rates_(std::move(rates)),
      all_learn_(std::ranges::find(rates_, 0.0) == rates_.end()),
      steps_(weights.parts().size()) {
  for (size_t i = 0; i < rule_->state().size(); ++i) {
    state_.emplace_back(size_t(weights.size()), rule_->initial());
  }
}

// Each element is a chain of its own, so parts give the same bits as the whole. Threads are started
// each time, which costs nothing compared with a part of this size.
bool Optimizer::StepRange(const Gradient& gradient, int64_t begin, int64_t count,
                          size_t parameter) {
  constexpr int64_t kLeast = 1 << 20;
  const int64_t parts = std::clamp<int64_t>(count / kLeast, 1, threads_);
  std::vector<char> finite(size_t(parts), 1);
  const auto run = [&](int64_t part) {
    const int64_t from = count * part / parts, to = count * (part + 1) / parts;
    finite[size_t(part)] = StepPart(gradient, begin + from, to - from, parameter) ? 1 : 0;
  };
  std::vector<std::jthread> others;
  for (int64_t part = 1; part < parts; ++part) others.emplace_back(run, part);
  run(0);
  others.clear();  // Waits for them.
  return std::ranges::find(finite, 0) == finite.end();
}

bool Optimizer::StepPart(const Gradient& gradient, int64_t begin, int64_t count, size_t parameter) {
  std::vector<float*> state;
  for (std::vector<float>& each : state_) state.push_back(each.data() + begin);
  return rule_->Update(
      {.scale = {.divisor = gradient.divisor, .factor = gradient.factor, .limit = gradient.limit},
       .sum = gradient.sum.data() + begin,
       .count = count,
       .weights = weights_->parameters().data() + begin,
       .state = state,
       .step = steps_[parameter],
       .rate = gradient.rate * rates_[parameter]});
}

// Neighbouring parameters with the same rate and number of steps are moved together, including the
// padding between them. Padding stays zero: its gradients and weights are zero, and every rule
// makes a step of zero of those, whatever its state. Parameters count their own steps because
// Adam's bias corrections and Adagrad's rate depend on them: one that is rarely used is corrected
// as long as its moments are young.
bool Optimizer::Step(const Gradient& gradient, std::span<const float> defined) {
  bool finite = true;
  const auto& parts = weights_->parts();
  const auto moves = [&](size_t i) { return defined[i] != 0 && rates_[i] > 0; };
  for (size_t i = 0; i < parts.size();) {
    if (!moves(i)) {
      ++i;
      continue;
    }
    const size_t first = i;
    const int64_t step = steps_[i] + 1;
    while (i < parts.size() && moves(i) && steps_[i] + 1 == step && rates_[i] == rates_[first]) {
      steps_[i++] = step;
    }
    const int64_t begin = parts[first].offset;
    const int64_t end = i < parts.size() ? parts[i].offset : weights_->size();
    finite = StepRange(gradient, begin, end - begin, first) && finite;
  }
  return finite;
}

// Without frozen parameters one pass over everything suffices, since padding is zero.
double Optimizer::Norm(std::span<const float> sum) const {
  if (all_learn_) return std::sqrt(SumOfSquares(sum.data(), int64_t(sum.size())));
  double squares = 0;
  for (size_t i = 0; i < rates_.size(); ++i) {
    const Weights::Part& part = weights_->parts()[i];
    if (rates_[i] > 0) squares += SumOfSquares(sum.data() + part.offset, part.count);
  }
  return std::sqrt(squares);
}

void Optimizer::Reset() {
  std::ranges::fill(steps_, 0);
  for (std::vector<float>& each : state_) std::ranges::fill(each, rule_->initial());
}

std::vector<NamedTensor> Optimizer::Tensors() {
  std::vector<NamedTensor> out;
  out.push_back({"steps", "I64", {int64_t(steps_.size())}, std::as_bytes(std::span(steps_))});
  const std::vector<std::string> names = rule_->state();
  for (size_t i = 0; i < names.size(); ++i) {
    out.push_back({names[i], "F32", {weights_->size()}, std::as_bytes(std::span(state_[i]))});
  }
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
