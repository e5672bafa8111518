// SPDX-License-Identifier: Apache-2.0
// The tasks of a lease as they told of themselves: who has a slot, who is which member, who is
// gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/call.h"
#include "gang/failure.h"
#include "protium/events.h"
#include "spark/gang/seen_rank.h"

namespace protium {

// One try of a seat's task.
struct LeaseTask {
  int32_t seat = 0;
  int64_t id = 0;       // Spark's, which grows with every try.
  int32_t member = -1;  // -1: it has no place.
  bool here = false;    // It has told of itself.
  bool left = false;    // It was told that it is not needed.
  bool gone = false;    // Its process has ended, or is given up.
  bool done = false;    // It said how it ended.
  SeenRank seen;
  Status status;  // Of one that is done.

  bool alive() const { return here && !gone && !done; }
};

// One thread. References stay valid.
class LeaseTasks {
 public:
  // `task` is the name of the task that all run, `logs` the folder of their logs.
  LeaseTasks(TaskRole role, std::string logs) : role_(role), logs_(std::move(logs)) {}

  // The try that wrote an event.
  LeaseTask& Of(int32_t seat, int64_t id);
  // What it said of itself.
  void OnHere(LeaseTask& task, const Json& event) const;
  // Gives it a place: it is this member from now on.
  void Place(LeaseTask& task, int32_t member) const;

  // nullptr: none has been placed as this member.
  LeaseTask* OfMember(int32_t member) const;
  // Another try of the seat has the place and lives: this one is a copy of it that Spark began
  // beside it, which must not end before it does.
  bool IsSecondTry(const LeaseTask& task) const;
  // Tasks that live and wait for a place, by their seats; second tries do not.
  std::vector<LeaseTask*> Waiting() const;
  // Whether a try of the seat lives.
  bool Lives(int32_t seat) const;
  // Whether its newest try has ended by itself, so that Spark will start no other.
  bool HasEnded(int32_t seat) const;
  const std::vector<std::unique_ptr<LeaseTask>>& all() const { return tasks_; }

  // A failure of a task with its place, among `world` ranks.
  RankFailure Failure(const LeaseTask& task, int32_t world, RankFailure::Kind kind,
                      Status status) const;
  // The table of GangPlaced: a row a member.
  std::vector<RankPlaced> StartTable() const;

 private:
  const TaskRole role_;
  const std::string logs_;
  std::vector<std::unique_ptr<LeaseTask>> tasks_;
};

}  // namespace protium
