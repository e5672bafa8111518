// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a function of a key and a position, never a stream: the same on every
// processor, whatever was drawn before. Philox 4x32 with ten rounds.
//
// Element i of a draw is word (i % 64) / 16 of the four for counter (i / 64) * 16 + i % 16.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace protium {

// Returns the four words for a counter and a key, whose low half comes first (Salmon, Moraes, Dror
// and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Draws count in the first two
// words.
std::array<uint32_t, 4> Philox(const std::array<uint32_t, 4>& counter, uint64_t key);

// The purpose of a draw; the first word of its key.
enum class DrawTag : uint64_t { kInitialise = 1, kDropout = 2 };

// Mixes words into one key; the order matters.
uint64_t DrawKey(DrawTag tag, std::initializer_list<uint64_t> words);

// Draws each element uniformly from [low, high), in steps of 2^-24 of the range.
void DrawUniform(uint64_t key, float low, float high, std::span<float> out);

// Draws each element from an approximate normal distribution with mean 0: the sum of twelve uniform
// draws, so that no function of a mathematical library decides bits.
void DrawNormal(uint64_t key, float deviation, std::span<float> out);

// values = max(values, 0), then each element is zeroed with probability `drop` (to the nearest
// 2^-16) and the others are divided by 1 - drop. NaN stays NaN. Returns the factor of the remaining
// elements. In every 128 elements the first 64 use the low halves of a draw of 64, the others the
// high halves.
float ReluDropout(uint64_t key, double drop, std::span<float> values);

}  // namespace protium
