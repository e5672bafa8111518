// SPDX-License-Identifier: Apache-2.0
#include "format/parquet.h"

#include <arrow/io/file.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include "base/fault.h"
#include "column/schema.h"
#include "format/kind.h"

namespace protium {
namespace {

Result<SchemaPtr> SchemaOf(const std::string& path) {
  // The reader of footers is one of the libraries that throw.
  try {
    PT_LET(const auto file, arrow::io::ReadableFile::Open(path));
    PT_LET(const auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
    SchemaPtr schema;
    PT_TRY(reader->GetSchema(&schema));
    return schema->RemoveMetadata();
  } catch (const parquet::ParquetException& error) {
    return Status::IOError(error.what());
  }
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
               .fix = "write the file again; it may have been cut off"});
}

Result<SchemaPtr> ParquetSchema(const std::vector<std::string>& paths) {
  SchemaPtr first;
  for (const std::string& path : paths) {
    const Result<SchemaPtr> schema = SchemaOf(path);
    if (!schema.ok()) return UnreadableParquet(path, schema.status().message());
    if (!first) first = *schema;
    if (first->Equals(**schema, false)) continue;
    return Fail({.exit = Exit::kInput,
                 .what = path + " has other columns than " + paths.front(),
                 .why = Describe(**schema) + " instead of " + Describe(*first)});
  }
  if (first) return first;
  return Fail({.exit = Exit::kInput, .what = "no Parquet file was given"});
}

}  // namespace protium
