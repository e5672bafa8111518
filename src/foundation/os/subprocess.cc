// SPDX-License-Identifier: Apache-2.0
#include "os/subprocess.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>

#include "os/launch.h"

namespace protium {

namespace {

// How long the parent of a process that has ended may take to report how.
constexpr std::chrono::seconds kReportTime{1};

Ended EndOf(int status) {
  return WIFSIGNALED(status) ? Ended{.signal = WTERMSIG(status)}
                             : Ended{.code = WEXITSTATUS(status)};
}

}  // namespace

std::string Ended::Describe() const {
  if (!seen) return "ended, and nobody was left who could see how";
  if (signal == 0) return "exited with code " + std::to_string(code);
  const char* name = ::sigabbrev_np(signal);
  return "was killed by signal " + std::to_string(signal) +
         (name ? std::string(" (SIG") + name + ")" : "");
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      report_(std::move(other.report_)),
      reported_by_(other.reported_by_),
      ended_(other.ended_) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this == &other) return *this;
  // The child held so far ends here.
  Kill();
  pid_ = std::exchange(other.pid_, -1);
  pidfd_ = std::move(other.pidfd_);
  report_ = std::move(other.report_);
  reported_by_ = other.reported_by_;
  ended_ = other.ended_;
  return *this;
}

Subprocess::~Subprocess() { Kill(); }

Result<std::optional<Ended>> Subprocess::Wait(Deadline deadline) {
  if (ended_ || pid_ < 0) return ended_;
  // A pidfd is readable when the child has ended, so waitpid() returns at once. A child without one
  // is only killed, after which waitpid() does not wait long either.
  if (pidfd_) {
    const int fd = pidfd_.get();
    PT_LET(const auto ready, WaitReadable({&fd, 1}, deadline));
    if (ready.empty()) return std::optional<Ended>();
  }
  if (report_) return ReadReport(deadline);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) return SystemFault("wait for process " + std::to_string(pid_), errno);
  }
  ended_ = EndOf(status);
  return ended_;
}

// It has ended; its parent reports how at once, unless that has ended, too, or is stopped.
Result<std::optional<Ended>> Subprocess::ReadReport(Deadline deadline) {
  if (!reported_by_) reported_by_ = Clock::now() + kReportTime;
  const int fd = report_.get();
  PT_LET(const auto ready, WaitReadable({&fd, 1}, std::min(deadline, *reported_by_)));
  if (ready.empty() && Clock::now() < *reported_by_) return std::optional<Ended>();
  int status = 0;
  const bool read = !ready.empty() && ::read(fd, &status, sizeof status) == sizeof status;
  ended_ = read ? EndOf(status) : Ended{.seen = false};
  // From now on it may be reaped.
  report_.reset();
  return ended_;
}

void Subprocess::Signal(int signal) {
  // Not after it was reaped: another process may have the number by then.
  if (pid_ <= 1 || ended_) return;
  // The kernel reaps it itself if its parent, not being us, has ended.
  if (report_ && ::syscall(SYS_pidfd_send_signal, pidfd_.get(), 0, nullptr, 0) != 0) return;
  ::kill(-pid_, signal);
}

Ended Subprocess::Kill() {
  Signal(SIGKILL);
  const auto ended = Wait(kNever);
  return ended.ok() && *ended ? **ended : Ended{};
}

struct Spawner::Queue {
  struct Request {
    // Owned by the caller, who waits for `done`.
    const SubprocessOptions* options;
    std::promise<Result<Subprocess>> done;
  };
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<Request> requests;
  // Last: it uses all of the above.
  std::jthread thread;

  Result<Subprocess> Start(const SubprocessOptions& options);
  void Serve(const std::stop_token& stop);
};

Result<Subprocess> Spawner::Queue::Start(const SubprocessOptions& options) {
  PT_LET(const auto launch, Launch::Make(options));
  const pid_t pid = launch->Start();
  if (pid < 0) return SystemFault("start a process", errno);
  // Not reaped yet: the number is this child's, even if it has ended.
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const bool watched = static_cast<bool>(pidfd);
  Subprocess child(pid, std::move(pidfd));
  // The destructor of `child` kills and reaps it.
  if (!watched) return SystemFault("watch process " + std::to_string(pid), errno);
  if (launch->error() != 0) return SystemFault("run " + options.program.string(), launch->error());
  return child;
}

void Spawner::Queue::Serve(const std::stop_token& stop) {
  for (;;) {
    std::unique_lock lock(mutex);
    if (!changed.wait(lock, stop, [this] { return !requests.empty(); })) return;
    Request request = std::move(requests.front());
    requests.pop_front();
    lock.unlock();
    request.done.set_value(Start(*request.options));
  }
}

Spawner::Spawner() : queue_(std::make_unique<Queue>()) {
  queue_->thread =
      std::jthread([queue = queue_.get()](std::stop_token stop) { queue->Serve(stop); });
}

Spawner::~Spawner() = default;

Result<Subprocess> Spawner::Start(const SubprocessOptions& options) {
  std::promise<Result<Subprocess>> done;
  auto started = done.get_future();
  {
    std::lock_guard lock(queue_->mutex);
    queue_->requests.push_back({&options, std::move(done)});
  }
  queue_->changed.notify_one();
  return started.get();
}

}  // namespace protium
