// SPDX-License-Identifier: Apache-2.0
// What the bits of a result depend on besides program and input: libraries, instruction sets,
// threads. The ranks of a gang must agree on it, and so must whoever resumes from a checkpoint.
#pragma once

#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "tensor/device.h"

namespace protium {

// Returns everything besides rows, options and shards that decides the bits of the weights: the
// version of our own arithmetic, the kind of device, and `libraries`, which nets and losses also
// depend on. A flat object of numbers and texts, compared as a whole.
Json NumericsFingerprint(const Json& libraries, const ComputeDevice& device = {});

// Collective. Fails (exit code of environment) when a rank's fingerprint differs from that of rank
// 0, naming both.
Status AgreeOn(const Json& fingerprint, Communicator& communicator);

}  // namespace protium
