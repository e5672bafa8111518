// SPDX-License-Identifier: Apache-2.0
// What input files hold, by content and never by time. A file that was hashed before and has not
// changed since is not read again.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "base/status.h"
#include "store/index.h"

namespace protium {

struct InputContent {
  std::string hash;  // XXH3-128, 32 lower-case digits.
  FileStamp stamp;
  int64_t hashed = 0;  // Nanoseconds since 1970, before the bytes were read.
};

// Thread-safe.
class InputHashes {
 public:
  using Now = std::function<int64_t()>;  // Nanoseconds since 1970.
  explicit InputHashes(StoreIndex& index, Now now = SystemNow)
      : index_(index), now_(std::move(now)) {}

  // Hashes a regular file, or finds its hash. A file that changes meanwhile, and one that is none,
  // is a fault of kInput.
  Result<InputContent> Hash(const std::filesystem::path& file);
  // Whether the file still holds what Hash() found. One that was young then is read again: two
  // writes within the clock's tick have the same stamp.
  Result<bool> IsUnchanged(const std::filesystem::path& file, const InputContent& content);

  static int64_t SystemNow();

 private:
  StoreIndex& index_;
  Now now_;
};

}  // namespace protium
