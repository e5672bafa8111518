// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/crash.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/fault.h"
#include "spark_worker/error_text.h"

// Everything is prepared beforehand: the file's path, a text for each signal, and a separate stack,
// since the crash may be an overflow of the thread's stack. The handler then calls only what POSIX
// allows in one, and backtrace(), which is safe after its library was loaded.

namespace protium {

namespace {

struct Crash {
  int signal;
  const char* name;
};
constexpr std::array<Crash, 5> kCrashes = {{{SIGSEGV, "SIGSEGV"},
                                            {SIGABRT, "SIGABRT"},
                                            {SIGFPE, "SIGFPE"},
                                            {SIGBUS, "SIGBUS"},
                                            {SIGILL, "SIGILL"}}};
constexpr size_t kTextBytes = 2048;
constexpr int kMaxFrames = 64;

// A handler can reach only what is static, and may not allocate.
struct Prepared {
  char path[1024];
  char text[kCrashes.size()][kTextBytes];
  char stack[64 << 10];
};
Prepared prepared;

void Say(int fd, const char* text) { (void)!::write(fd, text, std::strlen(text)); }

void Print(int fd, size_t which, void* const* frames, int count) {
  Say(fd, prepared.text[which]);
  ::backtrace_symbols_fd(frames, count, fd);
  Say(fd, kBacktraceEnd.data());
  Say(fd, "\n");
}

void OnCrash(int signal) {
  const auto* found = std::find_if(kCrashes.begin(), kCrashes.end(),
                                   [&](const Crash& each) { return each.signal == signal; });
  const auto which = static_cast<size_t>(found - kCrashes.begin());
  void* frames[kMaxFrames];
  const int count = ::backtrace(frames, kMaxFrames);
  Print(STDERR_FILENO, which, frames, count);
  if (prepared.path[0] != '\0') {
    const int fd = ::open(prepared.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) Print(fd, which, frames, count);
  }
  // SA_RESETHAND has restored the default by now, so this ends the process as the signal would.
  ::raise(signal);
}

// Cuts a text that is too long: what comes before its marks still says which task it was.
void Copy(const std::string& text, char* into, size_t bytes) {
  const size_t kept = std::min(text.size(), bytes - 1);
  std::memcpy(into, text.data(), kept);
  into[kept] = '\0';
}

void PreparePath() {
  const char* folder = std::getenv("PYTHON_FAULTHANDLER_DIR");
  if (folder == nullptr) return;
  Copy(std::string(folder) + "/" + std::to_string(::getpid()), prepared.path, sizeof prepared.path);
}

}  // namespace

void ReportCrashesAs(const RankFailure& failure) {
  for (size_t i = 0; i < kCrashes.size(); ++i) {
    RankFailure crash = failure;
    crash.kind = RankFailure::Kind::kEnded;
    crash.status =
        Fail({.exit = Exit::kBug, .what = std::string("crashed with signal ") + kCrashes[i].name});
    Copy(WorkerErrorText(crash), prepared.text[i], kTextBytes);
  }
}

void ReportCrashes() {
  PreparePath();
  ReportCrashesAs({.role = "worker"});
  void* frame = nullptr;
  // The first call loads libgcc, which may not happen in a handler.
  (void)::backtrace(&frame, 1);
  stack_t stack{.ss_sp = prepared.stack, .ss_flags = 0, .ss_size = sizeof prepared.stack};
  (void)::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = OnCrash;
  // SA_RESETHAND: a second crash, even in the handler, ends the process at once.
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (const Crash& each : kCrashes) (void)::sigaction(each.signal, &action, nullptr);
}

}  // namespace protium
