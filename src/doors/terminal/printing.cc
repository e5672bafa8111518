// SPDX-License-Identifier: Apache-2.0
#include "terminal/printing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/fault.h"
#include "run/printable.h"

namespace protium {
namespace {

constexpr size_t kLongestLine = 4096;  // Bytes of a line on stderr; messages quote cells.

}  // namespace

Status PrintResult(std::string_view text) {
  // Only for a terminal: a pipe gets the bytes as they are.
  std::string shown;
  if (isatty(STDOUT_FILENO) == 1) text = shown = Printable(text);
  // Flushed at once; otherwise an error would only show at exit, where nobody could report it.
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return Status::OK();
  if (errno == EPIPE) return Fail({.exit = Exit::kDone, .what = "nobody reads the output"});
  return Fail({.exit = Exit::kEnvironment,
               .what = fmt::format("cannot write to stdout: {}", std::strerror(errno))});
}

void PrintNote(std::string_view text) {
  const std::string shown = Printable(text, kLongestLine);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace protium
