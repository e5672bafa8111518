// SPDX-License-Identifier: Apache-2.0
#include "os/launch.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

// Arguments, environment and descriptors are prepared; then vfork(): the child resets signals,
// leads its own group, requests SIGKILL at its parent's death, places its descriptors and calls
// execve(). The parent's thread waits until then, and reads from `error_`, which both share,
// whether it worked. Between vfork() and execve() the child uses the parent's memory and stack: no
// allocation, no locks, system calls only.

extern char** environ;

namespace protium {

namespace {

std::vector<std::string> Environment(const SubprocessOptions& options) {
  std::vector<std::string> all;
  const auto overridden = [&](std::string_view entry) {
    return std::any_of(options.env.begin(), options.env.end(), [&](const auto& pair) {
      return entry.starts_with(pair.first) && entry.substr(pair.first.size()).starts_with('=');
    });
  };
  for (char** entry = environ; options.inherits && *entry != nullptr; ++entry) {
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

Result<std::unique_ptr<Launch>> Launch::Make(const SubprocessOptions& options) {
  std::unique_ptr<Launch> launch(new Launch);
  launch->words_ = {options.program.string()};
  launch->words_.insert(launch->words_.end(), options.args.begin(), options.args.end());
  launch->environment_ = Environment(options);
  launch->argv_ = Pointers(launch->words_);
  launch->envp_ = Pointers(launch->environment_);
  launch->folder_ = options.folder.string();
  launch->session_ = options.session;
  launch->outlives_ = options.outlives;
  PT_LET(launch->log_, OpenLog(options.log));
  launch->nothing_ = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!launch->nothing_) return SystemFault("open /dev/null", errno);
  launch->fds_ = {{launch->nothing_.get(), 0}, {launch->log_.get(), 1}, {launch->log_.get(), 2}};
  launch->fds_.insert(launch->fds_.end(), options.fds.begin(), options.fds.end());
  launch->base_ = FreeBase(launch->fds_);
  return launch;
}

bool Launch::PlaceDescriptors() const {
  if (CopyDescriptors()) return true;
  // dup(2) reports a number beyond the limit as EBADF.
  if (errno == EBADF) errno = EMFILE;
  return false;
}

// First moves every source out of the way: its number may be another's target.
bool Launch::CopyDescriptors() const {
  // execve() closes whatever a foreign library opened without O_CLOEXEC; the copies below are made
  // after this.
  ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  int next = base_;
  for (const auto& pair : fds_) {
    if (::dup3(pair.first, next++, O_CLOEXEC) < 0) return false;
  }
  next = base_;
  for (const auto& pair : fds_) {
    if (::dup2(next++, pair.second) < 0) return false;
  }
  return true;
}

void Launch::RunChild() {
  ResetSignals();
  session_ ? (void)::setsid() : (void)::setpgid(0, 0);
  if (!outlives_) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before prctl; then nobody would send the signal.
  const bool placed = ::getppid() == parent_ && PlaceDescriptors();
  if (placed && (folder_.empty() || ::chdir(folder_.c_str()) == 0)) {
    ::execve(argv_[0], argv_.data(), envp_.data());
  }
  error_ = errno != 0 ? errno : ECHILD;
  ::_exit(127);
}

// vfork, because fork copies the page tables of a driver that may hold gigabytes.
[[gnu::noinline]] pid_t Launch::Start() {
  parent_ = ::getpid();
  sigset_t all;
  sigset_t before;
  // With signals blocked, no handler of the parent can run in the child while it shares the stack.
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::vfork();
  if (pid == 0) RunChild();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

}  // namespace protium
