// SPDX-License-Identifier: Apache-2.0
// What the system says of a process: a worker that is stopped does nothing until it is woken.
#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <string>

#include "os/file.h"

namespace protium {

// The letter of proc(5): R, S, D, T and others; '?' if there is no such process.
inline char ReadProcessState(pid_t pid) {
  const auto text = ReadFile(fmt::format("/proc/{}/stat", pid));
  const size_t name = text.ok() ? text->rfind(") ") : std::string::npos;
  return name == std::string::npos || name + 2 >= text->size() ? '?' : (*text)[name + 2];
}

// By a signal or by a debugger.
inline bool IsStopped(char state) { return state == 'T' || state == 't'; }

}  // namespace protium
