// SPDX-License-Identifier: Apache-2.0
#include "os/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace protium {

static_assert(sizeof(std::atomic<uint32_t>) == 4 && std::atomic<uint32_t>::is_always_lock_free);

bool FutexWait(const std::atomic<uint32_t>& word, uint32_t seen, Deadline deadline) {
  timespec until{};
  if (deadline != kNever) {
    // steady_clock counts CLOCK_MONOTONIC, which FUTEX_WAIT_BITSET takes as an absolute time.
    const auto since = deadline.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    until = {.tv_sec = seconds.count(), .tv_nsec = (since - seconds).count()};
  }
  const long rc = ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, seen,
                            deadline == kNever ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  return rc == 0 || errno != ETIMEDOUT;
}

void FutexWake(std::atomic<uint32_t>& word, int32_t waiters) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, waiters, nullptr, nullptr, 0);
}

}  // namespace protium
