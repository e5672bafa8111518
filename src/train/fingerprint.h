// SPDX-License-Identifier: Apache-2.0
// What the bits of a result depend on besides program and input: libraries, instruction sets,
// threads. Ranks of a gang must agree on it, and so must whoever resumes from a checkpoint.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "tensor/device.h"

namespace protium {

// Everything apart from rows, options and shards that decides the bits of the weights: the version
// of our own arithmetic, versions of the libraries, the processor as they see it, threads per
// shard, kind of device. A flat object of numbers and texts, compared as a whole.
Json NumericsFingerprint(int32_t threads_per_shard, const ComputeDevice& device = {});

// Which of the processor's instructions for bfloat16 LibTorch can use, "amx", "avx512" or "none":
// part of the fingerprint of trainings in that precision.
std::string Bfloat16Instructions();

// Collective. Refuses (exit code of environment) when a rank's fingerprint is not that of rank 0,
// naming both.
Status AgreeOn(const Json& fingerprint, Communicator& communicator);

// Sets the number of threads that LibTorch uses for one operation called from this thread. It
// belongs to the result: sums are split by threads.
Status UseThreads(int32_t threads_per_shard);

}  // namespace protium
