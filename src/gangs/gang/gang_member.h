// SPDX-License-Identifier: Apache-2.0
// A rank's side of an elastic gang (gang/membership.h), the same on every engine: it follows the
// driver's calls from generation to generation. How words reach the driver and how ranks find each
// other is the engine's, which derives from it.
//
// Two threads meet here: the one that hears the driver calls Heard(), GotParts() and Despair(), the
// task's makes all other calls.
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

// Of a task that the driver wants to end early.
Status AskedToStop();

// A call to a generation, as it reached a member.
struct GangCall {
  int64_t generation = 0;
  int32_t rank = -1;  // -1: this member is not in it.
  bool cut = false;
  std::string why;
  // Collective: this rank's end of the generation's communicator. On the task's thread; ends early
  // when the generation is over before it began.
  std::function<Result<std::unique_ptr<Communicator>>(std::stop_token)> join;
};

struct GangMemberSpec {
  bool newcomer = false;
  std::chrono::milliseconds deadline{60'000};  // Of the communicators.
  std::chrono::milliseconds patience{60'000};  // How long the driver may take to call, beyond that.
  bool rebalances = false;
  std::stop_token stop;
};

class GangMember : public GangMembership {
 public:
  explicit GangMember(GangMemberSpec spec) : spec_(std::move(spec)) {}

  // Generation 0, of a rank that was there from the start; joined by its caller.
  void Begin(std::shared_ptr<Communicator> ranks);
  // Of two calls the newer one counts, in whatever order they come.
  void Heard(GangCall call);
  void GotParts(Result<std::vector<SharedPart>> parts);
  // The driver will not call any more; whoever waits for it fails with `why`.
  void Despair(const Status& why);
  // Makes the others' calls fail with `cause`.
  void Abort(const Status& cause);
  // Of the present generation; nullptr between two.
  Communicator* ranks();
  // The rank in the present generation; -1 in none.
  int32_t rank() const { return rank_; }

  bool newcomer() const override { return spec_.newcomer; }
  bool rebalances() const override { return spec_.rebalances; }
  Result<std::vector<SharedPart>> Share(SharedPart own) override;
  bool changing() const override { return called_ > generation_; }
  Result<Communicator*> Enter(const Status& failed) override;
  void Settled(int64_t step) override;

 protected:
  // Tells the driver; `what` is an object with "type": "prepared", "failed" with "generation" and
  // "status", or "entered" with "generation" and "step". If the driver is gone nobody hears it.
  virtual void Say(const Json& what) = 0;
  // Gives the part into the driver's keeping.
  virtual Status Give(SharedPart own) = 0;

 private:
  Result<GangCall> AwaitCall(std::stop_token& joining);
  void SayFailed(const Status& failed);

  const GangMemberSpec spec_;
  std::atomic<int64_t> generation_{0};  // Written by the task's thread.
  std::atomic<int64_t> called_{0};      // Written by the hearing thread.
  std::atomic<int32_t> rank_{-1};
  bool announced_ = false;  // A newcomer has said that it waits.

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Communicator> ranks_;
  std::optional<Result<GangCall>> call_;  // Not followed yet.
  std::stop_source joining_;              // Ends the joining that is under way.
  std::optional<Result<std::vector<SharedPart>>> parts_;
};

}  // namespace protium
