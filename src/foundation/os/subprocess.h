// SPDX-License-Identifier: Apache-2.0
// Child processes that end with their driver.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/fd.h"

namespace protium {

struct SubprocessOptions {
  std::filesystem::path program;
  std::vector<std::string> args;                         // Without the program's own name.
  std::vector<std::pair<std::string, std::string>> env;  // Set on top of the own environment.
  std::vector<std::pair<int, int>> fds;  // {ours, its number in the child}, also 1 and 2
  std::filesystem::path log;  // stdout and stderr are appended here; empty: to the own stderr.
  std::filesystem::path folder = {};  // Its working directory; empty: the own one.
  bool session = false;               // Leads a session of its own, not only a group.
  bool inherits = true;               // The own environment; else it has only that of `env`.
  bool outlives = false;              // Is not killed when its parent ends.
};

// How a process ended.
struct Ended {
  int code = 0;                  // Its exit code.
  int signal = 0;                // Or the signal that ended it.
  bool seen = true;              // False: nobody was left who could see how it ended.
  std::string Describe() const;  // "exited with code 3", "was killed by signal 9 (SIGKILL)"
};

// A child and its process group; the destructor kills both and reaps the child. After Wait() has
// reaped the child, the rest of its group is left alone. The same for a process that another one
// starts and reaps on our behalf. One thread.
class Subprocess {
 public:
  Subprocess() = default;
  // Takes over a child of this process that leads its own group, and its pidfd.
  Subprocess(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  // The same for a child of another process. `report` is the reading end of a pipe on which that
  // one writes, when the child has ended, its wait status (an int); it reaps the child when the
  // other end closes, and kills its group first if it has not ended.
  Subprocess(pid_t pid, UniqueFd pidfd, UniqueFd report)
      : pid_(pid), pidfd_(std::move(pidfd)), report_(std::move(report)) {}
  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  ~Subprocess();

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // Readable when the child has ended.
  // Waits and reaps; nullopt at the deadline. Later calls return the same result at once.
  Result<std::optional<Ended>> Wait(Deadline deadline);
  // Sends `signal` to the child's group, unless the child has been reaped.
  void Signal(int signal);
  // Kills and reaps. Returns how the child ended.
  Ended Kill();

 private:
  Result<std::optional<Ended>> ReadReport(Deadline deadline);

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd report_;                               // Of another's child, until it is read.
  std::optional<Clock::time_point> reported_by_;  // How long its report may take.
  std::optional<Ended> ended_;
};

// Starts all children from one thread of its own, because the kernel kills a child when the
// *thread* that started it ends. So children end with their Spawner at the latest, even if this
// process is killed. Any thread.
class Spawner {
 public:
  Spawner();
  ~Spawner();
  Spawner(const Spawner&) = delete;

  // Returns the child as soon as it runs the program, with stdin from /dev/null, its own process
  // group, only the requested descriptors and no blocked signals. Fails if the program cannot be
  // run.
  Result<Subprocess> Start(const SubprocessOptions& options);

 private:
  struct Queue;
  std::unique_ptr<Queue> queue_;
};

}  // namespace protium
