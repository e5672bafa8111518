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
#include <set>
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
  // Whether the last Wait() saw a file of which only time tells that it is whole, and which has not
  // changed since it was seen first.
  bool settling() const;

 private:
  FolderWatch(std::filesystem::path folder, std::string pattern)
      : folder_(std::move(folder)), pattern_(std::move(pattern)) {}
  using Time = std::chrono::steady_clock::time_point;

  // Looks at all files of the folder, or only at those that something was heard of and those that
  // were not whole.
  Result<std::vector<FoundFile>> List(const Known& known);
  std::vector<FoundFile> LookAgain(const Known& known);
  // Adds the file to `whole` if it is that and not known, or remembers it as unfinished.
  void Consider(const std::string& name, const Known& known, std::vector<FoundFile>& whole);
  bool IsWhole(const FoundFile& file);
  // Takes what inotify has to say.
  void Hear();
  Status Sleep(Time until, const std::stop_token& stop);

  struct Seen {
    FoundFile file;
    Time since;
    bool grows = false;
    bool has_writer = false;  // That somebody has it open for writing is known.
  };

  std::filesystem::path folder_;
  std::string pattern_;
  UniqueFd events_;
  std::set<std::string> touched_;           // Names that were heard of since the last look.
  Time list_at_;                            // When the whole folder is listed again.
  std::map<std::string, Seen> unfinished_;  // Found, but not whole.
};

}  // namespace protium
