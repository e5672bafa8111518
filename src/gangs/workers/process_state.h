// SPDX-License-Identifier: Apache-2.0
// The state of a process in the system: a stopped worker does nothing until it is continued.
#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <string>

#include "os/file.h"

namespace protium {

// Returns the letter of proc(5): R, S, D, T and others; '?' if there is no such process.
inline char ReadProcessState(pid_t pid) {
  const auto text = ReadFile(fmt::format("/proc/{}/stat", pid));
  const size_t name = text.ok() ? text->rfind(") ") : std::string::npos;
  return name == std::string::npos || name + 2 >= text->size() ? '?' : (*text)[name + 2];
}

// Whether it was stopped by a signal or a debugger.
inline bool IsStopped(char state) { return state == 'T' || state == 't'; }

}  // namespace protium
