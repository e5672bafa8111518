// SPDX-License-Identifier: Apache-2.0
// A folder as the sink of a stream: one file for each batch that has rows, named by its number, so
// that a batch which is written again replaces itself.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "column/source.h"
#include "flow/flow.h"
#include "os/fd.h"

namespace protium {

struct FolderSinkOptions {
  std::filesystem::path folder;  // Is made if it is missing.
  Format format = Format::kParquet;
  std::string owner;                 // Whose folder it is: that of the stream's log.
  std::optional<int32_t> partition;  // Whose batches these are; others write to the folder, too.
};

// "batch-000000000012.parquet"; of partition 3 "batch-3-000000000012.parquet".
std::string BatchFileName(int64_t number, Format format, std::optional<int32_t> partition = {});

// Makes the folder and gives it to the stream whose log is in `owner`, which .protium-stream in it
// names from then on; refuses (kUsage) that of another stream.
Status TakeSinkFolder(const std::filesystem::path& folder, const std::string& owner);

// The folder belongs to one stream: TakeSinkFolder().
class FolderSink : public StreamSink {
 public:
  explicit FolderSink(FolderSinkOptions options) : options_(std::move(options)) {}

  Status Start(const arrow::Schema& rows) override;
  Result<std::optional<int64_t>> Newest() override;
  Status Write(const ScoredBatch& batch) override;

 private:
  std::string FileName(int64_t number) const {
    return BatchFileName(number, options_.format, options_.partition);
  }

  FolderSinkOptions options_;
};

}  // namespace protium
