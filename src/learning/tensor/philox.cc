// SPDX-License-Identifier: Apache-2.0
#include "tensor/philox.h"

#include <algorithm>
#include <cmath>

#include "base/splitmix.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace protium {
namespace {

constexpr int kLanes = 16;
constexpr int kBlock = 4 * kLanes;

// Sixteen counters side by side; element i of a block is words[i].
struct Lanes {
  uint32_t words[kBlock];
};

// A round of Philox4x32, with the multipliers of its authors; their Weyl constants are added to the
// keys after each round. For one key it is a bijection of the counter's 128 bits, so no two
// counters draw the same four words.
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

[[gnu::always_inline]] inline void Mix(uint64_t key, uint32_t* words) {
  uint32_t key0 = uint32_t(key);
  uint32_t key1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    Round(words, key0, key1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
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
  Mix(key, words);
}

// The upper 24 bits, which float32 holds exactly: from 0 to 1 - 2^-24.
inline float Unit(uint32_t word) { return float(word >> 8) * 0x1p-24f; }

}  // namespace

std::array<uint32_t, 4> Philox(const std::array<uint32_t, 4>& counter, uint64_t key) {
  Lanes lanes = {};
  for (size_t i = 0; i < 4; ++i) lanes.words[i * kLanes] = counter[i];
  Mix(key, lanes.words);
  std::array<uint32_t, 4> out = {};
  for (size_t i = 0; i < 4; ++i) out[i] = lanes.words[i * kLanes];
  return out;
}

uint64_t DrawKey(DrawTag tag, std::initializer_list<uint64_t> words) {
  uint64_t key = SplitMix(uint64_t(tag) + kSplitMixStep);
  for (const uint64_t word : words) key = SplitMix(key * kSplitMixStep + word + 1);
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

// The sum of twelve uniform draws from [0, 1) has mean 6 and variance 12 * 1/12 = 1.
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

namespace {

// ReLU and dropout of 128 values with 64 drawn words: the low halves of words decide about the
// first 64 values, the high halves about the others.
void DropBlock(const uint32_t* words, uint32_t threshold, float factor, float* values) {
  float* high = values + kBlock;
  for (int i = 0; i < kBlock; ++i) {
    values[i] = (values[i] < 0 ? 0 : values[i]) * ((words[i] & 0xffff) < threshold ? 0.0f : factor);
    high[i] = (high[i] < 0 ? 0 : high[i]) * ((words[i] >> 16) < threshold ? 0.0f : factor);
  }
}

// Returns how many of `values` are done: whole blocks of 128.
size_t DropBlocks(uint64_t key, uint32_t threshold, float factor, std::span<float> values) {
  size_t at = 0;
  for (Lanes lanes; at + 2 * kBlock <= values.size(); at += 2 * kBlock) {
    Draw(key, at / (2 * kBlock), lanes);
    DropBlock(lanes.words, threshold, factor, values.data() + at);
  }
  return at;
}

#if defined(__x86_64__)
#define PT_AVX2 __attribute__((target("avx2")))

// Eight counters: rows a, b, c and d of their state.
struct Eight {
  __m256i a, b, c, d;
};

// Both halves of eight products of 32 bits each; compilers do not find this by themselves.
PT_AVX2 inline void Multiply(__m256i x, uint32_t by, __m256i& high, __m256i& low) {
  const __m256i factor = _mm256_set1_epi32(int32_t(by));
  const __m256i even = _mm256_mul_epu32(x, factor);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor);
  high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
  low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}

PT_AVX2 inline void Round(Eight& state, uint32_t key0, uint32_t key1) {
  __m256i high0, low0, high1, low1;
  Multiply(state.a, 0xD2511F53u, high0, low0);
  Multiply(state.c, 0xCD9E8D57u, high1, low1);
  const __m256i left = _mm256_xor_si256(state.b, _mm256_set1_epi32(int32_t(key0)));
  const __m256i right = _mm256_xor_si256(state.d, _mm256_set1_epi32(int32_t(key1)));
  state = {_mm256_xor_si256(high1, left), low1, _mm256_xor_si256(high0, right), low0};
}

PT_AVX2 inline Eight Start(uint64_t counter) {
  alignas(32) uint32_t low[8], high[8];
  for (uint64_t i = 0; i < 8; ++i) {
    low[i] = uint32_t(counter + i);
    high[i] = uint32_t((counter + i) >> 32);
  }
  return {_mm256_load_si256(reinterpret_cast<const __m256i*>(low)),
          _mm256_load_si256(reinterpret_cast<const __m256i*>(high)), _mm256_setzero_si256(),
          _mm256_setzero_si256()};
}

PT_AVX2 inline void DropEight(__m256i draws, __m256i threshold, __m256 factor, float* values) {
  const __m256 value = _mm256_loadu_ps(values);
  const __m256 below = _mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_LT_OQ);
  const __m256 dropped = _mm256_castsi256_ps(_mm256_cmpgt_epi32(threshold, draws));
  _mm256_storeu_ps(
      values, _mm256_mul_ps(_mm256_andnot_ps(below, value), _mm256_andnot_ps(dropped, factor)));
}

// The same as DropBlocks().
PT_AVX2 size_t DropBlocksAvx2(uint64_t key, uint32_t threshold, float factor,
                              std::span<float> values) {
  const __m256i limit = _mm256_set1_epi32(int32_t(threshold));
  const __m256i mask = _mm256_set1_epi32(0xffff);
  const __m256 factors = _mm256_set1_ps(factor);
  size_t at = 0;
  for (; at + 2 * kBlock <= values.size(); at += 2 * kBlock) {
    const uint64_t counter = at / (2 * kBlock) * kLanes;
    Eight first = Start(counter), second = Start(counter + 8);
    uint32_t key0 = uint32_t(key), key1 = uint32_t(key >> 32);
    for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
      Round(first, key0, key1);
      Round(second, key0, key1);
    }
    const __m256i words[8] = {first.a, second.a, first.b, second.b,
                              first.c, second.c, first.d, second.d};
    for (int i = 0; i < 8; ++i) {
      float* low = values.data() + at + 8 * i;
      DropEight(_mm256_and_si256(words[i], mask), limit, factors, low);
      DropEight(_mm256_srli_epi32(words[i], 16), limit, factors, low + kBlock);
    }
  }
  return at;
}

bool HasAvx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
bool HasAvx2() { return false; }
size_t DropBlocksAvx2(uint64_t, uint32_t, float, std::span<float>) { return 0; }
#endif

}  // namespace

// Uses integers and single float operations, so every variant computes the same bits.
float ReluDropout(uint64_t key, double drop, std::span<float> values) {
  if (drop <= 0) {
    for (float& value : values) value = value < 0 ? 0 : value;
    return 1;
  }
  const auto threshold = uint32_t(std::min(std::llround(drop * 0x1p16), 0xffffll));
  const float factor = float(1 / (1 - drop));
  const size_t at = HasAvx2() ? DropBlocksAvx2(key, threshold, factor, values)
                              : DropBlocks(key, threshold, factor, values);
  Lanes lanes;
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
