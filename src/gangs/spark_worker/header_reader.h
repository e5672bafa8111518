// SPDX-License-Identifier: Apache-2.0
// The fields of a task's header (spark_worker/task_init.h), read one by one. Every length is
// compared with what the header may still take before memory is allocated for it: a header that is
// misread must not become an allocation of gigabytes.
#pragma once

#include <map>
#include <string>

#include "spark_worker/wire.h"

namespace protium {

// In all functions `what` names the field in errors, which are Faults of exit kEnvironment.
class HeaderReader {
 public:
  // A header may take `cap` bytes in all.
  HeaderReader(ByteSource& source, int64_t cap) : source_(source), cap_(cap), left_(cap) {}

  Result<int32_t> Int(const char* what);
  Result<int64_t> Long(const char* what);
  Result<bool> Bool(const char* what);
  // Length and bytes; not checked to be UTF-8.
  Result<std::string> Text(const char* what);
  // How many elements follow; at most 65536.
  Result<int32_t> Count(const char* what);
  // A count, then that many keys and values.
  Result<std::map<std::string, std::string>> Pairs(const char* what);

  // From here on exactly `bytes` follow: what a frame says before its fields.
  Status Limit(int64_t bytes);
  int64_t left() const { return left_; }

 private:
  Status Take(void* into, int64_t bytes, const char* what);

  ByteSource& source_;
  int64_t cap_;
  int64_t left_;
};

}  // namespace protium
