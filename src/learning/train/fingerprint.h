// SPDX-License-Identifier: Apache-2.0
// What the bits of a result depend on besides program and input: libraries, instruction sets,
// threads. Ranks of a gang must agree on it, and so must whoever resumes from a checkpoint.
#pragma once

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "tensor/device.h"

namespace protium {

// Everything apart from rows, options and shards that decides the bits of the weights: the version
// of our own arithmetic, the kind of device, and `libraries`, what nets and losses rest on beside
// it. A flat object of numbers and texts, compared as a whole.
Json NumericsFingerprint(const Json& libraries, const ComputeDevice& device = {});

// Collective. Refuses (exit code of environment) when a rank's fingerprint is not that of rank 0,
// naming both.
Status AgreeOn(const Json& fingerprint, Communicator& communicator);

}  // namespace protium
