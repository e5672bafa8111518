// SPDX-License-Identifier: Apache-2.0
#include "os/file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/fault.h"
#include "os/past_cache.h"
#include "os/publish.h"

namespace protium {

namespace {

constexpr int64_t kKernelBytes = 64 << 10;

Result<UniqueFd> Open(const std::filesystem::path& path, int flags, std::string_view doing) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!fd) return SystemFault(std::string(doing) + " " + path.string(), errno);
  return fd;
}

// Fills `text` from `offset` on; shortens it at the end of the file.
Status ReadAt(int fd, int64_t offset, std::string& text) {
  size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::pread(fd, text.data() + filled, text.size() - filled, offset + filled);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) return SystemFault("read a file", errno);
    if (got > 0) filled += got;
  }
  text.resize(filled);
  return Status::OK();
}

// Calls `make` with names beside `path` until one is free, because a rename is atomic only within
// one file system. Returns the name, or an empty one with errno set.
template <class Make>
std::string NameBeside(const std::filesystem::path& path, Make make) {
  for (int tries = 0; tries < 100; ++tries) {
    uint32_t number = 0;
    if (::getrandom(&number, sizeof(number), 0) != sizeof(number)) number = ::getpid() + tries;
    std::string name = path.string() + "." + std::to_string(number);
    if (make(name)) return name;
    if (errno != EEXIST) break;
  }
  return {};
}

// Uses 0666 minus the umask, the rights of all new files of this process; mkstemp() would make it
// private.
constexpr mode_t kRights = 0666;

// Makes a nameless file in the folder of `path`, which disappears with its descriptor however the
// process ends. None if the file system has no such files, or without /proc, which is needed to
// name it.
UniqueFd MakeNameless(const std::filesystem::path& path) {
  if (::access("/proc/self/fd", X_OK) != 0) return {};
  const std::filesystem::path folder = path.parent_path();
  return UniqueFd(
      ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kRights));
}

// Gives a nameless file a name that must be free.
bool Name(int fd, const std::string& name) {
  const std::string from = "/proc/self/fd/" + std::to_string(fd);
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

Result<std::string> ReadFile(const std::filesystem::path& path, int64_t cap_bytes) {
  PT_LET(const UniqueFd fd, Open(path, O_RDONLY, "read"));
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return SystemFault("read " + path.string(), errno);
  if (S_ISDIR(about.st_mode)) return SystemFault("read " + path.string(), EISDIR);
  if (about.st_size > cap_bytes) {
    return Fail({.exit = Exit::kInput,
                 .what = path.string() + " has " + std::to_string(about.st_size) +
                         " bytes; the limit is " + std::to_string(cap_bytes)});
  }
  // The kernel generates files of /proc and /sys as they are read, and reports a size of 0.
  const int64_t bytes = about.st_size > 0 ? about.st_size : std::min(kKernelBytes, cap_bytes);
  std::string text(bytes, '\0');
  PT_TRY(ReadAt(fd.get(), 0, text));
  return text;
}

std::string ReadTail(const std::filesystem::path& path, int64_t cap_bytes) {
  const auto fd = Open(path, O_RDONLY, "read");
  struct stat about {};
  if (!fd.ok() || ::fstat(fd->get(), &about) != 0) return {};
  const int64_t begin = std::max<int64_t>(0, about.st_size - cap_bytes);
  std::string text(about.st_size - begin, '\0');
  if (!ReadAt(fd->get(), begin, text).ok()) return {};
  if (begin == 0) return text;
  // What precedes the first line break is part of a line.
  const size_t line = text.find('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

Result<AtomicFile> AtomicFile::Make(std::filesystem::path path) {
  UniqueFd fd = MakeNameless(path);
  if (fd) return AtomicFile(std::move(path), "", std::move(fd));
  std::string temporary = NameBeside(path, [&](const std::string& name) {
    fd.reset(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kRights));
    return bool(fd);
  });
  if (!fd) return SystemFault("write " + path.string(), errno);
  return AtomicFile(std::move(path), std::move(temporary), std::move(fd));
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::move(other.fd_)),
      written_(other.written_) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status AtomicFile::Failed(std::string_view doing, int64_t bytes, int error) const {
  Fault fault = FaultOf(SystemFault(
      std::string(doing) + " " + std::to_string(bytes) + " bytes to " + path_.string(), error));
  std::error_code ignored;
  // The user's earlier result still exists, which is worth saying.
  if (std::filesystem::exists(path_, ignored)) fault.kept = "the previous " + path_.string();
  return Fail(std::move(fault));
}

Status AtomicFile::Write(std::span<const std::byte> bytes) {
  const int64_t total = written_ + static_cast<int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_.get(), bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) return Failed("write", total, errno);
    // Interrupted, or less was written than requested: both go on.
    if (put <= 0) continue;
    bytes = bytes.subspan(put);
    written_ += put;
  }
  return Status::OK();
}

