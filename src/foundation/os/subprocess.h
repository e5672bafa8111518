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
};

// How a process ended.
struct Ended {
  int code = 0;                  // Its exit code.
  int signal = 0;                // Or the signal that ended it.
  std::string Describe() const;  // "exited with code 3", "was killed by signal 9 (SIGKILL)"
};

// A child and its process group; the destructor kills both and reaps the child. After Wait() has
// reaped the child, the rest of its group is left alone. One thread.
class Subprocess {
 public:
  Subprocess() = default;
  // Takes over a child of this process that leads its own group, and its pidfd.
  Subprocess(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
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
  pid_t pid_ = -1;
  UniqueFd pidfd_;
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
