// SPDX-License-Identifier: Apache-2.0
// What a program wants of this machine, and what the machine has to give.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/call.h"

namespace protium {

// Amounts of what a machine has. Devices are counted here and named in a seat.
struct Amount {
  int64_t cores = 0;
  int64_t bytes = 0;
  int64_t devices = 0;
};

struct PoolMachine {
  int32_t cores = 1;
  int64_t bytes = 0;                 // Memory that gangs may have; 0: bytes are not counted.
  std::vector<std::string> devices;  // Addresses.
  // By label. What a quota leaves at 0 it does not guarantee, but for bytes: 0 is as much of the
  // machine's bytes as of its cores. Quotas that add up to more than the machine are not all had at
  // once.
  std::map<std::string, Amount> quotas;
  // How long a claim may be passed by later ones, and how long an offer stands.
  Clock::duration patience = std::chrono::seconds(10);
  // How long a claim that has yielded is left alone, and how long one that was asked to yield is
  // counted on.
  Clock::duration rest = std::chrono::seconds(30);
};

struct Claim {
  int64_t program = 0;  // Whose it is; a program that is gone gives all of its claims back.
  std::string who;      // As others read it: "gang train of nightly (pid 411)".
  std::string label;    // Of a quota; empty: none.
  int32_t min = 1;      // Workers.
  int32_t max = 1;
  Amount per_worker;
  bool shares_cores = false;  // More workers than cores are no error: they share them.
  int32_t priority = 0;
  double weight = 1;   // Of the program; > 0.
  bool pauses = true;  // Can stop after a step and go on later.
};

struct PoolSeat {
  std::vector<std::string> devices;  // Addresses; as many as per_worker.devices.
};

// One claim with what was decided about it.
struct KnownClaim {
  int64_t number = 0;
  Claim wish;
  Clock::time_point since;  // When it was claimed.
  std::vector<PoolSeat> seats;
  std::string why;  // Why it waits, or what it yields for.

  bool waits = false;
  Clock::time_point waits_since;

  int32_t asked_for = 0;  // Workers that it should shrink to while it has not; else workers().
  bool pausing = false;   // Asked to pause.
  bool paused = false;    // Has paused; until it is granted again.
  Clock::time_point asked_at;
  Clock::time_point rests_until = Clock::time_point::min();

  int32_t offered = 0;  // Workers that it was told it may grow to; 0: none.
  Clock::time_point offered_at;
  bool sated = false;  // Let an offer lapse or gave seats back unasked: grows only when it asks.
  bool grows = false;  // Asks for one more right now.

  int32_t workers() const { return int32_t(seats.size()); }
  bool yields() const { return asked_for < workers(); }
};

}  // namespace protium
