// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a task's header (spark_worker/task_init.h) one by one. Compares every length
// with the rest of the header's limit before allocating memory for it: a misread header must not
// cause an allocation of gigabytes.
#pragma once

#include <map>
#include <string>

#include "spark_worker/wire.h"

namespace protium {

// In all functions `what` names the field in errors, which are kEnvironment.
class HeaderReader {
 public:
  // A header may take `cap` bytes in all.
  HeaderReader(ByteSource& source, int64_t cap) : source_(source), cap_(cap), left_(cap) {}

  Result<int32_t> Int(const char* what);
  Result<int64_t> Long(const char* what);
  Result<bool> Bool(const char* what);
  // Reads a length and bytes; does not check that they are UTF-8.
  Result<std::string> Text(const char* what);
  // Reads how many elements follow; at most 65536.
  Result<int32_t> Count(const char* what);
  // Reads a count, then that many keys and values.
  Result<std::map<std::string, std::string>> Pairs(const char* what);

  // From here on exactly `bytes` follow, as a frame says before its fields.
  Status Limit(int64_t bytes);
  int64_t left() const { return left_; }

 private:
  Status Take(void* into, int64_t bytes, const char* what);

  ByteSource& source_;
  int64_t cap_;
  int64_t left_;
};

}  // namespace protium
