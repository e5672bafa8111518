// SPDX-License-Identifier: Apache-2.0
#include "pool/zygote.h"

#include <fcntl.h>
#include <link.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/fault.h"
#include "os/link.h"
#include "os/poll.h"
#include "pool/pool_protocol.h"
#include "pool/profile.h"

namespace protium {

namespace {

constexpr std::string_view kWithTorch = ",torch";
constexpr double kZygoteSendSeconds = 1;

// A worker and the descriptors by which this process watches it.
struct Forked {
  pid_t pid = -1;
  UniqueFd process;  // Its pidfd.
  UniqueFd report;   // Closed at the other end when nobody wants to know any more.
  bool reported = false;
};

// What the pool gets of a new worker.
struct Handed {
  Channel channel;
  UniqueFd process;
  UniqueFd report;
};

size_t CountThreads() {
  std::error_code ignored;
  return size_t(std::distance(std::filesystem::directory_iterator("/proc/self/task", ignored), {}));
}

// The files that are mapped as libraries, with their identities: when one changes, a worker that
// starts anew would be another than one forked here.
Json LoadedFiles() {
  Json files = Json::object();
  const auto visit = [](dl_phdr_info* library, size_t, void* into) {
    const std::string path = library->dlpi_name;
    // The program itself and the kernel's own library have no path.
    if (path.starts_with('/')) (*static_cast<Json*>(into))[path] = FileIdentity(path);
    return 0;
  };
  ::dl_iterate_phdr(visit, &files);
  return files;
}

class Zygote {
 public:
  Zygote(Channel pool, const std::function<int(Channel)>& work)
      : pool_(std::make_unique<Link>(std::move(pool))), work_(work) {
    pool_->LimitSends(kZygoteSendSeconds);
  }

  int Run(const Status& loaded);

 private:
  Status Greet(const Status& loaded);
  void Round();
  void Hear();
  Status ForkSome(int64_t count);
  // Makes what its driver needs to watch a new worker.
  Result<Handed> Watched(pid_t pid, Channel channel);
  [[noreturn]] void BecomeWorker(Channel channel);
  // Returns whether nothing is left to be done for it.
  bool Watch(Forked& worker, const pollfd& process, const pollfd& report);

