// SPDX-License-Identifier: Apache-2.0
// What a rank of an elastic gang knows of who is in it. roster.h decides who is; docs/elastic.md
// says what a task must do so that nothing is lost.
//
// 1. The gang first loads its rows as one that is not elastic: a death before Share() has returned
//    ends the attempt.
// 2. From then on the gang has generations. Within one the ranks stay the same. A rank leaves it
//    when a collective call fails, or after a step that all have agreed on, and goes on in the next
//    one, perhaps with another rank.
#pragma once

#include <string>
#include <vector>

#include "collective/communicator.h"
#include "os/fd.h"

namespace protium {

// What a rank that loaded rows stores with the gang.
struct SharedPart {
  std::string text;                // At most 64 MiB.
  std::vector<UniqueFd> memories;  // At most 16; whoever holds a descriptor can map it.
};

// Calls come from the task's thread.
class GangMembership {
 public:
  virtual ~GangMembership() = default;
  // Whether this process came when the gang was training already: it has no input, and no
  // communicator until Enter().
  virtual bool newcomer() const = 0;
  // gang.rebalance: whether shards move from slow to quick ranks.
  virtual bool rebalances() const { return false; }
  // Stores `own` where it outlives this process, and returns the parts of all ranks that loaded
  // rows, by their first rank. A newcomer gives nothing and gets the same.
  virtual Result<std::vector<SharedPart>> Share(SharedPart own) = 0;
  // Whether the gang is to change at a step's end. Ranks learn it at different times, so they have
  // to agree on the step.
  virtual bool changing() const = 0;
  // Leaves the present generation and waits for the next; nullptr if this rank is not in it and
  // should end. `failed`: why a collective call failed, if one did; it becomes the attempt's
  // failure if no death explains it. Everything made from the old communicator must be destroyed
  // before.
  virtual Result<Communicator*> Enter(const Status& failed) = 0;
  // This rank has the same state as the others of its generation, after `step` steps.
  virtual void Settled(int64_t step) = 0;
};

}  // namespace protium
