// SPDX-License-Identifier: Apache-2.0
#include "store/input_hashes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "os/fd.h"
#include "store/blocks.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Clocks of file systems tick in steps of up to two seconds. A hash of younger bytes may be that of
// an earlier write with the same stamp. A time in the future is young as well.
constexpr int64_t kYoungNs = 2'000'000'000;

int64_t Nanoseconds(const timespec& time) {
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Result<FileStamp> StampOf(int fd, const fs::path& file) {
  struct stat about {};
  if (::fstat(fd, &about) != 0) return SystemFault("inspect " + file.string(), errno);
  if (!S_ISREG(about.st_mode)) {
    return Fail({.exit = Exit::kInput, .what = file.string() + " is no regular file"});
  }
  return FileStamp{int64_t(about.st_dev), int64_t(about.st_ino), about.st_size,
                   Nanoseconds(about.st_mtim), Nanoseconds(about.st_ctim)};
}

bool IsYoung(const InputContent& content) {
  return content.hashed - std::max(content.stamp.modified, content.stamp.changed) < kYoungNs;
}

Result<UniqueFd> OpenInput(const fs::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return SystemFault("open " + file.string(), errno);
  return fd;
}

Result<InputContent> ReadContent(int fd, const fs::path& file, int64_t now) {
  InputContent content{.hashed = now};
  PT_LET(content.stamp, StampOf(fd, file));
  PT_LET(content.hash, HashBytesOf(fd, content.stamp.bytes));
  PT_LET(const FileStamp after, StampOf(fd, file));
  if (after == content.stamp) return content;
  return Fail({.exit = Exit::kInput, .what = file.string() + " changed while it was read"});
}

}  // namespace

Result<InputContent> InputHashes::Hash(const fs::path& file) {
  const int64_t now = now_();
  PT_LET(const UniqueFd fd, OpenInput(file));
  PT_LET(const FileStamp stamp, StampOf(fd.get(), file));
  const auto known = index_.FileHash(stamp);
  if (known.ok() && *known) return InputContent{**known, stamp, now};
  PT_LET(InputContent content, ReadContent(fd.get(), file, now));
  // An index that cannot be written costs another reading next time, nothing else.
  if (!IsYoung(content)) (void)index_.PutFileHash(content.stamp, content.hash);
  return content;
}

Result<bool> InputHashes::IsUnchanged(const fs::path& file, const InputContent& content) {
  PT_LET(const UniqueFd fd, OpenInput(file));
  PT_LET(const FileStamp stamp, StampOf(fd.get(), file));
  if (stamp != content.stamp) return false;
  if (!IsYoung(content)) return true;
  PT_LET(const InputContent again, ReadContent(fd.get(), file, now_()));
  return again.hash == content.hash;
}

int64_t InputHashes::SystemNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace protium
