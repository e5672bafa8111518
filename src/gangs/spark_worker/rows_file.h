// SPDX-License-Identifier: Apache-2.0
// What a task of a lease emits: stored in a file until the gang is done, since the rows of a Spark
// job are available only if every task of it succeeds, even those that came and went.
#pragma once

#include <arrow/ipc/writer.h>

#include <filesystem>
#include <memory>
#include <string>

#include "column/source.h"

namespace protium {

class RowsFileWriter {
 public:
  // `task` is named in errors. The first rows make the file.
  RowsFileWriter(std::filesystem::path path, SchemaPtr schema, std::string task)
      : path_(std::move(path)), schema_(std::move(schema)), task_(std::move(task)) {}
  // Refuses a batch that differs from the declared schema (Conform).
  Status Emit(const arrow::RecordBatch& batch);
  // Call once, after the last Emit().
  Status Close();

 private:
  const std::filesystem::path path_;
  const SchemaPtr schema_;
  const std::string task_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  std::shared_ptr<arrow::io::OutputStream> file_;
};

}  // namespace protium
