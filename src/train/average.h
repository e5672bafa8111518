// SPDX-License-Identifier: Apache-2.0
// The moving average of weights over steps: often better than the last weights, which wander.
//
// 1. After step t, counted from 1, average = d * average + (1 - d) * weights with
//    d = min(decay, (1 + t) / (10 + t)), so that it leaves the drawn weights behind soon. It begins
//    at the weights that training begins with.
// 2. Parameters are averaged; buffers are those of the last step.
// 3. Between two calls of Exchange() the net works with the average, to be measured and saved, and
//    the weights that are trained wait here.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"
#include "tensor/weights.h"

namespace protium {

class WeightAverage {
 public:
  // `weights` must outlive it.
  WeightAverage(double decay, Weights& weights);

  // Training begins with the weights as they are.
  void Begin();
  // After step t, from 1.
  void Step(int64_t t);
  void Exchange();
  // While exchanged: the weights that are trained, borrowed; and what came back from a checkpoint.
  NamedTensor Trained();
  Status Load(const Safetensors& file, const std::string& where);

 private:
  double decay_;
  Weights& weights_;
  std::vector<float> other_;
};

}  // namespace protium
