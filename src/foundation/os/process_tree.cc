// SPDX-License-Identifier: Apache-2.0
#include "os/process_tree.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <utility>

#include "base/fault.h"
#include "os/descendants.h"
#include "os/file.h"
#include "os/launch.h"

// The keeper is forked, not executed: it starts at once, and a rank on a Spark executor need not
// find a program for it. The process that it is forked from has other threads, so it allocates
// nothing and calls nothing that locks. It sends {kStarted, errno}, then {kEnded, wait status} when
// the program has ended and nothing that it started is left; its end of the socket closes when it
// ends. It receives numbers of signals; the end of the socket means SIGKILL.

namespace protium {

namespace {

enum Word : int { kStarted = 1, kEnded = 2 };
struct Sent {
  int word = 0;
  int value = 0;
};

// For processes that a program left running when it ended, between SIGTERM and SIGKILL.
constexpr int kPatienceMs = 300;
constexpr int kLookMs = 5;

class Keeper {
 public:
  Keeper(Launch& launch, int socket) : launch_(launch), socket_(socket) {}

  [[noreturn]] void Run() {
    // Whatever signals it is sent, it goes on until everything has ended.
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    program_ = launch_.Start();
    const int error = program_ < 0 ? errno : launch_.error();
    Send({kStarted, error});
    if (error != 0) ::_exit(0);
    KeepOnlySocket();
    Watch();
    EndAll();
    Send({kEnded, status_});
    ::_exit(0);
  }

 private:
  void Send(Sent sent) { (void)!::send(socket_, &sent, sizeof(sent), MSG_NOSIGNAL); }

  // The pipes and channels inherited from the original process must close when that closes them.
  void KeepOnlySocket() {
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
    ::dup2(socket_, 3);
    socket_ = 3;
    ::syscall(SYS_close_range, 4, ~0U, 0);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    signals_ = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  // Runs until the program has ended or is to be killed.
  void Watch() {
    while (Reap(), !ended_) {
      pollfd polls[] = {{socket_, POLLIN, 0}, {signals_, POLLIN, 0}};
      ::poll(polls, 2, -1);
      signalfd_siginfo ignored;
      while (::read(signals_, &ignored, sizeof(ignored)) > 0) {
      }
      if (polls[0].revents != 0 && !Obey()) return;
    }
  }

  // False when it is time to kill.
  bool Obey() {
    char signal = 0;
    const ssize_t got = ::recv(socket_, &signal, 1, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0 || signal == SIGKILL) {
      patience_ = 0;
      return false;
    }
    ::kill(-program_, signal);
    SignalChildren(signal);
    return true;
  }

  // Reaps all that have ended. Returns whether there is no child left.
  bool Reap() {
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid == program_) ended_ = true, status_ = status;
      if (pid == 0) return false;
      if (pid < 0) return errno == ECHILD;
    }
  }

  void EndAll() {
    if (Reap()) return;
    if (patience_ > 0) {
      ::kill(-program_, SIGTERM);
      SignalChildren(SIGTERM);
    }
    for (int waited = 0; waited < patience_; waited += kLookMs) {
      if (Reap()) return;
      Look();
    }
    // This process adopts children of those that are killed, which are next. Some processes the
    // kernel cannot end, such as one in the middle of a read from a dead disk.
    for (int waited = 0; waited < 10'000; waited += kLookMs) {
      ::kill(-program_, SIGKILL);
      SignalChildren(SIGKILL);
      if (Reap()) return;
      Look();
    }
  }

  // Waits a short time, or until an order to kill.
  void Look() {
    pollfd poll{socket_, POLLIN, 0};
    if (patience_ > 0 && ::poll(&poll, 1, kLookMs) > 0) (void)Obey();
    if (patience_ > 0) return;
    const timespec span{0, kLookMs * 1'000'000};
    ::nanosleep(&span, nullptr);
  }

