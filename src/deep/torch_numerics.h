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

// Sets the number of threads that LibTorch uses for one operation called from this thread. It
// belongs to the result: sums are split by threads.
Status UseThreads(int32_t threads);

}  // namespace protium
