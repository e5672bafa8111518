// SPDX-License-Identifier: Apache-2.0
// A folder as the sink of a stream: one file for each batch that has rows, named by its number, so
// that a batch which is written again replaces itself.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "column/source.h"
#include "flow/flow.h"
#include "os/fd.h"

namespace protium {

struct FolderSinkOptions {
  std::filesystem::path folder;  // Is made if it is missing.
  Format format = Format::kParquet;
  std::string owner;  // Whose folder it is: that of the stream's log.
};

// "batch-000000000012.parquet"
std::string BatchFileName(int64_t number, Format format);

// The folder belongs to one stream: .protium-stream in it names its owner. Another stream is
// refused (kUsage).
class FolderSink : public StreamSink {
 public:
  explicit FolderSink(FolderSinkOptions options) : options_(std::move(options)) {}

  Status Start(const arrow::Schema& rows) override;
  Result<std::optional<int64_t>> Newest() override;
  Status Write(const ScoredBatch& batch) override;

 private:
  Status TakeFolder();

  FolderSinkOptions options_;
};

}  // namespace protium
