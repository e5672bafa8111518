// SPDX-License-Identifier: Apache-2.0
// How files hold tables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protium/csv.h"
#include "protium/fields.h"
#include "protium/stream.h"

namespace protium {

// Engines read and write CSV and Parquet themselves; tables in the other formats are brought in by
// format/bring.h.
enum class Format { kCsv, kParquet, kJsonLines, kArrow };
inline EnumNames<Format> Names(Format) {
  return {{{Format::kCsv, "csv"},
           {Format::kParquet, "parquet"},
           {Format::kJsonLines, "jsonl"},
           {Format::kArrow, "arrow"}}};
}

// The names of the CSV options in job files.
inline EnumNames<Encoding> Names(Encoding) {
  return {{{Encoding::kUtf8, "utf-8"},
           {Encoding::kUtf16, "utf-16"},
           {Encoding::kLatin1, "latin-1"},
           {Encoding::kWindows1252, "windows-1252"}}};
}
inline EnumNames<Ragged> Names(Ragged) {
  return {{{Ragged::kRefuse, "refuse"}, {Ragged::kPad, "pad"}, {Ragged::kSkip, "skip"}}};
}
Json ToJson(const NullTexts& texts);
Status FromJson(const Json& json, const std::string& path, NullTexts& texts);
Json ToJson(const ColumnTypes& types);
Status FromJson(const Json& json, const std::string& path, ColumnTypes& types);

struct FieldType;
FieldType DescribeType(const NullTexts& texts);
FieldType DescribeType(const ColumnTypes& types);

// Columns whose values are in the names of folders: root/year=2013/month=1/x.csv.
struct Partitions {
  std::string root;
  SchemaPtr columns;  // Null: the table has none. Each is int64, date or string.
  // For each file, a text per column, with escapes decoded; nullopt for NULL.
  std::vector<std::vector<std::optional<std::string>>> values;
};

}  // namespace protium
