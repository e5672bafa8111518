// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fault.h"
#include "os/file_lock.h"
#include "os/machine.h"

namespace protium {

Result<std::unique_ptr<EventFile>> EventFile::Make(std::filesystem::path path, bool locked) {
  const auto folder = path.parent_path();
  if (!path.empty() && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "the folder for events, " + folder.string() + ", cannot be written on " +
                         HostName(),
                 .why = SystemFault("use it", errno).message(),
                 .fix = "name a folder that the driver and all executors share"});
  }
  return std::unique_ptr<EventFile>(new EventFile(std::move(path), locked));
}

void EventFile::Write(const Json& event) {
  if (path_.empty()) return;
  std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = Append(event);
}

Status EventFile::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

Status EventFile::Append(const Json& event) {
  const std::string doing = "write the event file " + path_.string();
  if (!fd_) {
    fd_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!fd_) return SystemFault(doing, errno);
    // Without locks readers still learn from its beats whether this process lives.
    if (locked_) (void)LockFile(fd_.get());
  }
  const std::string line = Dump(event) + "\n";
  // One call with O_APPEND; a short write means that the disk is full.
  const ssize_t written = ::write(fd_.get(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return Status::OK();
  return SystemFault(doing, written < 0 ? errno : ENOSPC);
}

}  // namespace protium
