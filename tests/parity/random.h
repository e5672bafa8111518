// SPDX-License-Identifier: Apache-2.0
// Random choices, the same for the same seed on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace protium {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // Returns a number below `below`; SplitMix64.
  size_t Draw(size_t below) {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t mixed = state_;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (mixed ^ mixed >> 31) % below;
  }

  const char* OneOf(const std::vector<const char*>& choices) {
    return choices[Draw(choices.size())];
  }

 private:
  uint64_t state_;
};

}  // namespace protium
