// SPDX-License-Identifier: Apache-2.0
// How files hold tables.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"

namespace protium {

using SchemaPtr = std::shared_ptr<arrow::Schema>;

enum class Format { kCsv, kParquet };
inline EnumNames<Format> Names(Format) {
  return {{{Format::kCsv, "csv"}, {Format::kParquet, "parquet"}}};
}

// How CSV text becomes cells. A cell equal to `null` and an empty unquoted cell are null.
struct CsvOptions {
  std::string null;
  std::string delimiter = ",";
  bool header = true;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("null", null, {.help = "of CSV: how a missing value is written, besides empty"});
    visit("delimiter", delimiter, {.help = "of CSV: what parts the cells"});
    visit("header", header, {.help = "of CSV: whether the first line names the columns"});
  }
};

// Columns whose values stand in the names of folders: root/year=2013/month=1/x.csv.
struct Partitions {
  std::string root;
  SchemaPtr columns;  // Null: the table has none. Each is int64, date or string.
  // For each file a text for each column, escapes undone; nothing for NULL.
  std::vector<std::vector<std::optional<std::string>>> values;
};

}  // namespace protium
