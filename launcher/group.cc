// SPDX-License-Identifier: Apache-2.0
#include "launcher/group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

#include "launcher/clock.h"
#include "launcher/text.h"

namespace protium::launcher {
namespace {

constexpr int kKillMs = 300;

// Also reaps those that have ended.
bool HasChildren() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

// Children that left the group, and orphans that came to this process, are reached by their
// numbers. A kernel without this list (CONFIG_PROC_CHILDREN) gets only the group's signal.
void SignalChildren(int signal) {
  Text path = Format("/proc/self/task/%d/children", static_cast<int>(getpid()));
  int fd = open(path.chars, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  Text list;
  ssize_t size = read(fd, list.chars, sizeof list.chars - 1);
  close(fd);
  list.chars[size > 0 ? size : 0] = 0;
  char* next = list.chars;
  for (;;) {
    char* from = next;
    long pid = strtol(from, &next, 10);
    if (next == from || *next != ' ') return;  // The end, or a number that was cut off.
    kill(static_cast<pid_t>(pid), signal);
  }
}

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
  SignalChildren(SIGTERM);
  if (WaitForChildren(Now() + patience_ms)) return;
  for (int64_t end = Now() + kKillMs; Now() < end;) {
    SignalChildren(SIGKILL);  // Their own children come to this process and are next.
    if (WaitForChildren(Now() + 10)) return;
  }
  kill(0, SIGKILL);
}

}  // namespace protium::launcher
