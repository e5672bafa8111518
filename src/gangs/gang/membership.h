// SPDX-License-Identifier: Apache-2.0
// What a rank of an elastic gang knows of who is in. Who decides it is roster.h; what a task must
// do so that nothing is lost is docs/elastic.md.
//
// 1. The gang first loads its rows as one that is not elastic: a death until Share() has returned
//    ends the attempt.
// 2. From then on the gang has generations. Within one the ranks stay the same; a rank leaves it
//    when a collective call fails, or when all have agreed on a step after which they leave, and
//    goes on in the next one, perhaps with another rank.
#pragma once

#include <string>
#include <vector>

#include "collective/communicator.h"
#include "os/fd.h"

namespace protium {

// What one of the ranks that loaded the rows gives into the gang's keeping.
struct SharedPart {
  std::string text;                // At most 64 MiB.
  std::vector<UniqueFd> memories;  // At most 16; whoever holds a descriptor can map it.
};

// Calls come from the task's thread.
class GangMembership {
 public:
  virtual ~GangMembership() = default;
  // This process came when the gang was training already: it has no input and no communicator
  // until Enter().
  virtual bool newcomer() const = 0;
  // gang.rebalance: shards are to move from slow to quick ranks.
  virtual bool rebalances() const { return false; }
  // Gives `own` into keeping, where it outlives this process, and returns the parts of all ranks
  // that loaded rows, by their first rank. A newcomer gives nothing and gets the same.
  virtual Result<std::vector<SharedPart>> Share(SharedPart own) = 0;
  // The gang is to change at a step's end. Ranks hear of it at different times, so they have to
  // agree on the step.
  virtual bool changing() const = 0;
  // Leaves the present generation and waits for the next; nullptr when this rank is not in it and
  // should end. `failed`: why a collective call failed, if one did; that becomes the attempt's
  // failure if nobody turns out to have died. What was made from the old communicator must be gone.
  virtual Result<Communicator*> Enter(const Status& failed) = 0;
  // This rank has what the others of its generation have, after `step` steps.
  virtual void Settled(int64_t step) = 0;
};

}  // namespace protium
