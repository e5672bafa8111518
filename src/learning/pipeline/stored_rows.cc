// SPDX-License-Identifier: Apache-2.0
#include "pipeline/stored_rows.h"

#include <algorithm>
#include <system_error>

#include "engine/kind.h"
#include "events/events.h"

// Workers know rows as a folder with the folders "train" and "held_out"; the parts of an object
// have no folders, so there the names are joined by a point. Files have both names: nothing is
// copied.

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRows = "rows";

Json WhatDecides(const std::string& task, const TrainConfig& config) {
  Json columns = FieldsToJson(config.net);
  columns.erase("net");
  constexpr int kLayout = 2;  // Of packed rows: rows of another layout are packed again.
  return {{"layout", kLayout},
          {"task", task},
          {"columns", std::move(columns)},
          {"scaled", FieldsToJson(config.scaled)},
          {"learned", config.stages_sha256},
          {"weight", config.weight},
          {"group", config.group},
          {"held_out", config.held_out},
          {"unseen_class", fields::Write(config.unseen_class)},
          {"shards", config.train.shards}};
}

// A quarter of what the store may have, and half of what is free: a run must not fill the disk.
int64_t MostBytes(const LocalStore& store) {
  std::error_code unknown;
  const auto space = fs::space(store.folder(), unknown);
  if (unknown) return 0;
  return std::min(store.MostBytes().ValueOr(0) / 4, int64_t(space.available / 2));
}

}  // namespace

StoredRows::StoredRows(SessionState& session, const Plan& input, const std::string& task,
                       TrainConfig& config)
    : work_(session, "rows", input, WhatDecides(task, config)) {
  if (work_.name().empty() || !config.shared.folder.empty()) return;
  auto folder = TemporaryFolder::MakeIn(work_.store()->folder() / "open");
  if (!folder.ok()) {
    work_.Say(folder.status());
    return;
  }
  folder_.emplace(std::move(*folder));
  const std::string path = (folder_->path() / kRows).string();
  lease_ = work_.Find();
  if (lease_ && Map(*lease_)) {
    session.call().Send(WorkTaken{.what = "rows", .run = lease_->manifest().run});
    config.shared = {.folder = path, .there = true};
    return;
  }
  lease_.reset();
  packs_ = true;
  config.shared = {.folder = path, .most_bytes = MostBytes(*work_.store())};
}

Json StoredRows::Describe(SessionState& session, const Plan& input, const std::string& task,
                          const TrainConfig& config) {
  return KeptWork(session, kRows, input, WhatDecides(task, config)).Describe(kRows);
}

bool StoredRows::Map(const StoredObject& object) {
  std::error_code error;
  for (const StoredPart& part : object.manifest().parts) {
    const size_t point = part.name.find('.');
    const std::string folder = point == std::string::npos ? "" : part.name.substr(0, point);
    const fs::path to = folder_->path() / kRows / folder;
    fs::create_directories(to, error);
    if (!error) {
      fs::create_hard_link(object.Path(part.name),
                           to / part.name.substr(point == std::string::npos ? 0 : point + 1),
                           error);
    }
    if (!error) continue;
    work_.Say(Status::IOError("cannot link ", part.name, ": ", error.message()));
    fs::remove_all(folder_->path() / kRows, error);
    return false;
  }
  return true;
}

void StoredRows::Keep() {
  std::error_code none;
  const fs::path rows = packs_ ? folder_->path() / kRows : fs::path();
  if (rows.empty() || !fs::exists(rows, none)) return;
  work_.Begin();
  for (const auto& each : fs::recursive_directory_iterator(rows, none)) {
    if (!each.is_regular_file(none)) continue;
    const fs::path inside = each.path().lexically_relative(rows);
    const std::string folder = inside.parent_path().string();
    work_.Take((folder.empty() ? "" : folder + ".") + inside.filename().string(), each.path());
  }
  // They were complete when the last file was written.
  const auto packed = fs::last_write_time(rows / "train" / "kept.json", none);
  const auto ago =
      none ? fs::file_time_type::duration::zero() : fs::file_time_type::clock::now() - packed;
  work_.Keep(since_ + std::chrono::duration_cast<Clock::duration>(ago));
}

}  // namespace protium
