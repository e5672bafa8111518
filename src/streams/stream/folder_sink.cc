// SPDX-License-Identifier: Apache-2.0
#include "stream/folder_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/fault.h"
#include "format/file_writer.h"
#include "format/formats.h"
#include "os/file.h"
#include "os/publish.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOwnerFile = ".protium-stream";

}  // namespace

std::string BatchFileName(int64_t number, Format format) {
  return fmt::format("batch-{:012}{}", number, KindOf(format).endings.front());
}

Status FolderSink::TakeFolder() {
  const fs::path file = options_.folder / kOwnerFile;
  if (!IsRegularFile(file)) return WriteFile(file, options_.owner + "\n");
  PT_LET(const std::string text, ReadFile(file, 64 << 10));
  const std::string owner = text.substr(0, text.find('\n'));
  if (owner == options_.owner) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "another stream writes to this folder: " + owner,
               .where = options_.folder.string(),
               .fix = fmt::format("give stream.sink another folder; if that stream is gone for "
                                  "good, remove {}",
                                  file.string()),
               .kept = "nothing was started"});
}

Status FolderSink::Start(const arrow::Schema& rows) {
  PT_TRY(CheckHolds(rows, options_.format));
  PT_TRY(MakeFolder(options_.folder));
  return TakeFolder();
}

Result<std::optional<int64_t>> FolderSink::Newest() {
  int64_t newest = -1;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
    const std::string name = entry.path().filename().string();
    long number = 0;
    if (std::sscanf(name.c_str(), "batch-%ld.", &number) != 1) continue;
    if (name == BatchFileName(number, options_.format)) newest = std::max<int64_t>(newest, number);
  }
  if (error) return SystemFault("list " + options_.folder.string(), error.value());
  return newest;
}

Status FolderSink::Write(const ScoredBatch& batch) {
  if (batch.rows->num_rows() == 0) return Status::OK();
  const fs::path path = options_.folder / BatchFileName(batch.number, options_.format);
  PT_LET(const auto writer, FileWriter::Make(options_.format, path.string(), batch.rows->schema()));
  PT_TRY(writer->Write(*batch.rows));
  PT_TRY(writer->Commit());
  // The name must outlive a loss of power before the log says that the batch has ended.
  return SyncFolder(options_.folder);
}

}  // namespace protium
