// SPDX-License-Identifier: Apache-2.0
// What `protium pool start --quota` says: what of the machine is guaranteed to programs of a label.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "pool/claim.h"

namespace protium {

// By label; as in PoolMachine::quotas.
using Quotas = std::map<std::string, Amount>;

// Adds what a text says: "nightly=2" or "nightly=cores:2,memory:8GiB". Refuses (kUsage) anything
// else, and devices, which the pool does not give out.
Status AddQuota(const std::string& text, Quotas& quotas);

Json QuotasToJson(const Quotas& quotas);
// Numbers are cores: those of a pool of an earlier build.
Quotas QuotasFromJson(const Json& json);

}  // namespace protium
