// SPDX-License-Identifier: Apache-2.0
// Signals what was started by a process that adopts the orphans among its descendants
// (PR_SET_CHILD_SUBREAPER): its children, which the children of ended ones join. Uses libc alone,
// for children of fork() and for the launcher, which has no C++ runtime.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace protium {

// Sends `signal` to each child of this process, which has one thread, by process id; if there are
// hundreds, only to some. On a kernel without the list of children (CONFIG_PROC_CHILDREN) it sends
// none.
inline void SignalChildren(int signal) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(getpid()));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char list[4096];
  const ssize_t size = read(fd, list, sizeof list - 1);
  close(fd);
  list[size > 0 ? size : 0] = 0;
  char* next = list;
  for (;;) {
    char* const from = next;
    const long pid = strtol(from, &next, 10);
    if (next == from || *next != ' ') return;  // The end, or a number that was cut off.
    kill(static_cast<pid_t>(pid), signal);
  }
}

}  // namespace protium
