// SPDX-License-Identifier: Apache-2.0
// Where a topic is first read from: StreamSourceOptions::start.
#pragma once

#include <arrow/scalar.h>
#include <arrow/type.h>

#include <cstdint>
#include <optional>
#include <string>

namespace protium {

inline constexpr const char* kEarliest = "earliest";
inline constexpr const char* kLatest = "latest";

// The milliseconds since 1970 of a time in UTC, "2026-11-01 12:00:00"; none for another text.
inline std::optional<int64_t> StartTimeMs(const std::string& text) {
  const auto time = arrow::Scalar::Parse(arrow::timestamp(arrow::TimeUnit::MILLI), text);
  if (!time.ok()) return std::nullopt;
  return static_cast<const arrow::TimestampScalar&>(**time).value;
}

}  // namespace protium
