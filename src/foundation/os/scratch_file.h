// SPDX-License-Identifier: Apache-2.0
// A file without a name, for what does not fit memory: its space is gone with its descriptor,
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
#include "os/past_cache.h"

namespace protium {

// Read and written at any offset; one thread writes, any may read what is written.
class ScratchFile {
 public:
  // Large reads and writes of whole pages, to and from whole pages, go past the page cache, where
  // the file system can do that.
  static constexpr int64_t kPage = kPastCachePage;
  static constexpr int64_t kLarge = kPastCacheLeast;

  ScratchFile() = default;
  // In `folder`, which is made if it is missing.
  static Result<ScratchFile> Make(const std::filesystem::path& folder);
  // A file that another ScratchFile has written as a whole, by a descriptor that it gave away; to
  // be read. `folder` is named in faults.
  static Result<ScratchFile> Adopt(UniqueFd fd, const std::filesystem::path& folder);
  // A descriptor of the file, for others: its space is taken until nobody holds one.
  Result<UniqueFd> Share() const;

  // Takes the disk's space for bytes [0, bytes): no write below fails for want of it later. A disk
  // without so much (or a quota, or a limit on files) is kNoRoom with bytes, folder and what is
  // free; what was reserved before stays.
  Status Reserve(int64_t bytes);
  // Bytes that are not reserved may not be written.
  Status Write(int64_t at, std::span<const std::byte> bytes);
  // All of `into` must have been written, but for what is reserved behind it in its last page.
  Status Read(int64_t at, std::span<std::byte> into) const;
  // Has the kernel fetch bytes that will be read soon; does not wait for them.
  void Expect(int64_t at, int64_t bytes) const;
  explicit operator bool() const { return bool(fd_); }
  int64_t reserved() const { return reserved_; }

 private:
  ScratchFile(UniqueFd fd, UniqueFd direct, std::filesystem::path folder)
      : fd_(std::move(fd)), direct_(std::move(direct)), folder_(std::move(folder)) {}

  template <class Byte, class Call>
  Status Move(int64_t at, std::span<Byte> bytes, Call call, const char* doing) const;

  UniqueFd fd_;
  UniqueFd direct_;  // The same file past the page cache; none where that cannot be.
  std::filesystem::path folder_;
  int64_t reserved_ = 0;
};

// Writes a file from some whole page on, one piece behind another, in large writes. Borrows both
// the file and the buffer, which holds whole pages, begins with one and stays the same.
class ScratchStream {
 public:
  ScratchStream(ScratchFile& file, int64_t begin, std::span<std::byte> buffer)
      : file_(&file), at_(begin), buffer_(buffer) {}
  Status Append(std::span<const std::byte> bytes);
  // Writes what the buffer holds; more may be appended all the same.
  Status Flush();

 private:
  ScratchFile* file_;
  int64_t at_;  // Where the buffer's bytes belong.
  std::span<std::byte> buffer_;
  size_t held_ = 0;
};

// Reads parts of a file, each while the caller is busy with the one before. Borrows the file.
class ScratchAhead {
 public:
  explicit ScratchAhead(const ScratchFile& file) : file_(file) {}
  // Begins to read, in a thread of its own if that is worth it; Take() must follow.
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
    int64_t skip = 0;  // Of the first page, what comes before the part.
    int64_t bytes = 0;
  };
  Status Prepare(int64_t at, int64_t bytes);

  const ScratchFile& file_;
  Part taken_;
  Part next_;
  std::future<Status> reading_;  // Last: its thread ends before what it fills.
};

}  // namespace protium
