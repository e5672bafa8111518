// SPDX-License-Identifier: Apache-2.0
#include "format/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/digest.h"
#include "base/fault.h"
#include "os/fd.h"

namespace protium {
namespace {

// The fault of a call on an input that failed with `error`, an errno.
Status FileFault(const std::string& path, std::string_view doing, int error) {
  // A limit of the process, not a problem with this file.
  if (error == EMFILE || error == ENFILE) {
    return SystemFault(std::string(doing) + " " + path, error);
  }
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG || error == ENOMEM;
  if (error == ENOENT) {
    return Fail({.exit = Exit::kInput, .what = "no such file or folder", .where = path});
  }
  return Fail({.exit = full ? Exit::kNoRoom : Exit::kInput,
               .what = "cannot " + std::string(doing) + ": " + std::strerror(error),
               .where = path});
}

// Reads facts from stat() or fstat(), whose result is `failed`. A folder or a pipe has no size to
// map.
Result<FileFacts> ReadFacts(const std::string& path, int failed, const struct stat& facts) {
  if (failed != 0) return FileFault(path, "read", errno);
  if (!S_ISREG(facts.st_mode)) {
    return Fail({.exit = Exit::kInput, .what = "not a file", .where = path});
  }
  // Nanoseconds, as the file system stores them: a file that is rewritten within a second has
  // changed.
  const int64_t seconds = facts.st_mtim.tv_sec;
  return FileFacts{path, facts.st_size, seconds * 1'000'000'000 + facts.st_mtim.tv_nsec};
}

}  // namespace

Result<std::string> FileSha256(const std::string& path) {
  PT_LET(const auto mapped, MappedFile::Open(path));
  return Sha256Hex(mapped->text());
}

Result<FileFacts> ReadFileFacts(const std::string& path) {
  struct stat facts;
  return ReadFacts(path, ::stat(path.c_str(), &facts), facts);
}

Result<std::unique_ptr<MappedFile>> MappedFile::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileFault(path, "open", errno);
  struct stat stat;
  const auto facts = ReadFacts(path, ::fstat(fd, &stat), stat);
  // An empty file cannot be mapped (mmap(2) fails with EINVAL) and needs no memory.
  void* data = nullptr;
  if (facts.ok() && facts->bytes > 0) {
    data = ::mmap(nullptr, facts->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  const int error = errno;  // close() may set it.
  ::close(fd);
  PT_TRY(facts);
  if (data == MAP_FAILED) return FileFault(path, "map", error);
  const auto size = static_cast<size_t>(facts->bytes);
  return std::unique_ptr<MappedFile>(new MappedFile(static_cast<const char*>(data), size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace protium
