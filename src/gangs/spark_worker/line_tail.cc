// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/line_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/fault.h"
#include "os/fd.h"
#include "os/file_lock.h"

namespace protium {
namespace {

// Bytes read of one file at a time.
constexpr int64_t kPieceBytes = 4 << 20;
// The longest line that is accepted. States of ranking metrics take about 4 bytes a scored row.
constexpr int64_t kMostLineBytes = int64_t{1} << 30;

// Returns what is in the file from `begin` to `end`: a piece of it, or more if that contains no
// whole line.
Result<std::string> ReadWholeLine(int fd, const std::filesystem::path& path, int64_t begin,
                                  int64_t end) {
  std::string text;
  for (int64_t size = kPieceBytes;; size *= 2) {
    const size_t had = text.size();
    text.resize(size_t(std::min(size, end - begin)));
    const ssize_t got = ::pread(fd, text.data() + had, text.size() - had, begin + int64_t(had));
    if (got < 0) return SystemFault("read " + path.string(), errno);
    text.resize(had + size_t(got));
    const bool all = got == 0 || int64_t(text.size()) == end - begin;
    if (all || text.find('\n', had) != std::string::npos) return text;
    if (size < kMostLineBytes) continue;
    return Fail({.exit = Exit::kFailed,
                 .what = "a task's event is longer than 1 GiB",
                 .where = path.string()});
  }
}

}  // namespace

Result<std::vector<Json>> LineTail::Read() {
  const UniqueFd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return SystemFault("read " + path_.string(), errno);
  // Before the size is read: what was written before the lock was released is then read below.
  const bool locked = IsLockedByOthers(fd.get());
  released_ = held_ && !locked;
  held_ = held_ || locked;
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return SystemFault("read " + path_.string(), errno);
  std::vector<Json> lines;
  if (about.st_size <= read_) return lines;
  PT_LET(const std::string text, ReadWholeLine(fd.get(), path_, read_, about.st_size));
  // A line that is still being written has no end yet, and is left for the next time.
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    auto line = ParseJson(std::string_view(text).substr(begin, end - begin));
    if (line.ok() && line->is_object()) lines.push_back(*std::move(line));
  }
  read_ += int64_t(begin);
  return lines;
}

}  // namespace protium
