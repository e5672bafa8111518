// SPDX-License-Identifier: Apache-2.0
#include "tensor/philox.h"

#include <algorithm>
#include <cmath>

namespace protium {
namespace {

constexpr int kLanes = 16;
constexpr int kBlock = 4 * kLanes;

uint64_t Mix(uint64_t x) {  // The finaliser of splitmix64.
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Sixteen counters side by side; element i of a block is words[i].
struct Lanes {
  uint32_t words[kBlock];
};

[[gnu::always_inline]] inline void Round(uint32_t* words, uint32_t key0, uint32_t key1) {
  uint32_t* a = words;
  uint32_t* b = words + kLanes;
  uint32_t* c = words + 2 * kLanes;
  uint32_t* d = words + 3 * kLanes;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t product0 = uint64_t(0xD2511F53u) * a[i];
    const uint64_t product1 = uint64_t(0xCD9E8D57u) * c[i];
    a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
    c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
    b[i] = uint32_t(product1);
    d[i] = uint32_t(product0);
  }
}

// The 64 draws of block `block`, in element order.
[[gnu::always_inline]] inline void Draw(uint64_t key, uint64_t block, Lanes& lanes) {
  uint32_t* words = lanes.words;
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t counter = block * kLanes + uint64_t(i);
    words[i] = uint32_t(counter);
    words[i + kLanes] = uint32_t(counter >> 32);
    words[i + 2 * kLanes] = 0;
    words[i + 3 * kLanes] = 0;
  }
  uint32_t key0 = uint32_t(key);
  uint32_t key1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    Round(words, key0, key1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

inline float Unit(uint32_t word) { return float(word >> 8) * 0x1p-24f; }

}  // namespace

uint64_t DrawKey(DrawTag tag, std::initializer_list<uint64_t> words) {
  uint64_t key = Mix(uint64_t(tag) + 0x9e3779b97f4a7c15u);
  for (const uint64_t word : words) key = Mix(key * 0x9e3779b97f4a7c15u + word + 1);
  return key;
}

void DrawUniform(uint64_t key, float low, float high, std::span<float> out) {
  Lanes lanes;
  for (size_t at = 0; at < out.size(); at += kBlock) {
    Draw(key, at / kBlock, lanes);
    const size_t n = std::min(out.size() - at, size_t(kBlock));
    for (size_t i = 0; i < n; ++i) {
      out[at + i] = low + (high - low) * Unit(lanes.words[i]);
    }
  }
}

void DrawNormal(uint64_t key, float deviation, std::span<float> out) {
  std::fill(out.begin(), out.end(), -6.0f);
  Lanes lanes;
  for (uint64_t term = 0; term < 12; ++term) {
    const uint64_t term_key = DrawKey(DrawTag::kInitialise, {key, term});
    for (size_t at = 0; at < out.size(); at += kBlock) {
      Draw(term_key, at / kBlock, lanes);
      const size_t n = std::min(out.size() - at, size_t(kBlock));
      for (size_t i = 0; i < n; ++i) out[at + i] += Unit(lanes.words[i]);
    }
  }
  for (float& value : out) value *= deviation;
}

// Integers and single float operations: every clone gives the same bits.
__attribute__((target_clones("avx512f", "avx2", "default"))) float ReluDropout(
    uint64_t key, double drop, std::span<float> values) {
  if (drop <= 0) {
    for (float& value : values) value = value < 0 ? 0 : value;
    return 1;
  }
  const auto threshold = uint32_t(std::min(std::llround(drop * 0x1p16), 0xffffll));
  const float factor = float(1 / (1 - drop));
  Lanes lanes;
  size_t at = 0;
  for (; at + 2 * kBlock <= values.size(); at += 2 * kBlock) {
    Draw(key, at / (2 * kBlock), lanes);
    const uint32_t* words = lanes.words;
    float* low = values.data() + at;
    float* high = low + kBlock;
    for (int i = 0; i < kBlock; ++i) {
      low[i] = (low[i] < 0 ? 0 : low[i]) * ((words[i] & 0xffff) < threshold ? 0.0f : factor);
      high[i] = (high[i] < 0 ? 0 : high[i]) * ((words[i] >> 16) < threshold ? 0.0f : factor);
    }
  }
  Draw(key, at / (2 * kBlock), lanes);
  for (size_t i = 0; at + i < values.size(); ++i) {
    const uint32_t word = lanes.words[i % kBlock];
    const uint32_t draw = i < kBlock ? word & 0xffff : word >> 16;
    const float value = values[at + i];
    values[at + i] = (value < 0 ? 0 : value) * (draw < threshold ? 0.0f : factor);
  }
  return factor;
}

}  // namespace protium
