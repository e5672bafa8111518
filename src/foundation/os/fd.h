// SPDX-License-Identifier: Apache-2.0
// Owned file descriptors, and their errors as faults. Every descriptor of ours is closed on exec; a
// child gets only those that are passed to it (os/subprocess.h).
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/call.h"
#include "base/status.h"

namespace protium {

// Owns a file descriptor; -1 means none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);
  // Makes a second descriptor for the same file, closed on exec.
  Result<UniqueFd> Duplicate() const;

 private:
  int fd_ = -1;
};

// Neither end is inherited: a child gets a copy of the end that it uses.
struct Pipe {
  UniqueFd read;
  UniqueFd write;

  static Result<Pipe> Make();
};

// Makes a fault of errno `error` met while `doing` ("open /a/b"): a full disk or memory exits as
// kNoRoom, a missing file as kInput, everything else as kEnvironment, with a fix if there is one
// that fits whatever was being done.
Status SystemFault(std::string_view doing, int error);

// Waits until one of `fds` can be read, is closed by the other side, or failed. Returns their
// indexes; none if the deadline comes first. Descriptors of -1 are ignored.
Result<std::vector<size_t>> WaitReadable(std::span<const int> fds, Deadline deadline);

}  // namespace protium
