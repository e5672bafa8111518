// SPDX-License-Identifier: Apache-2.0
#include "stream/folder_sink.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/text.h"
#include "format/file_writer.h"
#include "format/formats.h"
#include "os/file.h"
#include "os/publish.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOwnerFile = ".protium-stream";

std::string Beginning(std::optional<int32_t> partition) {
  return partition ? fmt::format("batch-{}-", *partition) : "batch-";
}

}  // namespace

std::string BatchFileName(int64_t number, Format format, std::optional<int32_t> partition) {
  return fmt::format("{}{:012}{}", Beginning(partition), number, KindOf(format).endings.front());
}

Status TakeSinkFolder(const fs::path& folder, const std::string& owner) {
  PT_TRY(MakeFolder(folder));
  const fs::path file = folder / kOwnerFile;
  if (!IsRegularFile(file)) return WriteFile(file, owner + "\n");
  PT_LET(const std::string text, ReadFile(file, 64 << 10));
  const std::string other = text.substr(0, text.find('\n'));
  if (other == owner) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "another stream writes to this folder: " + other,
               .where = folder.string(),
               .fix = fmt::format("give stream.sink another folder; if that stream is gone for "
                                  "good, remove {}",
                                  file.string()),
               .kept = "nothing was started"});
}

Status FolderSink::Start(const arrow::Schema& rows) {
  PT_TRY(CheckHolds(rows, options_.format));
  return TakeSinkFolder(options_.folder, options_.owner);
}

Result<std::optional<int64_t>> FolderSink::Newest() {
  const std::string beginning = Beginning(options_.partition);
  int64_t newest = -1;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning)) continue;
    const std::string rest = name.substr(beginning.size());
    const auto number = AllAsNumber<int64_t>(rest.substr(0, rest.find('.')));
    if (number && name == FileName(*number)) newest = std::max(newest, *number);
  }
  if (error) return SystemFault("list " + options_.folder.string(), error.value());
  return newest;
}

Status FolderSink::Write(const ScoredBatch& batch) {
  if (batch.rows->num_rows() == 0) return Status::OK();
  const fs::path path = options_.folder / FileName(batch.number);
  PT_LET(const auto writer, FileWriter::Make(options_.format, path.string(), batch.rows->schema()));
  PT_TRY(writer->Write(*batch.rows));
  PT_TRY(writer->Commit());
  // The name must outlive a loss of power before the log says that the batch has ended.
  return SyncFolder(options_.folder);
}

}  // namespace protium
