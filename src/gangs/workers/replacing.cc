// SPDX-License-Identifier: Apache-2.0
#include "workers/replacing.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "protium/events.h"

namespace protium {
namespace {

// A process that ends before it reads anything would do so again.
constexpr int32_t kMostReplaced = 2;

}  // namespace

bool Replacing::Replace(Member& member, const RankFailure& failure) {
  const bool may = !spec_.gang() && !member.begun && replaced_[&member] < kMostReplaced;
  if (!may || call_.stop.stop_requested()) return false;
  const Fault fault = FaultOf(failure.status);
  const std::string why = fault.why.empty() ? "" : " (" + fault.why + ")";
  call_.Send(Warning{
      fmt::format("worker {} {}{}: another one does its work", member.rank(), fault.what, why)});
  replaced_[&member] += 1;
  // Killed and reaped before another one begins: it must not wake up and go on.
  member.worker->process.Kill();
  auto next = take_(member.place);
  const Status handed = next.ok() ? member.Hand(std::move(*next), {}) : next.status();
  if (handed.ok()) {
    watch_.Begin(member, Clock::now());
    return true;
  }
  call_.Send(Warning{"a worker could not be started: " + FaultOf(handed).what});
  return false;
}

}  // namespace protium
