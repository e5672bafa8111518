// SPDX-License-Identifier: Apache-2.0
// What a pool leaves to the program that takes its place (`protium pool restart`). The process
// stays the same, so zygotes stay its children, and connections and locks are never let go: drivers
// and workers notice nothing. It travels in a memfd whose number is in the environment; descriptors
// are inherited.
//
//   {format, listener, lock, passed, fds: [numbers], state: {...}}     a descriptor in the state is
//                                                                      its place in `fds`
//
// Whoever cannot read the state goes on with the listener alone. Drivers see their connections
// close then, come again, and say what they hold (seat_claim.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "pool/claim.h"
#include "pool/place.h"

namespace protium {

struct PoolHandover {
  PoolListener listener;
  Json state;
  std::vector<UniqueFd> fds;

  // Keeps a descriptor and returns its place; -1 for none.
  int64_t Put(UniqueFd fd);
  // The descriptor whose place stands under `key`; none if there is no such, or it was taken.
  UniqueFd Take(const Json& json, const char* key);
};

// Becomes `program`, run with `arguments` behind its name. Returns only if that is impossible; the
// handover is unharmed then.
Status BecomeSuccessor(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments, PoolHandover& handover);

// In a process that another pool has become: what that one has left. nullopt: this is no such
// process.
Result<std::optional<PoolHandover>> InheritedHandover();

Json ClaimsToHandOver(const std::vector<KnownClaim>& claims);
Result<std::vector<KnownClaim>> HandedClaims(const Json& json);

// Times of one machine that has not been started anew meanwhile.
int64_t TicksOf(Clock::time_point time);
Clock::time_point TimeAt(const Json& json, const char* key);

}  // namespace protium
