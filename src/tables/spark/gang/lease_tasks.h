// SPDX-License-Identifier: Apache-2.0
// The tasks of a lease as they reported themselves: who has a slot, who is which member, and who is
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
  int64_t id = 0;       // Spark's number, which grows with every try.
  int32_t member = -1;  // -1: it is not a member.
  bool here = false;    // It has reported itself.
  bool left = false;    // It was notified that it is not needed.
  bool gone = false;    // Its process has ended, or was given up.
  bool done = false;    // It reported how it ended.
  SeenRank seen;
  Status status;  // Set when it is done.

  bool alive() const { return here && !gone && !done; }
};

// One thread. References stay valid.
class LeaseTasks {
 public:
  // `role` is what all tasks run as, `logs` the folder of their logs.
  LeaseTasks(TaskRole role, std::string logs) : role_(role), logs_(std::move(logs)) {}

  // Returns the try that wrote an event.
  LeaseTask& Of(int32_t seat, int64_t id);
  // Records what it reported about itself.
  void OnHere(LeaseTask& task, const Json& event) const;
  // Makes the task this member from now on.
  void Place(LeaseTask& task, int32_t member) const;

  // Returns nullptr if no task is this member.
  LeaseTask* OfMember(int32_t member) const;
  // Whether another try of the seat is the member and lives: then this one is a copy that Spark
  // started beside it, which must not end before it does.
  bool IsSecondTry(const LeaseTask& task) const;
  // The live tasks that wait to become members, by seat; second tries are not among them.
  std::vector<LeaseTask*> Waiting() const;
  // Whether any try of the seat lives.
  bool Lives(int32_t seat) const;
  // Whether its newest try has ended by itself, so that Spark will not start another.
  bool HasEnded(int32_t seat) const;
  const std::vector<std::unique_ptr<LeaseTask>>& all() const { return tasks_; }

  // Makes a failure of a task with its rank among `world` ranks.
  RankFailure Failure(const LeaseTask& task, int32_t world, RankFailure::Kind kind,
                      Status status) const;
  // Returns the table of GangPlaced, one row per member.
  std::vector<RankPlaced> StartTable() const;

 private:
  const TaskRole role_;
  const std::string logs_;
  std::vector<std::unique_ptr<LeaseTask>> tasks_;
};

}  // namespace protium
