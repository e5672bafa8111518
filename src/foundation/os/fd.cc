// SPDX-License-Identifier: Apache-2.0
#include "os/fd.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/fault.h"
#include "os/poll.h"

namespace protium {

namespace {

// What users can do about an errno: make room, name another file, or change the machine.
Exit ChooseExit(int error) {
  switch (error) {
    case ENOSPC:
    case EFBIG:
    case EDQUOT:
    case ENOMEM:
      return Exit::kNoRoom;
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
      return Exit::kInput;
    default:
      return Exit::kEnvironment;
  }
}

// A fix for an errno that always applies; for a full disk or memory, callers know better ones.
const char* FixOf(int error) {
  switch (error) {
    case EMFILE:
      return "allow more open files: ulimit -n 65536";
    case ENFILE:
      return "this machine has as many open files as it may: end programs, or raise fs.file-max";
    case ELOOP:
      return "remove the symbolic link that leads back to itself";
    case EACCES:
    case EPERM:
      return "give this user the right to it, or name another place";
    case EROFS:
      return "name a place that can be written to";
    default:
      return "";
  }
}

}  // namespace

// Not repeated when interrupted: Linux has closed the descriptor even then, and another thread may
// already have its number.
void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Result<UniqueFd> UniqueFd::Duplicate() const {
  const int fd = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return SystemFault("duplicate a descriptor", errno);
  return UniqueFd(fd);
}

Result<Pipe> Pipe::Make() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemFault("make a pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Status SystemFault(std::string_view doing, int error) {
  return Fail({.exit = ChooseExit(error),
               .what = "cannot " + std::string(doing) + ": " + ::strerror(error),
               .fix = FixOf(error)});
}

bool Poll(std::span<pollfd> polls, Deadline deadline) {
  for (;;) {
    // Computed again after an interruption, so that signals do not make a wait longer.
    timespec left{};
    if (deadline != kNever) {
      const auto wait = std::max(deadline - Clock::now(), Clock::duration::zero());
      const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
      left = {.tv_sec = seconds.count(), .tv_nsec = (wait - seconds).count()};
    }
    const int ready =
        ::ppoll(polls.data(), polls.size(), deadline == kNever ? nullptr : &left, nullptr);
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

Result<std::vector<size_t>> WaitReadable(std::span<const int> fds, Deadline deadline) {
  std::vector<pollfd> polls;
  for (const int fd : fds) polls.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  std::vector<size_t> ready;
  if (!Poll(polls, deadline)) return ready;
  for (size_t i = 0; i < polls.size(); ++i) {
    if (polls[i].revents & POLLNVAL) return SystemFault("wait for a descriptor", EBADF);
    if (polls[i].revents != 0) ready.push_back(i);
  }
  return ready;
}

}  // namespace protium
