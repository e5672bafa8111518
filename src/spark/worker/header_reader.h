// SPDX-License-Identifier: Apache-2.0
// The fields of a task's header. Every length is held against what the header may still take
// before memory is given to it.
#pragma once

#include <map>
#include <string>

#include "spark/worker/wire.h"

namespace protium {

// `what` names the field in the error of one that cannot be read.
class HeaderReader {
 public:
  // A header of more than `cap` bytes is refused.
  HeaderReader(ByteSource& source, int64_t cap) : source_(source), cap_(cap), left_(cap) {}

  Result<int32_t> Int(const char* what);
  Result<int64_t> Long(const char* what);
  Result<bool> Bool(const char* what);
  Result<std::string> Text(const char* what);
  // How many elements follow.
  Result<int32_t> Count(const char* what);
  Result<std::map<std::string, std::string>> Pairs(const char* what);

  // From here on exactly `bytes` follow; a frame says so before its fields.
  Status Limit(int64_t bytes);
  int64_t left() const { return left_; }

 private:
  Status Take(void* into, int64_t bytes, const char* what);

  ByteSource& source_;
  int64_t cap_;
  int64_t left_;
};

}  // namespace protium
