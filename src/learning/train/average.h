// SPDX-License-Identifier: Apache-2.0
// The moving average of weights over steps: often better than the last weights, which fluctuate. It
// is what is validated and saved as the model; training itself continues with the weights.
//
// 1. After step t, counted from 1, average = d * average + (1 - d) * weights with
//    d = min(decay, (1 + t) / (10 + t)), as TensorFlow's ExponentialMovingAverage with num_updates:
//    a small d at first, so that the weights that training begins with are soon forgotten.
// 2. Parameters are averaged; buffers, such as batch norm's statistics, are those of the last step.
// 3. Exchange() swaps the net's weights with those held here. Between two calls the net works with
//    the average, and the weights in training wait here. Nothing is copied or allocated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/status.h"
#include "format/safetensors.h"
#include "protium/training.h"
#include "tensor/weights.h"
#include "train/float_memory.h"
#include "train/row_planes.h"

namespace protium {

class WeightAverage {
 public:
  // The one of this training, if it has one.
  static std::optional<WeightAverage> Of(const TrainOptions& train, Weights& weights);
  // `weights` must outlive it.
  WeightAverage(double decay, Weights& weights) : decay_(decay), weights_(&weights) {}
  // Called once, before all else. `disk`: FloatMemory::Make().
  Status Reserve(const std::filesystem::path& disk);

  // Starts the average at the weights as they are.
  void Begin();
  // Takes in the weights after step t, counted from 1 over all epochs.
  void Step(int64_t t);
  void Exchange();
  // While exchanged: the weights in training, borrowed, as they go into a checkpoint. Load() reads
  // them back; it refuses a missing tensor or another shape, naming `where`.
  NamedTensor Trained();
  Status Load(const Safetensors& file, const std::string& where);

  // What is held here of a parameter; of a table, row by row.
  std::span<float> Of(size_t parameter) const;
  RowPlane PlaneOf(size_t parameter) const;

 private:
  double decay_;
  Weights* weights_;
  FloatMemory other_;  // The average; while exchanged, the weights in training.
};

}  // namespace protium
