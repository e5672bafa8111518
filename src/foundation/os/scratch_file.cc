// SPDX-License-Identifier: Apache-2.0
#include "os/scratch_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "os/past_cache.h"

namespace protium {
namespace {

// The name exists only for an instant; a process killed during it leaves an empty file.
Result<UniqueFd> OpenUnlinked(const std::filesystem::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600));
  if (fd) return fd;
  // Some file systems cannot make a file without a name.
  std::string pattern = (folder / "scratch-XXXXXX").string();
  fd = UniqueFd(::mkostemp(pattern.data(), O_CLOEXEC));
  if (!fd) return SystemFault("make a file in " + folder.string(), errno);
  ::unlink(pattern.c_str());
  return fd;
}

Status NoRoom(const std::filesystem::path& folder, int64_t bytes, int64_t more, int error) {
  Fault fault{.exit = Exit::kNoRoom,
              .what = "no room on the disk for " + std::to_string(bytes) + " bytes of scratch",
              .where = folder.string(),
              .why = std::system_category().message(error)};
  std::error_code unknown;
  const auto space = std::filesystem::space(folder, unknown);
  if (!unknown) {
    fault.why += ": " + std::to_string(more) + " bytes more are needed, " +
                 std::to_string(space.available) + " are free";
  }
  fault.fix = "make room there, or choose a folder on a larger disk (engine.spill)";
  return Fail(std::move(fault));
}

}  // namespace

Result<ScratchFile> ScratchFile::Make(const std::filesystem::path& folder) {
  PT_TRY(MakeFolder(folder));
  PT_LET(UniqueFd fd, OpenUnlinked(folder));
  UniqueFd direct = OpenPastCache(fd, O_RDWR);
  return ScratchFile(std::move(fd), std::move(direct), folder);
}

Result<ScratchFile> ScratchFile::Adopt(UniqueFd fd, const std::filesystem::path& folder) {
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return SystemFault("look at a file of rows", errno);
  UniqueFd direct = OpenPastCache(fd, O_RDONLY);
  ScratchFile file(std::move(fd), std::move(direct), folder);
  file.reserved_ = about.st_size;
  return file;
}

Result<UniqueFd> ScratchFile::Share() const {
  UniqueFd copy(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return SystemFault("share a file in " + folder_.string(), errno);
  return copy;
}

Status ScratchFile::Reserve(int64_t bytes) {
  if (bytes <= reserved_) return Status::OK();
  int error = 0;
  // Writes zeros if the file system cannot reserve, so that the promise holds there as well.
  do {
    error = ::posix_fallocate(fd_.get(), reserved_, bytes - reserved_);
  } while (error == EINTR);
  if (error == 0) {
    reserved_ = bytes;
    return Status::OK();
  }
  // Frees what was allocated before the disk was full.
  if (::ftruncate(fd_.get(), reserved_) != 0) return SystemFault("shrink a file", errno);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return NoRoom(folder_, bytes, bytes - reserved_, error);
  }
  return SystemFault("reserve " + std::to_string(bytes) + " bytes in " + folder_.string(), error);
}

// Reads or writes all of `bytes` at `at`, past the page cache if they fit that; a read ends early
// at the end of the file.
template <class Byte, class Call>
Status ScratchFile::Move(int64_t at, std::span<Byte> bytes, Call call, const char* doing) const {
  bool direct = direct_ && FitsPastCache(at, bytes);
  while (!bytes.empty()) {
    const ssize_t moved =
        call(direct ? direct_.get() : fd_.get(), bytes.data(), bytes.size(), off_t(at));
    if (moved < 0 && errno == EINVAL && direct) {
      direct = false;  // A disk with larger blocks than pages.
      continue;
    }
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return SystemFault(doing + (" a file in " + folder_.string()), errno);
    bytes = bytes.subspan(size_t(moved));
    at += moved;
    const bool last_page = at + int64_t(bytes.size()) <= RoundUpToPages(reserved_);
    if (moved == 0 && at >= reserved_ && last_page) return Status::OK();
    if (moved == 0) return SystemFault(doing + (" a file in " + folder_.string()), ENODATA);
    direct = direct && moved % kPage == 0;
  }
  return Status::OK();
}

