// SPDX-License-Identifier: Apache-2.0
// Simulated lives of an elastic gang, for tests: a driver with its Roster, members, messages with
// delays and deaths at any moment, in virtual time and from one seed. Checks the promises of
// docs/elastic.md after every event.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gang/roster.h"

namespace protium {

// Mistakes that the simulation must find; a comment marks where each one is made.
enum class Planted {
  kNone,
  kTakesOlderCall,    // A member follows whichever call arrives last, not the newest.
  kDeafToDeaths,      // A member in a collective call never learns that a peer is gone.
  kWeightsOfRank0,    // A generation goes on from rank 0's step, not from the furthest.
  kNewcomerKeepsOwn,  // A newcomer does not take the weights of the others.
  kForgetsDeath,      // The driver loses a death that is reported during a change.
  kLeavesAtOnce,      // A member does not wait for the step agreed on.
  kFormsEarly,        // A generation begins before all of its members have arrived.
  kTakesOtherRank,    // Of fixed ranks, a taker gets the last one, and others move.
};

struct LifeSpec {
  uint64_t seed = 0;
  int64_t steps = 30;
  RosterLimits limits;
  int32_t members = 1;   // At the start.
  double deaths = 0;     // Expected number, spread over the life.
  double wishes = 0;     // Likewise, of other sizes.
  double notices = 0;    // Likewise, to members that are killed some time later.
  bool reorders = true;  // Messages to one member may overtake each other.
  Planted planted = Planted::kNone;
};

struct LifeEnd {
  std::string broken;     // The broken promise; empty: all held.
  bool finished = false;  // All steps were made; otherwise the roster ended, as it may.
  int64_t deaths = 0;
  int64_t generations = 0;
  int64_t repeated = 0;  // Steps that were computed again.
  int64_t taken = 0;     // Fixed ranks that newcomers took.
};

LifeEnd Live(const LifeSpec& spec);

}  // namespace protium
