// SPDX-License-Identifier: Apache-2.0
// A program and everything that it starts, in whatever way: background jobs, daemons that fork
// twice and lead sessions of their own. They end together.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "os/subprocess.h"

namespace protium {

// A keeper process stands between this process and the program: a fork of this process that adopts
// orphans among the program's descendants. It ends them all when the program has ended, when Kill()
// is called, and when this process has ended, however that happens. One thread.
class ProcessTree {
 public:
  // The program leads a session of its own. Fails if it cannot be run.
  static Result<ProcessTree> Start(const SubprocessOptions& options);
  ProcessTree(ProcessTree&&) = default;
  ProcessTree& operator=(ProcessTree&&) = delete;
  // Kills whatever is left, and waits until it has ended.
  ~ProcessTree();

  // Readable when Wait() has news.
  int fd() const { return socket_.get(); }
  // Returns how the program ended, when nothing that it started is left; nullopt at the deadline.
  Result<std::optional<Ended>> Wait(Deadline deadline);
  // Sends SIGTERM to the program's group and to orphans.
  void Terminate();
  // Sends SIGKILL to everything.
  void Kill();

 private:
  ProcessTree(pid_t keeper, UniqueFd socket) : keeper_(keeper), socket_(std::move(socket)) {}
  Status ReadStart(const SubprocessOptions& options);

  pid_t keeper_ = -1;
  UniqueFd socket_;
  std::optional<Ended> ended_;
  bool gone_ = false;  // The keeper has ended, and so has everything else.
};

// Finds the file that a shell would run for `name`: the name itself if it has a slash, else the
// first executable file of that name in the folders of `path` (PATH). A fault (kUsage) says what
// prevents it: there is no such file, or it is a folder or not executable.
Result<std::filesystem::path> FindProgram(const std::string& name, const char* path);

}  // namespace protium
