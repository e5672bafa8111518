// SPDX-License-Identifier: Apache-2.0
#include "page/page_beside.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>

#include "base/fault.h"
#include "os/signals.h"
#include "terminal/printing.h"

namespace protium {

namespace {

constexpr auto kAddressWithin = std::chrono::seconds(20);

// While it lives, new threads are started with Ctrl-C blocked: the run itself receives it
// (os/signals.h), but only if all other threads block it.
class DeafThreads {
 public:
  DeafThreads() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~DeafThreads() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  DeafThreads(const DeafThreads&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Result<std::unique_ptr<PageBeside>> PageBeside::Start(const std::filesystem::path& runs) {
  std::unique_ptr<PageBeside> made;
  {
    const DeafThreads deaf;
    made.reset(new PageBeside);  // Its Spawner has a thread.
  }
  PT_LET(Pipe pipe, Pipe::Make());
  std::error_code ignored;
  SubprocessOptions options;
  options.program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  options.args = {"ui", std::filesystem::absolute(runs).string(), "--quiet"};
  options.fds = {{pipe.write.get(), STDOUT_FILENO}};
  PT_LET(made->page_, made->spawner_.Start(options));
  pipe.write.reset();  // Otherwise the pipe would never reach its end.
  made->said_ = std::move(pipe.read);
  PT_TRY(made->AwaitAddress());
  return made;
}

Status PageBeside::AwaitAddress() {
  const Deadline deadline = Clock::now() + kAddressWithin;
  std::string text;
  while (text.find('\n') == text.npos) {
    const std::array<int, 1> fds = {said_.get()};
    PT_LET(const auto ready, WaitReadable(fds, deadline));
    std::array<char, 512> bytes{};
    const ssize_t n = ready.empty() ? 0 : ::read(said_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return Fail({.exit = Exit::kEnvironment,
                   .what = "the web page of the run did not start",
                   .why = ready.empty() ? "it has not printed its address within 20 s"
                                        : "its message is above",
                   .fix = "run without --ui, and protium ui beside it"});
    }
    text.append(bytes.data(), size_t(n));
  }
  address_ = text.substr(0, text.find('\n'));
  return Status::OK();
}

Status PageBeside::StayUntilCtrlC() const {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PrintNote(fmt::format("the page stays at {} until Ctrl-C\n", address_));
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait(lock, signals->token(), [] { return false; });
  return Status::OK();
}

}  // namespace protium
