// SPDX-License-Identifier: Apache-2.0
// A rank's side of an elastic gang (gang/membership.h), the same on every engine: it follows the
// driver's calls from generation to generation. An engine derives from it to define how messages
// reach the driver and how ranks find each other.
//
// Two threads use it: the one that receives from the driver calls Heard(), GotParts() and
// Despair(), the task's thread makes all other calls.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/json.h"
#include "gang/membership.h"

namespace protium {

// The status of a task that the driver wants to end early.
Status AskedToStop();

// A call to a generation, as a member received it.
struct GangCall {
  int64_t generation = 0;
  int32_t rank = -1;  // -1: this member is not in it.
  bool cut = false;
  std::string why;
  // Collective: makes this rank's end of the generation's communicator. Runs on the task's thread;
  // returns early if the generation is over before it began.
  std::function<Result<std::unique_ptr<Communicator>>(std::stop_token)> join;
};

struct GangMemberSpec {
  bool newcomer = false;
  std::chrono::milliseconds deadline{60'000};  // For the communicators.
  std::chrono::milliseconds patience{60'000};  // How much longer the driver may take to call.
  bool rebalances = false;
  bool spare = false;  // A newcomer that is called only when another one dies, if ever.
  std::stop_token stop;
};

class GangMember : public GangMembership {
 public:
  explicit GangMember(GangMemberSpec spec) : spec_(std::move(spec)) {}

  // Enters generation 0 as a rank that was in from the start; the caller has joined `ranks`.
  void Begin(std::shared_ptr<Communicator> ranks);
  // Takes a call; of two calls the newer generation counts, in whatever order they arrive.
  void Heard(GangCall call);
  void GotParts(Result<std::vector<SharedPart>> parts);
  // The driver will not call any more; a task that waits for a call fails with `why`.
  void Despair(const Status& why);
  // Makes the others' calls fail with `cause`.
  void Abort(const Status& cause);
  // The present generation's communicator; nullptr between two.
  Communicator* ranks();
  // The rank in the present generation; -1 if in none.
  int32_t rank() const { return rank_; }

  bool newcomer() const override { return spec_.newcomer; }
  bool rebalances() const override { return spec_.rebalances; }
  Result<std::vector<SharedPart>> Share(SharedPart own) override;
  bool changing() const override { return called_ > generation_; }
  Result<Communicator*> Enter(const Status& failed) override;
  void Settled(int64_t step) override;

 protected:
  // Sends `what` to the driver: an object with "type": "prepared", "failed" with "generation" and
  // "status", or "entered" with "generation" and "step". Lost if the driver is gone.
  virtual void Say(const Json& what) = 0;
  // Hands the part to the driver, which stores it.
  virtual Status Give(SharedPart own) = 0;

 private:
  Result<GangCall> AwaitCall(std::stop_token& joining);
  void SayFailed(const Status& failed);

  const GangMemberSpec spec_;
  std::atomic<int64_t> generation_{0};  // Written by the task's thread.
  std::atomic<int64_t> called_{0};      // Written by the receiving thread.
  std::atomic<int32_t> rank_{-1};
  bool announced_ = false;  // A newcomer has reported that it waits.

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Communicator> ranks_;
  std::optional<Result<GangCall>> call_;  // Not followed yet.
  std::stop_source joining_;              // Ends the joining that is in progress.
  std::optional<Result<std::vector<SharedPart>>> parts_;
};

}  // namespace protium