Status ScratchFile::Write(int64_t at, std::span<const std::byte> bytes) {
  PT_CHECK(at + int64_t(bytes.size()) <= reserved_);
  return Move(at, bytes, ::pwrite, "write to");
}

Status ScratchFile::Read(int64_t at, std::span<std::byte> into) const {
  return Move(at, into, ::pread, "read from");
}

Result<Mapping> ScratchFile::Map() const {
  PT_LET(Mapping mapping, Mapping::Map(fd_.get(), reserved_));
  // Or the kernel would read the neighbours of every page that is missing. Only advice.
  if (reserved_ > 0) ::madvise(mapping.data(), size_t(reserved_), MADV_RANDOM);
  return mapping;
}

void ScratchFile::Expect(int64_t at, int64_t bytes) const {
  // The kernel cuts larger requests to about this size.
  constexpr int64_t kStep = 512 << 10;
  const int64_t end = std::min(at + bytes, reserved_);
  for (; at < end; at += kStep) {
    ::posix_fadvise(fd_.get(), at, std::min(kStep, end - at), POSIX_FADV_WILLNEED);
  }
}

Status ScratchStream::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t some = std::min(bytes.size(), buffer_.size() - held_);
    std::memcpy(buffer_.data() + held_, bytes.data(), some);
    bytes = bytes.subspan(some);
    held_ += some;
    if (held_ < buffer_.size()) break;
    PT_TRY(file_->Write(at_, buffer_));
    at_ += int64_t(std::exchange(held_, 0));
  }
  return Status::OK();
}

// Whole pages are finished; the rest stays, to be written again when its page is full.
Status ScratchStream::Flush() {
  const size_t whole = held_ / ScratchFile::kPage * ScratchFile::kPage;
  PT_TRY(file_->Write(at_, buffer_.first(whole)));
  at_ += int64_t(whole);
  held_ -= whole;
  std::memmove(buffer_.data(), buffer_.data() + whole, held_);
  return file_->Write(at_, buffer_.first(held_));
}

// Finds memory for whole pages around the part.
Status ScratchAhead::Prepare(int64_t at, int64_t bytes) {
  next_.skip = at % ScratchFile::kPage;
  next_.bytes = bytes;
  const int64_t pages = RoundUpToPages(next_.skip + bytes);
  if (pages <= next_.capacity) return Status::OK();
  next_.memory.reset(
      static_cast<std::byte*>(std::aligned_alloc(ScratchFile::kPage, size_t(pages))));
  next_.capacity = next_.memory ? pages : 0;
  return next_.memory ? Status::OK() : SystemFault("read a file ahead", ENOMEM);
}

Status ScratchAhead::Begin(int64_t at, int64_t bytes) {
  PT_TRY(Prepare(at, bytes));
  const int64_t begin = at - next_.skip;
  const std::span into(next_.memory.get(), size_t(RoundUpToPages(next_.skip + bytes)));
  const auto read = [this, begin, into] { return file_.Read(begin, into); };
  if (int64_t(into.size()) < ScratchFile::kLarge) {
    // The kernel fetches so little by itself while the caller continues.
    file_.Expect(at, bytes);
    reading_ = std::async(std::launch::deferred, read);
    return Status::OK();
  }
  try {
    reading_ = std::async(std::launch::async, read);
  } catch (const std::system_error& error) {
    return SystemFault("start a thread", error.code().value());
  }
  return Status::OK();
}

Result<std::span<const std::byte>> ScratchAhead::Take() {
  PT_CHECK(reading_.valid());
  PT_TRY(reading_.get());
  std::swap(taken_, next_);
  return std::span<const std::byte>(taken_.memory.get() + taken_.skip, size_t(taken_.bytes));
}

}  // namespace protium
