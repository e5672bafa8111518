// SPDX-License-Identifier: Apache-2.0
// Simulated days of a machine, for tests: programs with gangs that come, grow, shrink, pause and
// go, die, or hold on to what they should give back; memory gets short, the pool dies and hears
// again what others hold, or hands over to another. In virtual time and from one seed;
// ArbiterWitness checks every step.
#pragma once

#include <cstdint>
#include <string>

namespace protium {

// Mistakes that must be found. Each changes what the arbiter hears or says, as if it were its own.
enum class PlantedInArbiter {
  kNone,
  kForgetsGone,        // A program that is gone holds its seats for ever.
  kForgetsGivenBack,   // Seats that come back are not free again.
  kForgetsAdopted,     // What living drivers hold is given out again.
  kForgetsHandedOver,  // Likewise, by a pool that takes another's place.
  kGrantsInPart,       // A gang gets one seat too few.
  kGivesDeviceTwice,
  kCountsOneCoreMore,
  kIgnoresBytes,
  kIgnoresPressure,
  kIgnoresPriority,
  kTurnsPriorityRound,
  kIgnoresWeight,
  kIgnoresQuotas,
  kCountsGangsNotPrograms,  // Shares of gangs, so a program with many gets more.
  kLetsPassForEver,         // Nothing is kept for a claim that does not fit.
  kLosesPatienceAtOnce,     // Elastic gangs shrink to their least size for any claim.
  kAsksTheSameAgain,        // Nobody is left alone after yielding.
  kNeverAsksBack,
  kPausesAnyone,
  kShrinksTooFar,
  kRepeatsItself,
  kForgetsTime,  // It never looks again.
  kRefusesSharers,
};
inline constexpr int kPlantedInArbiter = int(PlantedInArbiter::kRefusesSharers);

struct DayEnd {
  std::string broken;  // The first broken rule; empty: all held.
  int64_t grants = 0;
  int64_t waits = 0;  // Claims that were not granted at once.
  int64_t shrinks = 0;
  int64_t pauses = 0;
  int64_t growths = 0;
  int64_t deaths = 0;    // Of programs.
  int64_t restarts = 0;  // Of the pool, after a death.
  int64_t upgrades = 0;  // One takes another's place.
};

DayEnd LiveDay(uint64_t seed, PlantedInArbiter planted = PlantedInArbiter::kNone);

}  // namespace protium
