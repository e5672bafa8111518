// SPDX-License-Identifier: Apache-2.0
// What a task of a lease emits: kept in a file until the gang is done, since the rows of a Spark
// job are only had if every task of it ends well, also those that came and went.
#pragma once

#include <arrow/ipc/writer.h>

#include <filesystem>
#include <memory>
#include <string>

#include "column/source.h"

namespace protium {

class RowsFileWriter {
 public:
  // `task` is named in errors. The file is made with the first rows.
  RowsFileWriter(std::filesystem::path path, SchemaPtr schema, std::string task)
      : path_(std::move(path)), schema_(std::move(schema)), task_(std::move(task)) {}
  // A batch that differs from the declared schema is refused (Conform).
  Status Emit(const arrow::RecordBatch& batch);
  // Once, when nothing more is emitted.
  Status Close();

 private:
  const std::filesystem::path path_;
  const SchemaPtr schema_;
  const std::string task_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  std::shared_ptr<arrow::io::OutputStream> file_;
};

}  // namespace protium
