// SPDX-License-Identifier: Apache-2.0
// What determines the bits of LibTorch's results on the CPU.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Versions of the libraries, the processor as they see it and the number of threads that share an
// operation, since sums are split by thread; with `bfloat16`, the processor's instructions for it.
// Entries of the fingerprint (train/fingerprint.h).
Json TorchNumerics(int32_t threads, bool bfloat16);

// Prepares LibTorch for nets, before anything is computed in this process: it uses our matrix
// products (deep/torch_products.h) and shares an operation called from this thread among `threads`.
// Results depend on that number: sums are split by thread.
Status PrepareTorch(int32_t threads);

}  // namespace protium
