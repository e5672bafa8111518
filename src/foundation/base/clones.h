// SPDX-License-Identifier: Apache-2.0
#pragma once

// Put before a function: GCC compiles it once for each of these instruction sets and picks one when
// the program is loaded. The bits agree because each element's operations stay in order and
// -ffp-contract=off stops the compiler from fusing them. Other processors than x86-64 have one set.
#if defined(__x86_64__)
#define PT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PT_CLONES
#endif
