// SPDX-License-Identifier: Apache-2.0
// Tables as files that appear whole or not at all: rows go into a temporary file beside the target,
// which gets its name in Commit().
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "column/source.h"
#include "format/file_form.h"

namespace protium {

// Refuses (Exit::kUsage) a column whose values a file of the format cannot hold: nested ones in
// CSV, binaries in CSV and JSON lines.
Status CheckHolds(const arrow::Schema& schema, Format format);

// Until Commit() succeeded, what was at `path` before stays there, and nothing else appears; a
// writer that is destroyed earlier removes what it wrote. A full disk is a fault (kNoRoom) with
// bytes and path. Parquet: Snappy, fractions that vary as LZ4, row groups of up to 122,880 rows.
// CSV: header, text quoted, nulls empty. JSON lines: every key in every line. Arrow: a file, packed
// by LZ4. The folder is made when it is missing. One thread.
class FileWriter {
 public:
  static Result<std::unique_ptr<FileWriter>> Make(Format format, const std::string& path,
                                                  SchemaPtr schema);
  // Packed, too, where the form says so.
  static Result<std::unique_ptr<FileWriter>> Make(const FileForm& form, const std::string& path,
                                                  SchemaPtr schema);
  // Parquet for files that are read soon and not kept: compressed as fast as can be, and in row
  // groups of about 128 MiB at most, however long the texts are.
  static Result<std::unique_ptr<FileWriter>> MakeQuick(const std::string& path, SchemaPtr schema);
  virtual ~FileWriter() = default;
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  virtual Status Commit() = 0;
};

}  // namespace protium
