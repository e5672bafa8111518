// SPDX-License-Identifier: Apache-2.0
#include "whole/small_disk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "os/fd.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

bool WriteLine(const char* path, const std::string& line) {
  std::ofstream file(path);
  file << line;
  return bool(file.flush());
}

// Becomes root in a new user namespace, unless it is root already.
bool BecomeRoot() {
  const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
  const std::string group = "0 " + std::to_string(::getegid()) + " 1";
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && WriteLine("/proc/self/setgroups", "deny") &&
         WriteLine("/proc/self/uid_map", user) && WriteLine("/proc/self/gid_map", group);
}

std::string EnterOwnMounts() {
  const bool own = ::unshare(CLONE_NEWNS) == 0 || BecomeRoot();
  // What is mounted here must not appear in the namespace that this one was copied from.
  const bool alone = own && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return alone ? "" : std::string("no mounts of our own: ") + ::strerror(errno);
}

std::string Size(int64_t bytes) { return "size=" + std::to_string(bytes); }

}  // namespace

std::string SmallDisk::WhyNot() {
  static const std::string why = EnterOwnMounts();
  return why;
}

SmallDisk::SmallDisk(fs::path at, int64_t bytes) : at_(std::move(at)) {
  fs::create_directories(at_);
  EXPECT_EQ(::mount("none", at_.c_str(), "tmpfs", 0, Size(bytes).c_str()), 0) << ::strerror(errno);
}

SmallDisk::~SmallDisk() { (void)::umount2(at_.c_str(), MNT_DETACH); }

void SmallDisk::Resize(int64_t bytes) const {
  EXPECT_EQ(::mount("none", at_.c_str(), "tmpfs", MS_REMOUNT, Size(bytes).c_str()), 0)
      << ::strerror(errno);
}

void SmallDisk::Fill() const {
  const UniqueFd file(::open((at_ / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(file);
  // The last bytes of free space are less than a block.
  static constexpr std::array<char, 1 << 16> kBlock{};
  for (size_t size = kBlock.size(); size > 0;) {
    if (::write(file.get(), kBlock.data(), size) <= 0) size /= 2;
  }
}

void SmallDisk::MakeRoom() const { EXPECT_TRUE(fs::remove(at_ / "filler")); }

}  // namespace protium::whole
