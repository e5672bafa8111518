// SPDX-License-Identifier: Apache-2.0
// What tables of lakes have in common, whatever writes down which files are theirs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace protium {

// A column as it is put into the table's files.
struct LakeColumn {
  std::string name;
  std::string type;      // In DuckDB's SQL.
  bool nullable = true;  // Else a NULL must be refused.
  // The number that the files know it by, as DuckDB's option FIELD_IDS says it: "3" or, with the
  // columns within it, "{__duckdb_field_id: 3, element: 4}". Empty: they know it by its name.
  std::string field_id = {};
};

// A file of rows, as it is added.
struct LakeFile {
  std::string path;  // Relative to the folder of the table's files; not encoded.
  int64_t bytes = 0;
  int64_t rows = 0;
  Json partitions = Json::object();  // Columns and their values as texts, or null.
  // By columns: "minValues" and "maxValues" of whole numbers and days, and "nullCount" (Delta
  // Transaction Log Protocol, "Per-file Statistics").
  Json statistics = Json::object();
};

// The member of an object; null if there is none.
inline const Json& MemberOf(const Json& json, std::string_view key) {
  static const Json kNone;
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() ? kNone : *found;
}

}  // namespace protium
