// SPDX-License-Identifier: Apache-2.0
// The bytes of a run as a file, without touching a disk.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "os/fd.h"

namespace protium {

class InputFile {
 public:
  InputFile(const uint8_t* data, size_t size) : fd_(::memfd_create("input", 0)) {
    // Lack of memory is no finding.
    if (!fd_ || ::write(fd_.get(), data, size) != ssize_t(size)) std::_Exit(0);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  UniqueFd fd_;
};

}  // namespace protium
