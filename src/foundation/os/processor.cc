// SPDX-License-Identifier: Apache-2.0
#include "os/processor.h"

#include <fmt/format.h>

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace protium {

#if defined(__x86_64__)

bool FusesMultiplyAdd() { return __builtin_cpu_supports("fma") != 0; }

const char* VectorInstructions() {
  if (__builtin_cpu_supports("avx512f")) return "avx512f";
  if (__builtin_cpu_supports("avx2")) return "avx2";
  return "plain";
}

std::string ChangedFloatingPoint() {
  constexpr unsigned kWatched = 0xe040;  // Rounding mode, flush to zero, denormals are zero.
  const unsigned mode = _mm_getcsr();
  return (mode & kWatched) == 0 ? "" : fmt::format("mxcsr={:#x}", mode);
}

#elif defined(__aarch64__)

bool FusesMultiplyAdd() { return true; }

const char* VectorInstructions() { return "neon"; }

std::string ChangedFloatingPoint() {
  constexpr uint64_t kWatched = 0x3c80001;  // Default NaN, flush to zero (two bits), rounding mode.
  uint64_t mode = 0;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return (mode & kWatched) == 0 ? "" : fmt::format("fpcr={:#x}", mode);
}

#else
#error "Protium is built for x86-64 and aarch64"
#endif

}  // namespace protium
