// SPDX-License-Identifier: Apache-2.0
#include "os/subprocess.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
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

// How a child starts: its arguments, environment and descriptors are made ready; the spawner's
// thread calls vfork(); the child resets signals, leads a group of its own, asks for SIGKILL at its
// parent's death, places its descriptors and calls execve(). The parent's thread waits that long,
// and then reads in `Launch::error`, which both share, whether it worked. Between vfork() and
// execve() the child uses the parent's memory and stack: no allocation, no locks, system calls
// only.

extern char** environ;

namespace protium {

namespace {

// All that the child needs between vfork and exec, made before: it shares our memory and must not
// allocate.
struct Launch {
  const char* program = nullptr;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<std::pair<int, int>> fds;  // {ours, child's}
  int parent = 0;
  int base = 0;  // Descriptors from here on are free in the child.
  volatile int error = 0;
};

std::vector<std::string> Environment(const SubprocessOptions& options) {
  std::vector<std::string> all;
  const auto overridden = [&](std::string_view entry) {
    return std::any_of(options.env.begin(), options.env.end(), [&](const auto& pair) {
      return entry.starts_with(pair.first) && entry.substr(pair.first.size()).starts_with('=');
    });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!overridden(*entry)) all.emplace_back(*entry);
  }
  for (const auto& [key, value] : options.env) all.push_back(key + "=" + value);
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void ResetSignals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  // An ignored signal stays ignored across execve(), and a handler of the parent's must not run in
  // the child.
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Moves every source out of the way first: one's number may be another's place.
bool PlaceDescriptors(const Launch& launch) {
  // Whatever a foreign library opened without O_CLOEXEC is closed by execve(); the copies below are
  // made after that.
  ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  int next = launch.base;
  for (const auto& pair : launch.fds) {
    if (::dup3(pair.first, next++, O_CLOEXEC) < 0) return false;
  }
  next = launch.base;
  for (const auto& pair : launch.fds) {
    if (::dup2(next++, pair.second) < 0) return false;
  }
  return true;
}

[[noreturn]] void RunChild(Launch& launch) {
  ResetSignals();
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before prctl; then nobody would send the signal.
  if (::getppid() == launch.parent && PlaceDescriptors(launch)) {
    ::execve(launch.program, launch.argv.data(), launch.envp.data());
  }
  launch.error = errno != 0 ? errno : ECHILD;
  ::_exit(127);
}

// vfork, because fork copies the page tables of a driver that may hold gigabytes.
[[gnu::noinline]] pid_t Vfork(Launch& launch) {
  sigset_t all;
  sigset_t before;
  // With signals blocked no handler of the parent's can run in the child while it shares the stack.
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::vfork();
  if (pid == 0) RunChild(launch);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

Result<UniqueFd> OpenLog(const std::filesystem::path& log) {
  if (log.empty()) return UniqueFd(::fcntl(2, F_DUPFD_CLOEXEC, 3));
  UniqueFd fd(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) return SystemFault("write " + log.string(), errno);
  return fd;
}

int FreeBase(const std::vector<std::pair<int, int>>& fds) {
  int base = 3;
  for (const auto& [ours, theirs] : fds) base = std::max({base, ours + 1, theirs + 1});
  return base;
}

}  // namespace

std::string Ended::Describe() const {
  if (signal == 0) return "exited with code " + std::to_string(code);
  const char* name = ::sigabbrev_np(signal);
  return "was killed by signal " + std::to_string(signal) +
         (name ? std::string(" (SIG") + name + ")" : "");
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), ended_(other.ended_) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this == &other) return *this;
  Kill();
  pid_ = std::exchange(other.pid_, -1);
  pidfd_ = std::move(other.pidfd_);
  ended_ = other.ended_;
  return *this;
}

Subprocess::~Subprocess() { Kill(); }

Result<std::optional<Ended>> Subprocess::Wait(Deadline deadline) {
  if (ended_ || pid_ < 0) return ended_;
  if (pidfd_) {
    const int fd = pidfd_.get();
    PT_LET(const auto ready, WaitReadable({&fd, 1}, deadline));
    if (ready.empty()) return std::optional<Ended>();
  }
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) return SystemFault("wait for process " + std::to_string(pid_), errno);
  }
  ended_ =
      WIFSIGNALED(status) ? Ended{.signal = WTERMSIG(status)} : Ended{.code = WEXITSTATUS(status)};
  return ended_;
}

void Subprocess::Signal(int signal) {
  // Not after it was reaped: the number may be another process's by then.
  if (pid_ > 1 && !ended_) ::kill(-pid_, signal);
}

Ended Subprocess::Kill() {
  Signal(SIGKILL);
  const auto ended = Wait(kNever);
  return ended.ok() && *ended ? **ended : Ended{};
}

struct Spawner::Queue {
  struct Request {
    const SubprocessOptions* options;
    std::promise<Result<Subprocess>> done;
  };
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<Request> requests;
  std::jthread thread;

  Result<Subprocess> Launch(const SubprocessOptions& options);
  void Serve(const std::stop_token& stop);
};

Result<Subprocess> Spawner::Queue::Launch(const SubprocessOptions& options) {
  std::vector<std::string> words = {options.program.string()};
  words.insert(words.end(), options.args.begin(), options.args.end());
  std::vector<std::string> environment = Environment(options);
  PT_LET(const UniqueFd log, OpenLog(options.log));
  const UniqueFd none(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  struct Launch launch;
  launch.program = words[0].c_str();
  launch.argv = Pointers(words);
  launch.envp = Pointers(environment);
  launch.fds = {{none.get(), 0}, {log.get(), 1}, {log.get(), 2}};
  launch.fds.insert(launch.fds.end(), options.fds.begin(), options.fds.end());
  launch.parent = ::getpid();
  launch.base = FreeBase(launch.fds);
  const pid_t pid = Vfork(launch);
  if (pid < 0) return SystemFault("start a process", errno);
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const bool watched = static_cast<bool>(pidfd);
  Subprocess child(pid, std::move(pidfd));
  // `child` kills and reaps it on the way out.
  if (!watched) return SystemFault("watch process " + std::to_string(pid), errno);
  if (launch.error != 0) return SystemFault("run " + words[0], launch.error);
  return child;
}

void Spawner::Queue::Serve(const std::stop_token& stop) {
  for (;;) {
    std::unique_lock lock(mutex);
    if (!changed.wait(lock, stop, [this] { return !requests.empty(); })) return;
    Request request = std::move(requests.front());
    requests.pop_front();
    lock.unlock();
    request.done.set_value(Launch(*request.options));
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