// What cannot bypass the cache, and the error in that case, is left to Write().
Status AtomicFile::WritePastCache(std::span<const std::byte> bytes) {
  const auto page = static_cast<size_t>(kPastCachePage);
  std::span<const std::byte> whole = bytes.first(bytes.size() / page * page);
  if (!FitsPastCache(written_, whole)) return Write(bytes);
  const UniqueFd direct = OpenPastCache(fd_, O_WRONLY);
  while (direct && !whole.empty()) {
    const ssize_t put = ::pwrite(direct.get(), whole.data(), whole.size(), written_);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    written_ += put;
    whole = whole.subspan(put);
    bytes = bytes.subspan(put);
    if (put % kPastCachePage != 0) break;
  }
  if (::lseek(fd_.get(), written_, SEEK_SET) < 0) return Failed("write", written_, errno);
  return Write(bytes);
}

Status AtomicFile::TakeName() {
  if (temporary_.empty()) {
    if (Name(fd_.get(), path_.string())) return Status::OK();
    // Only rename(2) can replace an existing file, and it needs a name for that.
    if (errno != EEXIST) return Failed("move", written_, errno);
    temporary_ = NameBeside(path_, [&](const std::string& name) { return Name(fd_.get(), name); });
    if (temporary_.empty()) return Failed("move", written_, errno);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return Failed("move", written_, errno);
  temporary_.clear();
  return Status::OK();
}

Status AtomicFile::Commit() {
  // Before the name moves: otherwise a loss of power could leave it with an empty file. Some disks
  // report only here that they are full.
  if (::fsync(fd_.get()) != 0) return Failed("write", written_, errno);
  PT_TRY(TakeName());
  fd_.reset();
  // A new name is safe on the disk only when its folder is synced.
  return SyncFolder(path_.parent_path());
}

void RemoveLeftBeside(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const std::string stem = path.filename().string() + ".";
  std::error_code ignored;
  for (fs::directory_iterator it(path.parent_path(), ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    const std::string name = it->path().filename().string();
    // The names that NameBeside() gives.
    if (!name.starts_with(stem) || name.size() == stem.size()) continue;
    if (name.find_first_not_of("0123456789", stem.size()) != std::string::npos) continue;
    ::unlink(it->path().c_str());
  }
}

Status WriteFile(const std::filesystem::path& path, std::string_view text) {
  PT_LET(AtomicFile file, AtomicFile::Make(path));
  PT_TRY(file.Write(text));
  return file.Commit();
}

bool IsRegularFile(const std::filesystem::path& path) {
  std::error_code missing;
  return std::filesystem::is_regular_file(path, missing);
}

bool HasOpen(int process, const std::filesystem::path& file) {
  std::error_code hidden;
  const std::filesystem::path fds = "/proc/" + std::to_string(process) + "/fd";
  for (const auto& each : std::filesystem::directory_iterator(fds, hidden)) {
    if (std::filesystem::equivalent(each.path(), file, hidden)) return true;
  }
  return false;
}

Status MakeFolder(const std::filesystem::path& path) {
  if (path.empty()) return Status::OK();
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return SystemFault("make the folder " + path.string(), error.value());
  return Status::OK();
}

}  // namespace protium
