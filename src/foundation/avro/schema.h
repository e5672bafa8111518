// SPDX-License-Identifier: Apache-2.0
// Schemas of Avro (Apache Avro 1.11 Specification, "Schema Declaration").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

enum class AvroKind {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kArray,
  kMap,
  kRecord,
  kUnion
};

// What an int, a long, bytes, a string or a fixed stands for. As the specification asks, one that
// does not belong to its type is none.
enum class AvroLogical {
  kNone,
  kDate,
  kTimeMillis,
  kTimeMicros,
  kTimestampMillis,
  kTimestampMicros,
  kDecimal,
  kUuid,
  kDuration
};

struct AvroField {
  std::string name;
  std::vector<std::string> aliases;
  size_t type = 0;  // In AvroSchema::types().
  std::optional<Json> fallback = {};
};

struct AvroType {
  AvroKind kind = AvroKind::kNull;
  AvroLogical logical = AvroLogical::kNone;
  int32_t precision = 0, scale = 0;  // Of a decimal.
  std::string name = {};             // Of a record, an enum and a fixed, with its namespace.
  int64_t bytes = 0;                 // Of a fixed.
  std::vector<std::string> symbols = {};
  std::vector<size_t> of = {};  // Branches of a union; one of an array or a map.
  std::vector<AvroField> fields = {};
};

class AvroSchema {
 public:
  // Refuses (kInput) a text that is no schema, with the path of what is wrong in it.
  static Result<AvroSchema> Parse(std::string_view text);

  // A record may be among the types of its own fields.
  const std::vector<AvroType>& types() const { return types_; }
  const AvroType& root() const { return types_[root_]; }

  // The type beneath a union of null and one type; nullopt if a union has others.
  std::optional<size_t> Beneath(size_t type) const;
  // For people: "long", "timestamp-millis", "record shop.Visit", "union of null, int and string".
  std::string Describe(size_t type) const;

 private:
  AvroSchema() = default;
  class Reader;

  std::vector<AvroType> types_;
  size_t root_ = 0;
};

}  // namespace protium
