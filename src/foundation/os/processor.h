// SPDX-License-Identifier: Apache-2.0
// What the processor computes with, where results may depend on it.
#pragma once

#include <string>

namespace protium {

// Whether it has fused multiply-adds, with which the C library then computes exp(), log() and
// others.
bool FusesMultiplyAdd();

// The widest vector instructions among those that libraries choose their code by: "avx512f",
// "avx2", "neon", or "plain" without any.
const char* VectorInstructions();

// The floating-point control register of the calling thread, as "mxcsr=0x8040", if it rounds
// otherwise than to nearest or takes denormal numbers for zero; empty if not.
std::string ChangedFloatingPoint();

}  // namespace protium
