// SPDX-License-Identifier: Apache-2.0
// Scans values in Avro's binary form without copies (Apache Avro 1.11 Specification, "Binary
// Encoding").
#pragma once

#include <cstdint>
#include <string_view>

#include "avro/schema.h"

namespace protium {

// Reads from the front. Each function returns false if the bytes are no such value: error() then
// says why, and at() where; do not use it after that. `bytes` must outlive it and the views that it
// gives. One thread.
class AvroScanner {
 public:
  explicit AvroScanner(std::string_view bytes) : bytes_(bytes) {}

  bool Flag(bool& value);
  // An int or a long, which are written alike.
  bool Int(int64_t& value);
  bool Long(int64_t& value);
  bool Float(double& value);
  bool Double(double& value);
  // Bytes or a string, which are written alike.
  bool Bytes(std::string_view& value);
  bool Fixed(int64_t size, std::string_view& value);
  // Which of so many branches or symbols it is.
  bool Which(size_t of, size_t& value);
  // Begins the next block of an array or a map; with 0 items it is the end. There are as many bytes
  // left as items at least.
  bool Block(int64_t& items);
  // Passes a value of any type.
  bool Skip(const AvroSchema& schema, size_t type);

  bool AtEnd() const { return at_ == bytes_.size(); }
  size_t left() const { return bytes_.size() - at_; }
  const char* error() const { return error_; }
  size_t at() const { return at_; }  // In bytes, from 0.

 private:
  bool Refuse(const char* error);
  bool Number(uint64_t& value);
  bool SkipBlocks(const AvroSchema& schema, const AvroType& type);
  bool SkipNested(const AvroSchema& schema, const AvroType& type);

  std::string_view bytes_;
  size_t at_ = 0;
  const char* error_ = nullptr;
  int depth_ = 0;
  size_t skipped_ = 0;  // Values.
};

}  // namespace protium
