// SPDX-License-Identifier: Apache-2.0
// Unnamed memory that processes share by passing its descriptor (memfd_create(2)). Unlike with
// shm_open(), nothing remains when all of them are killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "os/fd.h"

namespace protium {

int64_t PageBytes();
int64_t RoundUpToPages(int64_t bytes);

// A shared mapping of a descriptor, readable and writable; the destructor unmaps it.
class Mapping {
 public:
  Mapping() = default;
  // Maps bytes [0, bytes) of `fd`, which stays the caller's.
  static Result<Mapping> Map(int fd, int64_t bytes);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::byte* data() const { return bytes_.data(); }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }
  std::span<std::byte> bytes() const { return bytes_; }
  // Returns the whole pages within [offset, offset + bytes) to the system, for every process; they
  // read as zero from then on.
  void Release(int64_t offset, int64_t bytes);

 private:
  explicit Mapping(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

// Zeroed shared memory. Pages take memory when they are first written.
class Memfd {
 public:
  Memfd() = default;
  // `name` is only shown in /proc/PID/fd.
  static Result<Memfd> Make(const std::string& name, int64_t bytes);
  // Takes a received descriptor and its size as the system reports it, at most `cap` bytes.
  static Result<Memfd> Adopt(UniqueFd fd, int64_t cap);

  int fd() const { return fd_.get(); }
  int64_t size() const { return size_; }
  // Makes it larger; earlier mappings retain their size.
  Status Grow(int64_t bytes);
  UniqueFd Take() { return std::move(fd_); }
  Result<Mapping> Map() const { return Mapping::Map(fd_.get(), size_); }

 private:
  Memfd(UniqueFd fd, int64_t size) : fd_(std::move(fd)), size_(size) {}
  UniqueFd fd_;
  int64_t size_ = 0;
};

}  // namespace protium
