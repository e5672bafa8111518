// SPDX-License-Identifier: Apache-2.0
#include "store/draft_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/json.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// flock(2) has no deadline of its own. Whoever waits for a table waits for seconds.
constexpr auto kTryAgain = std::chrono::milliseconds(10);

bool HasStillItsName(int fd, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

DraftHolder ReadHolder(const fs::path& path) {
  DraftHolder holder;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string text(1000, '\0');
  const ssize_t got = fd ? ::pread(fd.get(), text.data(), text.size(), 0) : 0;
  text.resize(size_t(std::max<ssize_t>(0, got)));
  const auto json = ParseJson(text);
  if (!json.ok() || !json->is_object() || TextAt(*json, "who").empty()) return holder;
  return {TextAt(*json, "who"), WholeAt(*json, "pid")};
}

Status WriteHolder(int fd, const std::string& who) {
  const std::string text = Dump({{"who", who.substr(0, 300)}, {"pid", ::getpid()}}) + "\n";
  if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, text.data(), text.size(), 0) == ssize_t(text.size()))
    return Status::OK();
  return SystemFault("write the lock of a draft", errno);
}

}  // namespace

Result<std::optional<DraftLock>> DraftLock::Try(const fs::path& path, const std::string& who) {
  while (true) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return SystemFault("open " + path.string(), errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::optional<DraftLock>();
      return SystemFault("lock " + path.string(), errno);
    }
    if (!HasStillItsName(fd.get(), path)) continue;
    DraftLock lock(path, std::move(fd));
    PT_TRY(WriteHolder(lock.fd_.get(), who));
    return std::optional<DraftLock>(std::move(lock));
  }
}

Result<DraftLock> DraftLock::Await(const fs::path& path, const std::string& who, const Call& call,
                                   const std::function<void(const DraftHolder&)>& waits) {
  bool said = false;
  while (true) {
    PT_LET(std::optional<DraftLock> lock, Try(path, who));
    if (lock) return std::move(*lock);
    const DraftHolder holder = ReadHolder(path);
    if (call.stop.stop_requested()) return Status::Cancelled("stopped while waiting for a draft");
    if (Clock::now() >= call.deadline) {
      return Fail({.exit = Exit::kStalled,
                   .what = fmt::format("{} (pid {}) still makes what this one needs", holder.who,
                                       holder.pid),
                   .where = path.string()});
    }
    // The name of the holder follows the lock within moments.
    if (!std::exchange(said, holder.pid > 0 || said) && said && waits) waits(holder);
    std::this_thread::sleep_for(kTryAgain);
  }
}

DraftLock::~DraftLock() {
  // Before the descriptor closes: afterwards the name may be that of another's file.
  if (fd_) ::unlink(path_.c_str());
}

}  // namespace protium
