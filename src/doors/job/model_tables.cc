// SPDX-License-Identifier: Apache-2.0
#include "job/model_tables.h"

#include <fmt/format.h>

#include "base/fault.h"

namespace protium {

namespace fs = std::filesystem;

const std::string& PathOf(const JobTable& table) {
  static const std::string kNone;
  if (table.file) return *table.file;
  if (table.duckdb) return *table.duckdb;
  return table.csv ? *table.csv : table.parquet ? *table.parquet : kNone;
}

DataFrame OpenTable(const Reader& reader, const JobTable& table, const std::string& path,
                    const SchemaPtr& known) {
  if (table.duckdb) return reader.DuckDb(path, *table.table);
  if (table.table) return reader.Table(*table.table);
  if (table.file && !table.format) return reader.File(path, table.options, known);
  const Format format = table.format.value_or(table.csv ? Format::kCsv : Format::kParquet);
  return reader.File(path, format, table.options, known);
}

Result<fs::path> TableBelow(const fs::path& data, const std::string& name, const JobTable& table) {
  const fs::path path = PathOf(table);
  const fs::path below = path.lexically_normal();
  if (!below.empty() && below.is_relative() && *below.begin() != "..") return data / below;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("table \"{}\" of this model is not below a data folder: \"{}\"",
                                   name, path.string()),
               .where = "etl.json of the model",
               .why = "a model reads only what --data and --input name",
               .fix = "give the table that the model's SQL would make: --input FILE"});
}

}  // namespace protium
