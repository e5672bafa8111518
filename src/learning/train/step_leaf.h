// SPDX-License-Identifier: Apache-2.0
// The layout of a leaf: the floats that ranks add up in a step. The gradients are followed by
// counts of rows, requests of ranks to each other, and how they spent their time, so that none of
// it needs a round of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "train/step_times.h"

namespace protium {

// Sums over shards, then flags, which are more than 0 as soon as any rank sets one. Each rank adds
// to a leaf of its own, so that all stop, save or change after the same step.
struct StepTail {
  float weight;
  float loss;
  float rows;
  float stop;
  float save;
  float saved;   // A rank knows that all checkpoints so far are written.
  float change;  // A rank was notified that the gang will change.
};
inline constexpr int64_t kTailFloats = 7;
static_assert(std::is_trivial_v<StepTail> && std::is_standard_layout_v<StepTail>);
static_assert(sizeof(StepTail) == kTailFloats * sizeof(float));
static_assert(offsetof(StepTail, rows) == 2 * sizeof(float));
static_assert(offsetof(StepTail, change) == 6 * sizeof(float));

// What a rank asks of all, or tells them: the flags of a StepTail.
struct StepFlags {
  bool stop = false;
  bool save = false;
  bool saved = false;
  bool change = false;
};

// The parts of a leaf, in floats and in this order: gradients with padding (Weights::size());
// `defined`, how many shards gave each parameter a gradient; a StepTail; sums of buffers
// (BufferSums); StepTimes::kTold floats of each rank, to which only that rank adds.
struct LeafLayout {
  int64_t gradients = 0;
  int64_t parameters = 0;
  int64_t buffers = 0;
  int64_t ranks = 0;

  int64_t tail() const { return gradients + parameters; }
  int64_t buffer_sums() const { return tail() + kTailFloats; }
  int64_t times() const { return buffer_sums() + buffers; }
  int64_t count() const { return times() + ranks * StepTimes::kTold; }

  std::span<const float> Gradients(std::span<const float> leaf) const {
    return leaf.first(size_t(gradients));
  }
  template <class Float>
  std::span<Float> Defined(std::span<Float> leaf) const {
    return leaf.subspan(size_t(gradients), size_t(parameters));
  }
  template <class Float>
  std::span<Float> BufferSums(std::span<Float> leaf) const {
    return leaf.subspan(size_t(buffer_sums()), size_t(buffers));
  }
  std::span<const float> Times(std::span<const float> leaf) const {
    return leaf.subspan(size_t(times()));
  }
  std::span<float> TimesOf(int32_t rank, std::span<float> leaf) const {
    return leaf.subspan(size_t(times() + rank * StepTimes::kTold), size_t(StepTimes::kTold));
  }

  StepTail ReadTail(std::span<const float> leaf) const {
    StepTail read;
    std::memcpy(&read, leaf.data() + tail(), sizeof(read));
    return read;
  }
  void WriteTail(const StepTail& written, std::span<float> leaf) const {
    std::memcpy(leaf.data() + tail(), &written, sizeof(written));
  }
  // Adds a rank's flags to the tail of a leaf of its own.
  void AddFlags(const StepFlags& flags, std::span<float> leaf) const {
    StepTail told = ReadTail(leaf);
    told.stop += flags.stop ? 1 : 0;
    told.save += flags.save ? 1 : 0;
    told.saved += flags.saved ? 1 : 0;
    told.change += flags.change ? 1 : 0;
    WriteTail(told, leaf);
  }
};

}  // namespace protium
