// SPDX-License-Identifier: Apache-2.0
// A program that is about to be started: everything that a child needs between fork and exec is
// prepared beforehand, because a child that shares memory or locks with its parent must not
// allocate.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "os/subprocess.h"

namespace protium {

class Launch {
 public:
  static Result<std::unique_ptr<Launch>> Make(const SubprocessOptions& options);
  Launch(const Launch&) = delete;

  // Calls vfork() and exec; the child leads its own group, or a session, and is killed when the
  // calling thread ends unless it outlives it. Returns when the program runs. Makes system calls
  // only, so it may be called in a child of fork(). -1 with errno if there is no child.
  pid_t Start();
  // After Start(), why the program does not run: an errno, or 0.
  int error() const { return error_; }

 private:
  Launch() = default;
  [[noreturn]] void RunChild();
  bool PlaceDescriptors() const;
  bool CopyDescriptors() const;

  std::vector<std::string> words_;
  std::vector<std::string> environment_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;
  std::string folder_;
  bool session_ = false;
  bool outlives_ = false;
  UniqueFd nothing_;
  UniqueFd log_;
  std::vector<std::pair<int, int>> fds_;  // {ours, child's}
  int parent_ = 0;
  int base_ = 3;  // Descriptors from here on are unused in the child.
  volatile int error_ = 0;
};

}  // namespace protium