  Launch& launch_;
  int socket_;
  int signals_ = -1;
  pid_t program_ = -1;
  bool ended_ = false;
  int status_ = 0;
  int patience_ = kPatienceMs;
};

Ended EndedBy(int status) {
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status)};
}

Status NotRunnable(const std::string& name, std::string why, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = "cannot run \"" + name + "\": " + std::move(why),
               .fix = std::move(fix)});
}

}  // namespace

Result<ProcessTree> ProcessTree::Start(const SubprocessOptions& options) {
  SubprocessOptions own = options;
  own.session = true;
  PT_LET(const auto launch, Launch::Make(own));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemFault("make a socket", errno);
  }
  UniqueFd ours(ends[0]), theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return SystemFault("start a process", errno);
  if (pid == 0) {
    ours.reset();
    Keeper(*launch, theirs.get()).Run();
  }
  ProcessTree tree(pid, std::move(ours));
  theirs.reset();
  PT_TRY(tree.ReadStart(options));
  return tree;
}

Status ProcessTree::ReadStart(const SubprocessOptions& options) {
  Sent sent;
  ssize_t got = 0;
  do {
    got = ::recv(socket_.get(), &sent, sizeof(sent), 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(sent)) return SystemFault("start a process", ECHILD);
  if (sent.value == 0) return Status::OK();
  return SystemFault("run " + options.program.string(), sent.value);
}

ProcessTree::~ProcessTree() {
  if (keeper_ < 0 || !socket_) return;
  if (!gone_) Kill();
  // The end of the keeper closes the socket, which is all that this waits for; then it is reaped.
  (void)Wait(kNever);
  while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<std::optional<Ended>> ProcessTree::Wait(Deadline deadline) {
  while (!gone_) {
    const int fd = socket_.get();
    PT_LET(const auto ready, WaitReadable({&fd, 1}, deadline));
    if (ready.empty()) return std::optional<Ended>();
    Sent sent;
    const ssize_t got = ::recv(fd, &sent, sizeof(sent), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got == sizeof(sent) && sent.word == kEnded) ended_ = EndedBy(sent.value);
    if (got != sizeof(sent)) gone_ = true;
  }
  if (ended_) return ended_;
  return Fail({.what = "the process that kept a program was killed",
               .why = "someone killed it, or the system did because memory ran out"});
}

void ProcessTree::Terminate() {
  const char signal = SIGTERM;
  (void)!::send(socket_.get(), &signal, 1, MSG_NOSIGNAL);
}

void ProcessTree::Kill() {
  const char signal = SIGKILL;
  (void)!::send(socket_.get(), &signal, 1, MSG_NOSIGNAL);
}

Result<std::filesystem::path> FindProgram(const std::string& name, const char* path) {
  std::vector<std::filesystem::path> places;
  if (name.find('/') != std::string::npos) {
    places.emplace_back(name);
  } else {
    std::istringstream list(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
    for (std::string folder; std::getline(list, folder, ':');) {
      places.push_back(std::filesystem::path(folder.empty() ? "." : folder) / name);
    }
  }
  for (const auto& place : places) {
    if (IsRegularFile(place) && ::access(place.c_str(), X_OK) == 0)
      return std::filesystem::absolute(place);
  }
  std::error_code error;
  if (std::filesystem::is_directory(name, error)) return NotRunnable(name, "it is a folder", "");
  if (IsRegularFile(name)) {
    const bool slash = name.find('/') != std::string::npos;
    const bool may = ::access(name.c_str(), X_OK) == 0;
    if (may && !slash) {
      return NotRunnable(name, "it is not a program of PATH", "for the file here: ./" + name);
    }
    if (name.ends_with(".py")) {
      return NotRunnable(name, "the file is not executable", "python3 " + name);
    }
    return NotRunnable(name, "the file is not executable", "chmod +x " + name);
  }
  return NotRunnable(name, "there is no such program", "");
}

}  // namespace protium
