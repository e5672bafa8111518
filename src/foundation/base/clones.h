// SPDX-License-Identifier: Apache-2.0
#pragma once

// Before a function: GCC compiles it once for each of these instruction sets and picks one when the
// program is loaded. The bits agree because each element's operations keep their order and
// -ffp-contract=off keeps the compiler from fusing them.
#define PT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
