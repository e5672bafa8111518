// SPDX-License-Identifier: Apache-2.0
// The processes that share a stream, as each of them sees the others: by locks on files in a folder
// that all of them reach. A process that dies, however it does, is no longer seen.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/status.h"
#include "os/fd.h"

namespace protium {

// How many processes there are, and this one's place among them, from 0.
struct InstancePlace {
  int64_t place = 0;
  int64_t count = 1;
};

// How many of `parts` belong to the process there: as many as to any other, and one more to the
// first ones if they do not come out even.
int64_t PartsOf(int64_t parts, const InstancePlace& place);

// One thread.
class Instances {
 public:
  // Takes the file with the lowest number in `folder` that no other process has.
  static Result<Instances> Join(const std::filesystem::path& folder);
  InstancePlace Look() const;

 private:
  Instances(std::filesystem::path folder, int64_t number, UniqueFd lock)
      : folder_(std::move(folder)), number_(number), lock_(std::move(lock)) {}

  std::filesystem::path folder_;
  int64_t number_;
  UniqueFd lock_;
};

}  // namespace protium
