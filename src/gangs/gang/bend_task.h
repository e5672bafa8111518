// SPDX-License-Identifier: Apache-2.0
// For tests: a task of an elastic gang that only counts steps.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "gang/membership.h"
#include "gang/task.h"
#include "protium/events.h"

namespace protium {

// Runs one step on all ranks; returns whether any rank knows of a pending change.
inline Result<bool> CountTogether(Communicator& ranks, bool changing) {
  std::array<int64_t, 2> sums{1, changing ? 1 : 0};
  PT_TRY(ranks.AllReduce(AsBuffer(std::span<int64_t>(sums)), Op::kSum));
  if (sums[0] != ranks.world()) return Status::Invalid("a step without all of its ranks");
  return sums[1] > 0;
}

// Makes every rank pass a different length.
inline Status Quarrel(Communicator& ranks) {
  std::vector<std::byte> bytes(size_t(ranks.rank()) + 1);
  return ranks.Broadcast(bytes, 0);
}

// Moves all ranks to the furthest step.
inline Status CatchUpSteps(Communicator& ranks, int64_t& step) {
  PT_LET(const auto all, ranks.AllGather(std::to_string(step)));
  for (const std::string& each : all) step = std::max<int64_t>(step, std::stoll(each));
  return Status::OK();
}

// Writes one byte into the pipe at `path`, for a test that waits for it.
inline void Ring(const std::string& path) { std::ofstream(path) << '!'; }

// The configuration is {"steps", "hang": the step at which member 1 goes to sleep, "quarrel": the
// step at which every rank makes a different request, "last_words": how many events a member that
// is called out of the gang reports before it ends, "begin": whether the ranks first run a
// collective call, in which member 1 dies, "linger": milliseconds between the last step and the
// end, "bell": a named pipe that is written to after the last words}. Rank 0 emits the number of
// steps.
inline Status BendTask(TaskContext& context) {
  PT_LET(const Json config, ParseJson(context.config()));
  GangMembership& gang = *MembershipOf(context);
  PT_TRY(gang.Share({.text = std::to_string(context.rank())}).status());
  PT_LET(Communicator * ranks, CommunicatorOf(context));
  const auto is_at = [&](const char* what, int64_t step) { return config.value(what, -1) == step; };
  if (ranks != nullptr && config.value("begin", false)) {
    if (context.rank() == 1) ::raise(SIGKILL);
    PT_TRY(CountTogether(*ranks, false).status());
  }
  int64_t step = 0;
  while (step < config.value("steps", 0)) {
    Status failed;
    if (ranks != nullptr) {
      while (is_at("hang", step) && context.rank() == 1) ::pause();
      if (is_at("quarrel", step)) PT_TRY(Quarrel(*ranks));
      const auto change = CountTogether(*ranks, gang.changing());
      failed = change.status();
      if (failed.ok()) context.Report(StepDone{.step = ++step});
      ::usleep(2000);
      if (failed.ok() && !*change) continue;
    }
    PT_LET(ranks, gang.Enter(failed));
    if (ranks == nullptr) {
      for (int i = 0; i < config.value("last_words", 0); ++i) context.Report("bye", nullptr);
      if (config.contains("bell")) Ring(config["bell"]);
      return Status::OK();
    }
    PT_TRY(CatchUpSteps(*ranks, step));
    gang.Settled(step);
  }
  ::usleep(useconds_t(1000 * config.value("linger", 0)));
  return ranks->rank() == 0 ? EmitJson(context, step) : Status::OK();
}

}  // namespace protium
