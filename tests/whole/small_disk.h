// SPDX-License-Identifier: Apache-2.0
// A disk that can be filled: a small file system in memory, visible only to this process and those
// that it starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace protium::whole {

class SmallDisk {
 public:
  // Returns why this process may have none; empty if it may. From the first call on it has its own
  // mounts. Must be called before there are threads.
  static std::string WhyNot();

  // Creates the folder `at` and mounts a disk of this size there.
  SmallDisk(std::filesystem::path at, int64_t bytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::filesystem::path& path() const { return at_; }
  void Resize(int64_t bytes) const;
  // Takes all the remaining space; MakeRoom() frees it.
  void Fill() const;
  void MakeRoom() const;

 private:
  const std::filesystem::path at_;
};

}  // namespace protium::whole
