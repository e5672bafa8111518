// SPDX-License-Identifier: Apache-2.0
// Without a gang: losing a worker before it has taken a batch costs nothing, since another one gets
// what it was sent.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "workers/watch.h"

namespace protium {

// Used by the watching thread.
class Replacing {
 public:
  // Returns a process for a member's work.
  using TakeWorker = std::function<Result<std::unique_ptr<Worker>>(const MemberPlace&)>;

  // All references must outlive this.
  Replacing(const RunSpec& spec, const Call& call, Watch& watch, TakeWorker take)
      : spec_(spec), call_(call), watch_(watch), take_(std::move(take)) {}

  // Kills the member's worker and gives its work to another one. False if that is not allowed or
  // failed.
  bool Replace(Member& member, const RankFailure& failure);

 private:
  const RunSpec& spec_;
  const Call& call_;
  Watch& watch_;
  const TakeWorker take_;
  std::map<const Member*, int32_t> replaced_;  // How often.
};

}  // namespace protium
