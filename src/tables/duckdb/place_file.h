// SPDX-License-Identifier: Apache-2.0
// The bytes of a file at any place that a database can open, in pieces.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "duckdb/handles.h"

namespace protium {

// One thread; must not outlive its connection, in which a transaction has begun: DuckDB looks up
// who asks at the place in one. Faults are DuckDB's.
class PlaceFile {
 public:
  // Opens the file at exactly this place: no pattern.
  static Result<PlaceFile> Open(const duck::Connection& connection, const std::string& place);

  Result<int64_t> Size() const;
  // Reads at most as many bytes as there is room for; returns how many, 0 at the end.
  Result<int64_t> Read(std::span<char> bytes) const;

 private:
  PlaceFile() = default;
  duck::Owned<duckdb_client_context, duckdb_destroy_client_context> context_;
  duck::Owned<duckdb_file_system, duckdb_destroy_file_system> files_;
  duck::Owned<duckdb_file_handle, duckdb_destroy_file_handle> file_;
};

}  // namespace protium
