// SPDX-License-Identifier: Apache-2.0
// A run without a gang that changes a worker for another one. All of it on the watching thread.
#include <fmt/format.h>

#include <csignal>

#include "base/fault.h"
#include "protium/events.h"
#include "workers/map_run.h"

namespace protium {
namespace {

// One that ends its process before it reads anything does so again.
constexpr int32_t kMostReplaced = 2;

}  // namespace

// `sending` is taken by Hand(): the feeding thread writes to either the old worker or the new one,
// which then gets what the old one was sent.
bool MapRun::Replace(Member& member, const RankFailure& failure) {
  const bool may = !gang() && !member.begun && member.replaced < kMostReplaced;
  if (!may || call_.stop.stop_requested()) return false;
  const Fault fault = FaultOf(failure.status);
  const std::string why = fault.why.empty() ? "" : " (" + fault.why + ")";
  call_.Send(Warning{
      fmt::format("worker {} {}{}: another one does its work", member.rank, fault.what, why)});
  member.replaced += 1;
  // Killed and reaped before another one begins: it must not wake up and go on.
  member.worker->process.Kill();
  std::lock_guard lock(mutex_);
  auto next = TakeWorker(member.seat);
  const Status handed = next.ok() ? member.Hand(spec_, std::move(*next), {}) : next.status();
  if (handed.ok()) return true;
  call_.Send(Warning{"a worker could not be started: " + FaultOf(handed).what});
  return false;
}

}  // namespace protium
