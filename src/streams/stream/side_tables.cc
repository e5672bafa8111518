// SPDX-License-Identifier: Apache-2.0
#include "stream/side_tables.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/fault.h"
#include "base/fnv.h"
#include "column/batches.h"
#include "frame/session_state.h"
#include "frame/table_files.h"
#include "job/model_tables.h"

namespace protium {
namespace {

constexpr int64_t kBetweenLooksMs = 1000;

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string StampOf(const std::vector<std::string>& files) {
  std::string facts;
  for (const std::string& file : files) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0) continue;
    facts += fmt::format("{} {} {}.{};", file, found.st_size, found.st_mtim.tv_sec,
                         found.st_mtim.tv_nsec);
  }
  return fmt::format("{:016x}", Fnv1a(facts));
}

// The files of a table; none for one that is not in files.
std::vector<std::string> FilesOf(const JobFile& job, const JobTable& table) {
  const std::string path = PlaceIn(job.data, table);
  if (path.empty() || path.find("://") != path.npos) return {};
  Format format = table.format.value_or(Format::kCsv);
  if (const auto form = FindForm(path); form.ok()) format = form->format;
  const auto files = FindFiles(path, format, table.partitions);
  return files.ok() ? files->paths : std::vector<std::string>{path};
}

Result<std::shared_ptr<arrow::RecordBatch>> Collect(const DataFrame& table) {
  PT_LET(const BatchStreamPtr stream, table.Stream());
  std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
  while (true) {
    PT_LET(auto next, stream->Next());
    if (next == nullptr) break;
    parts.push_back(std::move(next));
  }
  return Together(stream->schema(), parts);
}

}  // namespace

SideTables::SideTables(const Job& job, Columns names) : job_(job), names_(std::move(names)) {
  if (!names_.empty()) return;
  for (const auto& [name, table] : job.file.tables.all) names_.push_back(name);
}

Status SideTables::Check() const {
  std::vector<std::string> known;
  for (const auto& [name, table] : job_.file.tables.all) known.push_back(name);
  for (const std::string& name : names_) {
    if (std::ranges::count(known, name) > 0) continue;
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("the model's SQL reads the table {}, which the job lacks", name),
         .where = "tables",
         .fix = fmt::format("{} = \"{}.csv\" below [tables]", name, name),
         .kept = "nothing was started"});
  }
  return Status::OK();
}

Json SideTables::StampsNow() const {
  Json stamps = Json::object();
  for (const auto& [name, table] : job_.file.tables.all) {
    if (std::ranges::count(names_, name) > 0) stamps[name] = StampOf(FilesOf(job_.file, table));
  }
  return stamps;
}

Result<std::vector<MemoryTable>> SideTables::Read() {
  stamps_ = StampsNow();
  std::vector<MemoryTable> read;
  if (names_.empty()) return read;
  PT_LET(const auto session, OpenSession({.engine = "local[1]"}));
  for (const auto& [name, table] : job_.file.tables.all) {
    if (std::ranges::count(names_, name) == 0) continue;
    const Reader reader = session->Read().Partitions(table.partitions);
    const DataFrame frame =
        OpenTable(reader, table, PlaceIn(job_.file.data, table), job_.file.connections);
    PT_LET(auto rows, Collect(frame));
    read.push_back({.name = name, .rows = std::move(rows)});
  }
  return read;
}

bool SideTables::Changed() {
  const int64_t now = NowMs();
  if (names_.empty() || now - looked_ms_ < kBetweenLooksMs) return false;
  looked_ms_ = now;
  return StampsNow() != stamps_;
}

}  // namespace protium
