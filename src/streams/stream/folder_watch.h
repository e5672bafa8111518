// SPDX-License-Identifier: Apache-2.0
// The files of a folder that are whole, as they come: each as soon as nobody writes it any more.
//
// 1. What is named like a draft is no file yet: a name that begins with "." or "_", or ends in
//    .tmp, .part, .partial, .crdownload or .swp.
// 2. A file is whole once no process has it open for writing (a read lease can be had,
//    F_SETLEASE(2)); where leases are not to be had, such as on network file systems, once its size
//    and time have stayed the same for a second.
// 3. inotify(7) wakes the waiting; a listing each second finds what no event told of.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "os/fd.h"

namespace protium {

// A file as it was found. Ordered by time, then by name: the order in which files are read.
struct FoundFile {
  int64_t changed_ns = 0;  // Since 1970.
  std::string name;
  int64_t bytes = 0;
  // What stays the same when it is renamed, and is another for a file that takes its name.
  int64_t inode = 0;
  int64_t born_ns = 0;  // 0: the file system does not know.
  auto operator<=>(const FoundFile&) const = default;
};

// One thread.
class FolderWatch {
 public:
  // Whether a file need not be reported (again).
  using Known = std::function<bool(const FoundFile&)>;

  // `pattern` is a glob for names (fnmatch(3)). The folder must exist.
  static Result<std::unique_ptr<FolderWatch>> Make(const std::filesystem::path& folder,
                                                   std::string pattern);

  // Waits for whole files that are not `known`, at most for `patience`. Returns them in order; none
  // if none came.
  Result<std::vector<FoundFile>> Wait(const Known& known, std::chrono::milliseconds patience,
                                      const std::stop_token& stop);

 private:
  FolderWatch(std::filesystem::path folder, std::string pattern)
      : folder_(std::move(folder)), pattern_(std::move(pattern)) {}
  // Sorted; also sets unfinished_.
  Result<std::vector<FoundFile>> List(const Known& known);
  bool IsWhole(const FoundFile& file);
  Status Sleep(std::chrono::milliseconds most, const std::stop_token& stop);

  struct Seen {
    FoundFile file;
    std::chrono::steady_clock::time_point since;
  };

  std::filesystem::path folder_;
  std::string pattern_;
  UniqueFd events_;
  bool changed_ = true;                     // Since the last listing.
  std::map<std::string, Seen> unfinished_;  // Found, but not whole.
};

}  // namespace protium
