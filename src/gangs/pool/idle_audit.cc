// SPDX-License-Identifier: Apache-2.0
#include "pool/idle_audit.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "os/launch.h"

namespace protium {

void IdleAudit::Look(bool serving, Clock::time_point busy, Clock::time_point now) {
  if (settings_.command.empty()) return;
  if (runs_) {
    const auto ended = runs_->Wait(Deadline{});  // Without waiting.
    const bool over = !ended.ok() || ended->has_value();
    if (over || serving) runs_.reset();
    return;
  }
  const bool due = !started_ || now - *started_ >= settings_.every;
  if (serving || now - busy < settings_.after || !due) return;
  started_ = now;
  Start();
}

// A command that cannot be started is tried again in its time: nothing depends on it.
void IdleAudit::Start() {
  SubprocessOptions options{.program = settings_.command.front(),
                            .args = {settings_.command.begin() + 1, settings_.command.end()},
                            .log = log_};
  const auto launch = Launch::Make(options);
  if (!launch.ok()) return;
  const pid_t pid = (*launch)->Start();
  if (pid < 0) return;
  runs_.emplace(pid, UniqueFd(int(::syscall(SYS_pidfd_open, pid, 0))));
}

}  // namespace protium
