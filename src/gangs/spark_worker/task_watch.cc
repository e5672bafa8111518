// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/task_watch.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "os/file.h"
#include "os/poll.h"

namespace protium {

Result<std::unique_ptr<TaskWatch>> TaskWatch::Start(WatchOptions options) {
  UniqueFd ending(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!ending) return SystemFault("watch a task", errno);
  std::unique_ptr<TaskWatch> made(new TaskWatch(std::move(options), std::move(ending)));
  made->thread_ = std::jthread([self = made.get()] { self->Watch(); });
  return made;
}

TaskWatch::~TaskWatch() {
  (void)::eventfd_write(ending_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

void TaskWatch::Stop() {
  if (!std::exchange(stopped_, true)) options_.on_stop();
}

bool TaskWatch::Wanted() {
  std::error_code ignored;
  return options_.signals.stop_requested() || DriverIsGone() ||
         (!options_.stop_file.empty() && std::filesystem::exists(options_.stop_file, ignored));
}

// After a driver is gone, Spark lets its tasks run for minutes. The time of the last change is
// measured on this host's clock, since file times would be those of another.
bool TaskWatch::DriverIsGone() {
  const auto now = Clock::now();
  if (options_.driver_file.empty() || now < next_look_) return false;
  next_look_ = now + std::chrono::seconds(1);
  const auto sign = ReadFile(options_.driver_file, 64);
  if (!sign.ok()) return false;
  if (*sign != driver_sign_ || driver_seen_ == Deadline{}) {
    driver_sign_ = *sign;
    driver_seen_ = now;
  }
  if (now - driver_seen_ < options_.driver_time) return false;
  std::fputs("error: the driver is gone; the task ends\n", stderr);
  return true;
}

void TaskWatch::Watch() {
  std::array<pollfd, 2> polls = {{{ending_.get(), POLLIN, 0}, {options_.socket, POLLRDHUP, 0}}};
  Deadline gone = kNever;
  for (;;) {
    if (!stopped_ && Wanted()) Stop();
    (void)Poll(polls, Clock::now() + kLookTime);
    if (polls[0].revents != 0) return;
    if (polls[1].revents != 0 && gone == kNever) {
      gone = Clock::now() + options_.gone_time;
      // poll() ignores a negative descriptor; the socket would be ready from now on.
      polls[1].fd = -1;
      // Without time to end in, a stop would only be passed on to other ranks.
      if (options_.gone_time.count() > 0) Stop();
    }
    if (Clock::now() < gone) continue;
    std::fputs("error: the Spark executor is gone and the task does not end\n", stderr);
    ::_exit(1);
  }
}

}  // namespace protium
