// SPDX-License-Identifier: Apache-2.0
#include "os/memfd.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fault.h"

namespace protium {

int64_t PageBytes() { return ::sysconf(_SC_PAGESIZE); }

int64_t RoundUpToPages(int64_t bytes) {
  const int64_t page = PageBytes();
  return (bytes + page - 1) / page * page;
}

Result<Mapping> Mapping::Map(int fd, int64_t bytes) {
  if (bytes == 0) return Mapping();
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) {
    return SystemFault("map " + std::to_string(bytes) + " bytes of shared memory", errno);
  }
  return Mapping(std::span(static_cast<std::byte*>(at), bytes));
}

Mapping::Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

// Only whole pages within the range: others may still read the rest of a partial page.
void Mapping::Release(int64_t offset, int64_t bytes) {
  const int64_t begin = RoundUpToPages(offset);
  const int64_t end = std::min(offset + bytes, size()) / PageBytes() * PageBytes();
  // MADV_REMOVE, since MADV_DONTNEED on a shared mapping only unmaps: the file would retain the
  // pages.
  if (begin < end) ::madvise(bytes_.data() + begin, end - begin, MADV_REMOVE);
}

Result<Memfd> Memfd::Make(const std::string& name, int64_t bytes) {
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC));
  if (!fd) return SystemFault("make shared memory", errno);
  Memfd memory(std::move(fd), 0);
  PT_TRY(memory.Grow(bytes));
  return memory;
}

// Asks the system for the size: a peer could claim anything.
Result<Memfd> Memfd::Adopt(UniqueFd fd, int64_t cap) {
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return SystemFault("inspect shared memory", errno);
  if (about.st_size > cap) {
    return Fail({.exit = Exit::kBug,
                 .what = "shared memory of " + std::to_string(about.st_size) +
                         " bytes arrived where at most " + std::to_string(cap) + " are expected"});
  }
  return Memfd(std::move(fd), about.st_size);
}

// Never smaller: reading beyond the end of a mapping's file would be a SIGBUS.
Status Memfd::Grow(int64_t bytes) {
  if (bytes <= size_) return Status::OK();
  // Makes the file longer without taking memory; pages are allocated when they are touched.
  if (::ftruncate(fd_.get(), bytes) != 0) {
    return SystemFault("grow shared memory to " + std::to_string(bytes) + " bytes", errno);
  }
  size_ = bytes;
  return Status::OK();
}

}  // namespace protium
