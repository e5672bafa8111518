// SPDX-License-Identifier: Apache-2.0
// A disk that can be filled: a small file system in memory, which this process and those that it
// starts see and nobody else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace protium::whole {

class SmallDisk {
 public:
  // Why this process may have none; empty when it may. From the first call on it has mounts of its
  // own. To be called before there are threads.
  static std::string WhyNot();

  // Makes the folder `at` and mounts a disk of so many bytes there.
  SmallDisk(std::filesystem::path at, int64_t bytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::filesystem::path& path() const { return at_; }
  void Resize(int64_t bytes) const;
  // Takes all space that is left; MakeRoom() gives it back.
  void Fill() const;
  void MakeRoom() const;

 private:
  const std::filesystem::path at_;
};

}  // namespace protium::whole