  std::unique_ptr<Link> pool_;  // Null: it is gone.
  const std::function<int(Channel)>& work_;
  std::vector<Forked> workers_;
};

int Zygote::Run(const Status& loaded) {
  if (!Greet(loaded).ok()) return static_cast<int>(Exit::kEnvironment);
  while (pool_ || !workers_.empty()) Round();
  return 0;
}

Status Zygote::Greet(const Status& loaded) {
  Status fit = loaded;
  if (const size_t threads = CountThreads(); fit.ok() && threads != 1) {
    fit = Fail({.exit = Exit::kEnvironment,
                .what = "the program has " + std::to_string(threads) +
                        " threads before it calls protium::Main"});
  }
  return pool_->Send({{"type", "ready"},
                      {"builds", OwnBuilds()},
                      {"files", LoadedFiles()},
                      {"error", StatusToJson(fit)}});
}

void Zygote::Round() {
  std::vector<pollfd> polls = {{.fd = pool_ ? pool_->fd() : -1, .events = POLLIN, .revents = 0}};
  for (const Forked& each : workers_) {
    polls.push_back(
        {.fd = each.reported ? -1 : each.process.get(), .events = POLLIN, .revents = 0});
    // No event but that the other end has closed.
    polls.push_back({.fd = each.report.get(), .events = 0, .revents = 0});
  }
  Poll(polls, kNever);
  std::vector<Forked> left;
  for (size_t i = 0; i < workers_.size(); ++i) {
    if (!Watch(workers_[i], polls[2 * i + 1], polls[2 * i + 2])) {
      left.push_back(std::move(workers_[i]));
    }
  }
  workers_ = std::move(left);
  if (polls[0].revents != 0) Hear();
}

bool Zygote::Watch(Forked& worker, const pollfd& process, const pollfd& report) {
  int status = 0;
  if ((report.revents & (POLLERR | POLLHUP)) != 0) {
    // Unless it was reported: then its driver knows, and the rest of the group is left alone.
    if (!worker.reported) {
      ::kill(-worker.pid, SIGKILL);
      ::kill(worker.pid, SIGKILL);
    }
    while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) continue;
    return true;
  }
  if (process.revents == 0) return false;
  // Not reaped yet, so that its number belongs to nobody else while its driver may signal it.
  siginfo_t info{};
  if (::waitid(P_PID, id_t(worker.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
  status = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f;
  (void)!::write(worker.report.get(), &status, sizeof status);
  worker.reported = true;
  return false;
}

void Zygote::Hear() {
  const auto frame = pool_->Receive(Clock::now());
  if (!frame.ok() && FaultOf(frame.status()).exit == Exit::kStalled) return;
  const bool known = frame.ok() && *frame && (*frame)->type == "fork";
  if (!known || !ForkSome(WholeAt((*frame)->head, "count")).ok()) pool_.reset();
}

// The pipes are made when all are forked: a new process holds copies of what was open then until it
// runs, and one that was stopped before would keep others from being seen to end.
Status Zygote::ForkSome(int64_t count) {
  std::vector<std::pair<pid_t, Channel>> made;
  for (int64_t i = 0; i < std::min<int64_t>(count, kMostInMessage); ++i) {
    auto ends = Channel::Pair();
    const pid_t pid = ends.ok() ? ::fork() : -1;
    if (pid == 0) BecomeWorker(std::move(ends->second));
    // The pool gets those that there is memory for.
    if (pid < 0) break;
    // Also here, because a signal to the group may come before the child has run.
    ::setpgid(pid, pid);
    made.emplace_back(pid, std::move(ends->first));
  }
  std::vector<Handed> handed;
  std::vector<int> fds;
  Json pids = Json::array();
  for (auto& [pid, channel] : made) {
    PT_LET(Handed one, Watched(pid, std::move(channel)));
    pids.push_back(pid);
    fds.insert(fds.end(), {one.channel.fd(), one.process.get(), one.report.get()});
    handed.push_back(std::move(one));
  }
  return pool_->Send({{"type", "workers"}, {"pids", pids}}, {}, fds);
}

Result<Handed> Zygote::Watched(pid_t pid, Channel channel) {
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  auto report = Pipe::Make();
  // It sees that nobody holds its channel, and ends.
  PT_TRY(report.status());
  workers_.push_back({pid, std::move(process), std::move(report->write)});
  PT_LET(UniqueFd copy, workers_.back().process.Duplicate());
  return Handed{std::move(channel), std::move(copy), std::move(report->read)};
}

// Holds nothing of the others: their channels must close when their owners' do.
void Zygote::BecomeWorker(Channel channel) {
  ::setpgid(0, 0);
  const unsigned fd = unsigned(channel.fd());
  ::syscall(SYS_close_range, fd + 1, ~0U, 0);
  if (fd > 3) ::syscall(SYS_close_range, 3U, fd - 1, 0);
  ::_exit(work_(std::move(channel)));
}

}  // namespace

bool IsZygote() { return std::getenv(kZygoteVariable) != nullptr; }

bool ZygoteWantsTorch() {
  const char* const value = std::getenv(kZygoteVariable);
  return value != nullptr && std::string_view(value).ends_with(kWithTorch);
}

int ZygoteMain(const Status& loaded, const std::function<int(Channel)>& work) {
  const char* const value = std::getenv(kZygoteVariable);
  char* end = nullptr;
  const long fd = value != nullptr ? std::strtol(value, &end, 10) : -1;
  if (fd < 3 || ::fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr, "error: %s is for processes that a pool starts\n", kZygoteVariable);
    return static_cast<int>(Exit::kUsage);
  }
  ::unsetenv(kZygoteVariable);
  return Zygote(Channel(UniqueFd(static_cast<int>(fd))), work).Run(loaded);
}

}  // namespace protium
