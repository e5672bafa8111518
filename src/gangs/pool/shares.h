// SPDX-License-Identifier: Apache-2.0
// Arithmetic of amounts: what a gang takes, whether it fits, whose share of a machine is how large.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "pool/claim.h"

namespace protium {

Amount operator+(const Amount& a, const Amount& b);
Amount operator-(const Amount& a, const Amount& b);
bool operator==(const Amount& a, const Amount& b);

// Cores, bytes, devices: for loops over all three.
std::array<int64_t, 3> Parts(const Amount& amount);

// All that the machine has; no bytes if they are not counted.
Amount WholeOf(const PoolMachine& machine);

// What `workers` workers of this claim take. Those that share cores never take more than there are.
Amount NeedOf(const Claim& wish, int32_t workers, const PoolMachine& machine);

// What the machine guarantees to a label; nullopt for labels without a quota.
std::optional<Amount> QuotaOf(const PoolMachine& machine, const std::string& label);

// Whether `room` has all that `need` names. What it does not name may be overdrawn.
bool Fits(const Amount& need, const Amount& room);

// How much of what `need` names is not in `room`; 0 where it is.
Amount Missing(const Amount& need, const Amount& room);

// Whether `freed` has something of what is missing.
bool Helps(const Amount& freed, const Amount& missing);

// The largest of the shares of cores, bytes and devices: 0 to 1, more on an overdrawn machine.
double DominantShare(const Amount& used, const Amount& whole);

// "2 cores", "1.5 GiB", "2 cores and 1 device": what is not 0.
std::string AmountText(const Amount& amount);

}  // namespace protium
