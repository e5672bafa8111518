// SPDX-License-Identifier: Apache-2.0
// The lock of a draft: who makes an object. Whoever wants the same object waits for it; when its
// process ends, however it ends, the kernel passes it on.
//
// 1. Only the holder of the lock touches the draft's folder.
// 2. The file is removed by its holder, after the folder has gone.
// 3. Whoever gets the lock of a file that has lost its name since begins again.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/call.h"
#include "os/fd.h"

namespace protium {

struct DraftHolder {
  std::string who = "another process";  // "run flights-1126-1702-m6bw"
  int64_t pid = 0;                      // 0: not known yet.
};

class DraftLock {
 public:
  // Takes the lock; none if another process or another draft of this one has it.
  static Result<std::optional<DraftLock>> Try(const std::filesystem::path& path,
                                              const std::string& who);
  // Waits for the lock until `deadline` (kStalled, which names the holder) or `stop` (Cancelled).
  // Calls `waits` once with the holder before it begins to wait; may be empty.
  static Result<DraftLock> Await(const std::filesystem::path& path, const std::string& who,
                                 const Call& call,
                                 const std::function<void(const DraftHolder&)>& waits);

  DraftLock(DraftLock&& other) noexcept = default;
  DraftLock& operator=(DraftLock&&) = delete;
  ~DraftLock();  // Removes the file (2).

 private:
  DraftLock(std::filesystem::path path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::filesystem::path path_;
  UniqueFd fd_;
};

}  // namespace protium
