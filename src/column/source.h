// SPDX-License-Identifier: Apache-2.0
// How files hold tables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "protium/csv.h"
#include "protium/stream.h"

namespace protium {

// Engines read and write CSV and Parquet themselves; tables in the others are brought
// (format/bring.h).
enum class Format { kCsv, kParquet, kJsonLines, kArrow };
inline EnumNames<Format> Names(Format) {
  return {{{Format::kCsv, "csv"},
           {Format::kParquet, "parquet"},
           {Format::kJsonLines, "jsonl"},
           {Format::kArrow, "arrow"}}};
}

// Columns whose values stand in the names of folders: root/year=2013/month=1/x.csv.
struct Partitions {
  std::string root;
  SchemaPtr columns;  // Null: the table has none. Each is int64, date or string.
  // For each file a text for each column, escapes undone; nothing for NULL.
  std::vector<std::vector<std::optional<std::string>>> values;
};

}  // namespace protium
