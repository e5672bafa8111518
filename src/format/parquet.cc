// SPDX-License-Identifier: Apache-2.0
// Columns come from the footer alone, which is at the end of a file: one that was cut off has none.
#include "format/parquet.h"

#include <arrow/io/file.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>

#include "base/fault.h"
#include "column/schema.h"
#include "format/kind.h"
#include "format/parquet_guard.h"

namespace protium {
namespace {

Result<SchemaPtr> ReadSchema(const std::string& path) {
  return GuardParquet([&]() -> Result<SchemaPtr> {
    PT_LET(const auto file, arrow::io::ReadableFile::Open(path));
    PT_LET(const auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
    SchemaPtr schema;
    PT_TRY(reader->GetSchema(&schema));
    // Writers leave notes of their own there, by which equal columns would differ.
    return schema->RemoveMetadata();
  });
}

}  // namespace

Status UnreadableParquet(const std::string& path, const std::string& why) {
  const std::string instead = WhyNotParquet(path);
  if (!instead.empty()) {
    return Fail(
        {.exit = Exit::kInput,
         .what = path + " is not Parquet",
         .why = instead,
         .fix = instead.find("text") == instead.npos ? "" : "read it as CSV: csv = \"FILE\""});
  }
  return Fail({.exit = Exit::kInput,
               .what = path + " cannot be read as Parquet",
               .why = why,
               .fix = "write the file again; it may be truncated"});
}

Status OtherColumns(const std::string& path, const arrow::Schema& schema, const std::string& first,
                    const arrow::Schema& wanted) {
  return Fail({.exit = Exit::kInput,
               .what = path + " has different columns than " + first,
               .why = Describe(schema) + " instead of " + Describe(wanted)});
}

Result<SchemaPtr> ParquetSchema(const std::vector<std::string>& paths) {
  SchemaPtr first;
  for (const std::string& path : paths) {
    const Result<SchemaPtr> schema = ReadSchema(path);
    if (!schema.ok()) return UnreadableParquet(path, schema.status().message());
    if (!first) first = *schema;
    if (!first->Equals(**schema, false)) {
      return OtherColumns(path, **schema, paths.front(), *first);
    }
  }
  if (first) return first;
  return Fail({.exit = Exit::kInput, .what = "no Parquet file was given"});
}

}  // namespace protium
