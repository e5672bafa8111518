// SPDX-License-Identifier: Apache-2.0
// What the bits of an arithmetic depend on besides the program: libraries, instruction sets,
// threads. Ranks of a gang must agree on it, and so must whoever resumes from a checkpoint.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"

namespace protium {

// Everything apart from rows, options and shards that decides the bits of the weights: the version
// of our own arithmetic, versions of the libraries, the processor as they see it, threads per
// shard, kind of device.
Json NumericsFingerprint(int32_t threads_per_shard);

// Collective. Refuses when ranks differ, naming the ranks and the first key.
Status AgreeOn(const Json& fingerprint, Communicator& communicator);

// Prepares the calling thread for computing shards.
Status UseThreads(int32_t threads_per_shard);

}  // namespace protium
