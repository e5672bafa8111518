// SPDX-License-Identifier: Apache-2.0
// A worker's side of an elastic gang on this machine: messages use the worker's channel, and a call
// brings the sockets between the ranks of its generation. Two threads use it, as in worker_task.h.
#pragma once

#include <memory>
#include <vector>

#include "gang/doing.h"
#include "gang/gang_member.h"
#include "workers/protocol.h"

namespace protium {

// Collective: makes this rank's end of the communicator from `peers`, its sockets by rank, the own
// one empty. Its calls are marked in `doing`, which must outlive it.
Result<std::unique_ptr<Communicator>> JoinRanks(int32_t rank, std::vector<UniqueFd> peers,
                                                std::chrono::milliseconds deadline, Doing& doing);

class WorkerMembership final : public GangMember {
 public:
  // `task` is the task's number, on every message.
  WorkerMembership(GangMemberSpec spec, std::shared_ptr<Link> link, int64_t task, Doing& doing)
      : GangMember(spec),
        deadline_(spec.deadline),
        link_(std::move(link)),
        task_(task),
        doing_(doing) {}

  // Handles a message "call" or "parts".
  void HandleFrame(Frame frame);

 private:
  GangCall ReadCall(Frame frame) const;
  void Say(const Json& what) override;
  Status Give(SharedPart own) override;

  const std::chrono::milliseconds deadline_;
  const std::shared_ptr<Link> link_;
  const int64_t task_;
  Doing& doing_;
};

}  // namespace protium
