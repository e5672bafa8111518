// SPDX-License-Identifier: Apache-2.0
#include "stream/kept_events.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/fault.h"
#include "format/file_writer.h"
#include "format/parquet_rows.h"
#include "os/file.h"
#include "os/publish.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

struct KeptFile {
  int64_t batch = 0;
  int64_t rows = 0;
  fs::path path;
};

std::string NameOf(int64_t batch, int64_t rows) {
  return fmt::format("{:012}-{}.parquet", batch, rows);
}

// The files of batches before `batches`, oldest first.
std::vector<KeptFile> FilesBefore(const fs::path& folder, int64_t batches) {
  std::vector<KeptFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    long batch = 0, rows = 0;
    if (std::sscanf(name.c_str(), "%ld-%ld.parquet", &batch, &rows) != 2) continue;
    if (name == NameOf(batch, rows) && batch < batches)
      files.push_back({batch, rows, entry.path()});
  }
  std::ranges::sort(files, {}, &KeptFile::batch);
  return files;
}

// The last files that have `most` rows together, or all.
std::vector<KeptFile> Newest(std::vector<KeptFile> files, int64_t most) {
  int64_t rows = 0;
  auto first = files.end();
  while (first != files.begin() && rows < most) rows += (--first)->rows;
  files.erase(files.begin(), first);
  return files;
}

// Writes the rows `from` up to and without `to` of those that pass.
class Passing {
 public:
  Passing(const fs::path& path, int64_t from, int64_t to) : path_(path), from_(from), to_(to) {}

  Status Take(const std::shared_ptr<arrow::RecordBatch>& batch, int64_t at) {
    if (writer_ == nullptr) {
      PT_LET(writer_, FileWriter::Make(Format::kParquet, path_.string(), batch->schema()));
    }
    const int64_t first = std::clamp<int64_t>(from_ - at, 0, batch->num_rows());
    const int64_t last = std::clamp<int64_t>(to_ - at, first, batch->num_rows());
    return first == last ? Status::OK() : writer_->Write(*batch->Slice(first, last - first));
  }
  Status Commit() { return writer_ == nullptr ? Status::OK() : writer_->Commit(); }

 private:
  const fs::path path_;
  const int64_t from_, to_;
  std::unique_ptr<FileWriter> writer_;
};

Status Gone(const fs::path& folder, int64_t rows) {
  return Fail(
      {.exit = Exit::kInput,
       .what = rows < 2 ? "there are too few events to train on" : "events to train on are gone",
       .where = folder.string()});
}

}  // namespace

Status KeptEvents::Keep(int64_t batch, const arrow::RecordBatch& events) const {
  if (events.num_rows() == 0) return Status::OK();
  PT_TRY(MakeFolder(folder_));
  const fs::path path = folder_ / NameOf(batch, events.num_rows());
  PT_LET(const auto writer, FileWriter::Make(Format::kParquet, path.string(), events.schema()));
  PT_TRY(writer->Write(events));
  PT_TRY(writer->Commit());
  return SyncFolder(folder_);
}

Result<CutEvents> KeptEvents::Cut(int64_t batches, int64_t most, double held_out,
                                  const fs::path& train, const fs::path& tail) const {
  const std::vector<KeptFile> files = Newest(FilesBefore(folder_, batches), most);
  int64_t all = 0;
  std::vector<std::string> paths;
  for (const KeptFile& each : files) {
    all += each.rows;
    paths.push_back(each.path.string());
  }
  if (all < 2) return Gone(folder_, all);
  const int64_t rows = std::min(all, most);
  CutEvents cut;
  cut.held_out = std::clamp<int64_t>(std::llround(held_out * double(rows)), 1, rows - 1);
  cut.rows = rows - cut.held_out;
  Passing first(train, all - rows, all - cut.held_out), second(tail, all - cut.held_out, all);
  PT_LET(const ParquetRows read, ReadParquetRows(paths, {}));
  int64_t at = 0;
  while (true) {
    PT_LET(const auto batch, read.rows->Next());
    if (batch == nullptr) break;
    PT_TRY(first.Take(batch, at));
    PT_TRY(second.Take(batch, at));
    at += batch->num_rows();
  }
  if (at != all) return Gone(folder_, all);
  PT_TRY(first.Commit());
  PT_TRY(second.Commit());
  return cut;
}

void KeptEvents::Remove(int64_t batches, int64_t most) const {
  const std::vector<KeptFile> needed = Newest(FilesBefore(folder_, batches), most);
  if (needed.empty()) return;
  std::error_code ignored;
  for (const KeptFile& each : FilesBefore(folder_, needed.front().batch)) {
    fs::remove(each.path, ignored);
  }
}

}  // namespace protium
