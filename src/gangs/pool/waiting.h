// SPDX-License-Identifier: Apache-2.0
// What people read about a claim: why it waits, why it can never be granted.
#pragma once

#include <optional>
#include <string>

#include "pool/seat_plan.h"

namespace protium {

// "waiting for 2 cores: nightly (pid 411) holds 2, yields after its step; 1 ahead of you". `free`
// is what nobody holds after what `plan` granted.
std::string WhyItWaits(const PoolMachine& machine, const std::vector<KnownClaim>& claims,
                       const SeatPlan& plan, const Amount& free, size_t claim);

// Why the claim could not be granted even on the idle machine, with the number that does not fit;
// nullopt: it could.
std::optional<std::string> WhyNever(const PoolMachine& machine, const Claim& wish);

}  // namespace protium
