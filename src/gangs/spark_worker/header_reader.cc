// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/header_reader.h"

#include <array>

#include "base/fault.h"

namespace protium {

namespace {

constexpr int32_t kMaxCount = 1 << 16;

Status Unreadable(const char* what, const std::string& why) {
  return Fail({.exit = Exit::kEnvironment,
               .what = std::string("the header of a Spark task is malformed at its ") + what,
               .why = why});
}

}  // namespace

Status HeaderReader::Limit(int64_t bytes) {
  if (bytes < 0 || bytes > cap_) {
    return Unreadable("frame", "it claims " + std::to_string(bytes) + " bytes; the limit is " +
                                   std::to_string(cap_));
  }
  left_ = bytes;
  return Status::OK();
}

Status HeaderReader::Take(void* into, int64_t bytes, const char* what) {
  if (bytes < 0 || bytes > left_) {
    return Unreadable(what, "it takes " + std::to_string(bytes) + " bytes where " +
                                std::to_string(left_) + " of at most " + std::to_string(cap_) +
                                " are left");
  }
  left_ -= bytes;
  const Status status = source_.Read(into, bytes);
  return status.ok() ? status : Annotate(status, std::string("read the task's ") + what);
}

Result<int32_t> HeaderReader::Int(const char* what) {
  std::array<uint8_t, 4> bytes{};
  PT_TRY(Take(bytes.data(), bytes.size(), what));
  uint32_t number = 0;
  for (const uint8_t byte : bytes) number = number << 8 | byte;
  return static_cast<int32_t>(number);
}

Result<int64_t> HeaderReader::Long(const char* what) {
  std::array<uint8_t, 8> bytes{};
  PT_TRY(Take(bytes.data(), bytes.size(), what));
  uint64_t number = 0;
  for (const uint8_t byte : bytes) number = number << 8 | byte;
  return static_cast<int64_t>(number);
}

Result<bool> HeaderReader::Bool(const char* what) {
  uint8_t byte = 0;
  PT_TRY(Take(&byte, 1, what));
  if (byte > 1) return Unreadable(what, std::to_string(byte) + " is neither 0 nor 1");
  return byte == 1;
}

Result<std::string> HeaderReader::Text(const char* what) {
  PT_LET(const int32_t bytes, Int(what));
  if (bytes < 0 || bytes > left_) {
    // To get its error: these bytes cannot follow.
    return Take(nullptr, bytes, what);
  }
  std::string text(static_cast<size_t>(bytes), '\0');
  PT_TRY(Take(text.data(), bytes, what));
  return text;
}

Result<int32_t> HeaderReader::Count(const char* what) {
  PT_LET(const int32_t count, Int(what));
  if (count < 0 || count > kMaxCount) {
    return Unreadable(what, "their number, " + std::to_string(count) + ", is not between 0 and " +
                                std::to_string(kMaxCount));
  }
  return count;
}

Result<std::map<std::string, std::string>> HeaderReader::Pairs(const char* what) {
  PT_LET(const int32_t count, Count(what));
  std::map<std::string, std::string> pairs;
  for (int32_t i = 0; i < count; ++i) {
    PT_LET(std::string key, Text(what));
    PT_LET(pairs[std::move(key)], Text(what));
  }
  return pairs;
}

}  // namespace protium
