// SPDX-License-Identifier: Apache-2.0
#include "os/signals.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "os/temporary_folder.h"
#include "os/thrown.h"

namespace protium {

namespace {

constexpr int kExitInterrupted = 130;  // As shells report SIGINT: 128 + 2.

// Ends by the signal, so that the parent sees which one it was.
[[noreturn]] void EndBy(int number) {
  const auto no_more = RemoveTemporaryFolders();
  ::signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::kill(::getpid(), number);
  ::_exit(128 + number);
}

}  // namespace

Result<std::unique_ptr<StopOnSignal>> StopOnSignal::Make() { return Start(/*ends=*/false); }

Result<std::unique_ptr<StopOnSignal>> StopOnSignal::MakeEnding() { return Start(/*ends=*/true); }

Result<std::unique_ptr<StopOnSignal>> StopOnSignal::Start(bool ends) {
  std::unique_ptr<StopOnSignal> made(new StopOnSignal(ends));
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  made->signals_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  made->ending_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!made->signals_ || !made->ending_) return SystemFault("watch for signals", errno);
  // Blocked signals wait in the descriptor; unblocked ones would end the process.
  ::pthread_sigmask(SIG_BLOCK, &set, &made->before_);
  try {
    made->thread_ = std::jthread([self = made.get()] { self->Watch(); });
  } catch (const std::system_error&) {
    ::pthread_sigmask(SIG_SETMASK, &made->before_, nullptr);
    return FaultOfThrown();
  }
  return made;
}

StopOnSignal::~StopOnSignal() {
  if (thread_.joinable()) {
    ::eventfd_write(ending_.get(), 1);
    thread_.join();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

void StopOnSignal::Watch() {
  const std::array<int, 2> fds = {signals_.get(), ending_.get()};
  for (;;) {
    const auto ready = WaitReadable(fds, kNever);
    // Indexes ascend, so the request to end is the last one if it is present.
    if (!ready.ok() || ready->empty() || ready->back() == 1) return;
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof(info)) != sizeof(info)) continue;
    if (ends_) EndBy(static_cast<int>(info.ssi_signo));
    // At once: a second signal means that the user does not want to wait for what the first one
    // began.
    if (stop_.stop_requested()) {
      const auto no_more = RemoveTemporaryFolders();
      ::_exit(kExitInterrupted);
    }
    signal_ = static_cast<int>(info.ssi_signo);
    stop_.request_stop();
  }
}

}  // namespace protium
