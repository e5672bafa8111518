// SPDX-License-Identifier: Apache-2.0
// Writes tables as files that appear whole or not at all: rows go into a temporary file beside the
// target, which Commit() renames.
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

// Until Commit() has succeeded, what was at `path` before stays there, and nothing else appears; a
// writer that is destroyed earlier removes what it wrote. A full disk is a fault (kNoRoom) with
// bytes and path. Parquet: Snappy, varying fractions as LZ4, row groups of up to 122,880 rows. CSV:
// header, quoted text, empty nulls. JSON lines: every key in every line. Arrow: a file, compressed
// by LZ4. Creates the folder if it is missing. One thread.
class FileWriter {
 public:
  static Result<std::unique_ptr<FileWriter>> Make(Format format, const std::string& path,
                                                  SchemaPtr schema);
  // Compresses the file as well, if the form says so.
  static Result<std::unique_ptr<FileWriter>> Make(const FileForm& form, const std::string& path,
                                                  SchemaPtr schema);
  // Makes Parquet for files that are read soon and then discarded: compressed as fast as possible,
  // in row groups of at most about 128 MiB, however long the texts are.
  static Result<std::unique_ptr<FileWriter>> MakeQuick(const std::string& path, SchemaPtr schema);
  virtual ~FileWriter() = default;
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  virtual Status Commit() = 0;
};

}  // namespace protium
