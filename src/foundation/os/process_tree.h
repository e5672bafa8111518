// SPDX-License-Identifier: Apache-2.0
// A program with all that it starts, however it starts it: background jobs, daemons that fork twice
// and lead sessions of their own. They end together.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "os/subprocess.h"

namespace protium {

// A keeper stands between this process and the program: a fork of this process that adopts orphans
// among the program's descendants. It ends them all when the program has ended, when Kill() asks
// for it, and when this process is gone, however that ended. One thread.
class ProcessTree {
 public:
  // The program leads a session of its own. Fails if it cannot be run.
  static Result<ProcessTree> Start(const SubprocessOptions& options);
  ProcessTree(ProcessTree&&) = default;
  ProcessTree& operator=(ProcessTree&&) = delete;
  // Kills whatever is left, and waits for it.
  ~ProcessTree();

  // Readable when Wait() has something to tell.
  int fd() const { return socket_.get(); }
  // How the program ended, once nothing of what it started is left; nullopt at the deadline.
  Result<std::optional<Ended>> Wait(Deadline deadline);
  // SIGTERM to the program's group and to orphans.
  void Terminate();
  // SIGKILL to everything.
  void Kill();

 private:
  ProcessTree(pid_t keeper, UniqueFd socket) : keeper_(keeper), socket_(std::move(socket)) {}
  Status ReadStart(const SubprocessOptions& options);

  pid_t keeper_ = -1;
  UniqueFd socket_;
  std::optional<Ended> ended_;
  bool gone_ = false;  // The keeper has ended, and so has everything else.
};

// The file that a shell would run for `name`: the name itself where it has a slash, else the first
// of `path` (PATH) that holds an executable file of that name. A fault (kUsage) says what is in the
// way: nothing of that name, a folder, a file that may not be executed.
Result<std::filesystem::path> FindProgram(const std::string& name, const char* path);

}  // namespace protium
