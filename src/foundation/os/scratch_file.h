// SPDX-License-Identifier: Apache-2.0
// An unnamed file for what does not fit into memory: its space is freed with its descriptor,
// however the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <span>

#include "os/fd.h"
#include "os/memfd.h"
#include "os/past_cache.h"

namespace protium {

// Can be read and written at any offset; one thread writes, any thread may read what is written.
class ScratchFile {
 public:
  // Large reads and writes of whole pages, to and from whole pages, bypass the page cache if the
  // file system can do that.
  static constexpr int64_t kPage = kPastCachePage;
  static constexpr int64_t kLarge = kPastCacheLeast;

  ScratchFile() = default;
  // Makes one in `folder`, which is created if it is missing.
  static Result<ScratchFile> Make(const std::filesystem::path& folder);
  // Opens, for reading, a complete file that another ScratchFile has written, by a descriptor from
  // its Share(). `folder` is named in faults.
  static Result<ScratchFile> Adopt(UniqueFd fd, const std::filesystem::path& folder);
  // Returns a descriptor of the file for others: its space is taken until all are closed.
  Result<UniqueFd> Share() const;

  // Reserves disk space for bytes [0, bytes), so that no write there fails later for lack of it. If
  // the disk lacks the space (or a quota or a file limit does not allow it), fails with kNoRoom and
  // names bytes, folder and free space; earlier reservations stay.
  Status Reserve(int64_t bytes);
  // Bytes that are not reserved may not be written.
  Status Write(int64_t at, std::span<const std::byte> bytes);
  // All of `into` must have been written, except what is reserved behind it in its last page.
  Status Read(int64_t at, std::span<std::byte> into) const;
  // Maps all that is reserved, zeros where nothing is written, for reads and writes here and there.
  // The mapping outlives the file's descriptors, and a full disk cannot fail it.
  Result<Mapping> Map() const;
  // Asks the kernel to fetch bytes that will be read soon; does not wait for them.
  void Expect(int64_t at, int64_t bytes) const;
  explicit operator bool() const { return bool(fd_); }
  int64_t reserved() const { return reserved_; }

 private:
  ScratchFile(UniqueFd fd, UniqueFd direct, std::filesystem::path folder)
      : fd_(std::move(fd)), direct_(std::move(direct)), folder_(std::move(folder)) {}

  template <class Byte, class Call>
  Status Move(int64_t at, std::span<Byte> bytes, Call call, const char* doing) const;

  UniqueFd fd_;
  UniqueFd direct_;  // The same file opened past the page cache; none if that is not possible.
  std::filesystem::path folder_;
  int64_t reserved_ = 0;
};

// Writes a file from a whole page on, one piece after another, in large writes. Borrows the file
// and the buffer, which is page-aligned, holds whole pages and stays at its address.
class ScratchStream {
 public:
  ScratchStream(ScratchFile& file, int64_t begin, std::span<std::byte> buffer)
      : file_(&file), at_(begin), buffer_(buffer) {}
  Status Append(std::span<const std::byte> bytes);
  // Writes what the buffer holds; more may still be appended.
  Status Flush();

 private:
  ScratchFile* file_;
  int64_t at_;  // The offset in the file of the buffer's bytes.
  std::span<std::byte> buffer_;
  size_t held_ = 0;
};

// Reads parts of a file, each while the caller works on the previous one. Borrows the file.
class ScratchAhead {
 public:
  explicit ScratchAhead(const ScratchFile& file) : file_(file) {}
  // Begins to read, in a separate thread if that pays off; Take() must follow.
  Status Begin(int64_t at, int64_t bytes);
  // Waits for the bytes; they are valid until the next Take().
  Result<std::span<const std::byte>> Take();

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Part {
    std::unique_ptr<std::byte, Free> memory;  // Whole pages.
    int64_t capacity = 0;
    int64_t skip = 0;  // In the first page, the bytes before the part.
    int64_t bytes = 0;
  };
  Status Prepare(int64_t at, int64_t bytes);

  const ScratchFile& file_;
  Part taken_;
  Part next_;
  std::future<Status> reading_;  // Last: its thread ends before what it fills.
};

}  // namespace protium
