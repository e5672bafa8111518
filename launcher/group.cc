// SPDX-License-Identifier: Apache-2.0
#include "launcher/group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

#include "launcher/clock.h"
#include "os/descendants.h"

namespace protium::launcher {
namespace {

constexpr int kKillMs = 300;

// Also reaps those that have ended.
bool HasChildren() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

bool WaitForChildren(int64_t deadline) {
  while (HasChildren()) {
    if (Now() >= deadline) return false;
    Sleep(2);
  }
  return true;
}

}  // namespace

bool LeadGroup() {
  setpgid(0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGHUP, SIG_IGN);
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  return getpgrp() == getpid();
}

bool JoinGroup(pid_t leader) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before prctl() took effect; then nobody would send the signal.
  if (getppid() != leader) return false;
  for (int number : {SIGHUP, SIGCHLD, SIGTERM}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing > 0) dup2(nothing, 0), close(nothing);
  dup2(2, 1);
  return true;
}

void KillMember(pid_t pid) {
  if (pid > 1 && pid != getpid() && getpgid(pid) == getpid()) kill(pid, SIGKILL);
}

void EndGroup(int patience_ms) {
  if (getpgrp() != getpid()) return;
  signal(SIGTERM, SIG_IGN);
  kill(0, SIGTERM);
  // Signals, by process id, children that left the group and orphans that this process adopted.
  SignalChildren(SIGTERM);
  if (WaitForChildren(Now() + patience_ms)) return;
  for (int64_t end = Now() + kKillMs; Now() < end;) {
    SignalChildren(SIGKILL);  // This process adopts their children, which are next.
    if (WaitForChildren(Now() + 10)) return;
  }
  kill(0, SIGKILL);
}

}  // namespace protium::launcher
