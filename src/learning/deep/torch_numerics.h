// SPDX-License-Identifier: Apache-2.0
// What decides the bits of what LibTorch computes on the CPU.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Versions of the libraries, the processor as they see it and the number of threads that share an
// operation, by which sums are split; with `bfloat16`, which of the processor's instructions for it
// there are. Entries of the fingerprint (train/fingerprint.h).
Json TorchNumerics(int32_t threads, bool bfloat16);

// Makes LibTorch ready for nets, before anything is computed in this process: it takes its matrix
// products from the house (deep/torch_products.h) and shares an operation called from this thread
// among `threads`. That number belongs to the result: sums are split by threads.
Status PrepareTorch(int32_t threads);

}  // namespace protium
