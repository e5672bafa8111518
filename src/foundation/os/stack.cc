// SPDX-License-Identifier: Apache-2.0
#include "os/stack.h"

#include <cxxabi.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "base/utf8.h"

namespace protium {
namespace {

constexpr int kMostFrames = 32;
// A failure is shown with the log's last lines, which should hold all of these.
constexpr int kWritten = 9;
// The handler's own frame, and the kernel's return from it.
constexpr int kSkipped = 2;
constexpr auto kPatience = std::chrono::milliseconds(500);

int Signal() { return SIGRTMAX - 2; }

// A handler can use only static data.
void* frames[kMostFrames];
std::atomic<int> found = 0;

// backtrace() is safe here after its library has been loaded.
void Note(int) {
  const int before = errno;
  found = ::backtrace(frames, kMostFrames);
  errno = before;
}

// Turns "/folder/lib.so(_ZN7protium...+0x12) [0x...]" into the function's name as in the source, or
// into "lib.so(function+0x12)".
std::string Readable(std::string line) {
  line = line.substr(0, line.find(" [0x"));
  // The folder names of an executor would fill the line.
  line.erase(0, line.rfind('/', line.find('(')) + 1);
  const size_t open = line.find('('), plus = line.find('+', open);
  if (plus == std::string::npos || plus == open + 1) return line;
  const std::string mangled = line.substr(open + 1, plus - open - 1);
  int status = 0;
  char* const name = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  if (status == 0) line = name;
  std::free(name);
  // Template types fill lines and say little.
  constexpr size_t kMost = 140;
  return Shortened(line, kMost);
}

bool AwaitNote() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (found == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return found > 0;
}

}  // namespace

void PrepareStacks() {
  void* frame = nullptr;
  // The first call loads libgcc, which must not happen in a handler.
  (void)::backtrace(&frame, 1);
  struct sigaction action {};
  action.sa_handler = Note;
  action.sa_flags = SA_RESTART;
  (void)::sigaction(Signal(), &action, nullptr);
}

void WriteStack(pid_t thread) {
  found = 0;
  (void)::syscall(SYS_tgkill, ::getpid(), thread, Signal());
  if (!AwaitNote()) {
    std::fprintf(stderr, "the task waits in the kernel, or its process is stopped\n");
    return;
  }
  char** const lines = ::backtrace_symbols(frames, found);
  std::string text = "the task is at this moment in\n";
  for (int i = kSkipped; lines != nullptr && i < std::min<int>(found, kSkipped + kWritten); ++i) {
    text += "  " + Readable(lines[i]) + "\n";
  }
  std::free(lines);
  std::fputs(text.c_str(), stderr);
}

}  // namespace protium
