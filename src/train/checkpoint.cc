// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <set>

#include "base/fault.h"
#include "base/fields.h"
#include "os/fd.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial";
constexpr int64_t kMostStateBytes = 256 << 20;

std::string NameOf(int64_t step) { return fmt::format("step-{:09}", step); }

// Names of the checkpoints, newest first.
std::vector<std::string> StepsOf(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("step-") && !name.ends_with(kPartial)) names.push_back(name);
  }
  std::sort(names.rbegin(), names.rend());
  return names;
}

Status Sync(const fs::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0 && ::fsync(fd.get()) == 0) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = "cannot flush " + folder.string(),
               .why = std::strerror(errno)});
}

int64_t AttemptIn(const fs::path& folder) {
  const auto text = ReadFile(folder / "attempt", 64);
  int64_t attempt = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), attempt);
  return attempt;
}

void RemovePartial(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    std::error_code ignored;
    if (name.ends_with(kPartial)) fs::remove_all(entry.path(), ignored);
  }
}

Result<CheckpointState> ReadState(const fs::path& path) {
  PT_LET(const std::string text, ReadFile(path / "state.json", kMostStateBytes));
  PT_LET(const Json json, ParseJson(text));
  if (!json.is_object() || json.value("format", Json()) != Json(1)) {
    return Fail({.exit = Exit::kInput,
                 .what = "checkpoint of another format: " + path.string(),
                 .where = (path / "state.json").string()});
  }
  CheckpointState state;
  PT_TRY(FieldsFromJson(json, "", state));
  return state;
}

Result<Checkpoint> ReadCheckpoint(const fs::path& path) {
  Checkpoint out{.path = path};
  PT_LET(out.state, ReadState(path));
  PT_LET(out.weights, Safetensors::Read(path / "weights.safetensors"));
  PT_LET(out.optimizer, Safetensors::Read(path / "optimizer.safetensors"));
  return out;
}

// Lets the draft take the target's name, at once also where the target exists.
Status Publish(const fs::path& draft, const fs::path& target) {
  std::error_code ignored;
  const bool exists = fs::exists(target, ignored);
  const unsigned how = exists ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, target.c_str(), how) != 0) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "cannot make " + target.string(),
                 .why = std::strerror(errno)});
  }
  if (exists) fs::remove_all(draft, ignored);
  return Sync(target.parent_path());
}

// Puts the text of a failed write together with what is still there.
Status KeptOn(const Status& status, const fs::path& folder) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  const auto names = StepsOf(folder);
  fault.kept =
      names.empty() ? "no checkpoint yet" : "the checkpoint " + (folder / names[0]).string();
  return Fail(std::move(fault));
}

int64_t RowsIn(const Json& rows) {
  int64_t total = 0;
  for (const Json& shard : rows) {
    if (shard.is_array() && !shard.empty() && shard[0].is_number_integer()) {
      total += shard[0].get<int64_t>();
    }
  }
  return total;
}

}  // namespace

Result<CheckpointFolder> CheckpointFolder::Open(fs::path folder) {
  PT_TRY(MakeFolder(folder));
  PT_TRY(MakeFolder(folder / "best"));
  const int64_t attempt = AttemptIn(folder) + 1;
  PT_TRY(WriteFile(folder / "attempt", std::to_string(attempt) + "\n"));
  RemovePartial(folder);
  return CheckpointFolder(std::move(folder), attempt);
}

Result<std::optional<Checkpoint>> CheckpointFolder::Newest(std::vector<Status>& damaged) const {
  for (const std::string& name : StepsOf(path_)) {
    auto read = ReadCheckpoint(path_ / name);
    if (read.ok()) return std::optional<Checkpoint>(std::move(*read));
    damaged.push_back(Annotate(read.status(), "checkpoint " + (path_ / name).string()));
  }
  return std::optional<Checkpoint>();
}

Status CheckpointFolder::CheckAttempt() const {
  const int64_t now = AttemptIn(path_);
  if (now == attempt_) return Status::OK();
  return Fail({.exit = Exit::kFailed,
               .what = fmt::format("attempt {} may not write checkpoints any more: attempt {} has "
                                   "taken over",
                                   attempt_, now),
               .where = path_.string()});
}

Result<fs::path> CheckpointFolder::Write(const CheckpointState& state,
                                         std::span<const NamedTensor> weights,
                                         std::span<const NamedTensor> optimizer, int32_t keep) {
  const fs::path target = path_ / NameOf(state.step);
  const fs::path draft = target.string() + std::string(kPartial);
  const auto write = [&]() -> Status {
    PT_TRY(CheckAttempt());
    PT_TRY(MakeFolder(draft));
    PT_TRY(WriteSafetensors(draft / "weights.safetensors", weights));
    PT_TRY(LinkBest(state, draft, weights));
    PT_TRY(WriteSafetensors(draft / "optimizer.safetensors", optimizer));
    PT_TRY(WriteFile(draft / "state.json", Pretty(FieldsToJson(state)) + "\n"));
    PT_TRY(CheckAttempt());
    return Publish(draft, target);
  };
  const Status written = write();
  if (!written.ok()) {
    std::error_code ignored;
    fs::remove_all(draft, ignored);
    return KeptOn(Annotate(written, "saving a checkpoint"), path_);
  }
  PT_TRY(Prune(state.step, keep));
  return target;
}

std::string CheckpointFolder::BestFile(int64_t step) {
  return "best/" + NameOf(step) + ".safetensors";
}

// A second name for the weights of the draft, or a copy where names cannot be shared.
Status CheckpointFolder::LinkBest(const CheckpointState& state, const fs::path& draft,
                                  std::span<const NamedTensor> weights) const {
  if (state.best.epoch == 0 || state.best.step != state.step) return Status::OK();
  const fs::path best = path_ / state.best.file;
  std::error_code error;
  fs::remove(best, error);
  fs::create_hard_link(draft / "weights.safetensors", best, error);
  return error ? WriteSafetensors(best, weights) : Sync(path_ / "best");
}

Status CheckpointFolder::Prune(int64_t step, int32_t keep) const {
  std::set<std::string> needed;
  std::error_code error;
  int32_t kept = 0;
  for (const std::string& name : StepsOf(path_)) {
    // Later steps are damaged ones that this run did not go on from.
    if (name > NameOf(step) || kept >= std::max(keep, 1)) {
      fs::remove_all(path_ / name, error);
      continue;
    }
    const auto state = ReadState(path_ / name);
    if (!state.ok()) continue;
    ++kept;
    needed.insert(state->best.file);
  }
  for (const auto& entry : fs::directory_iterator(path_ / "best", error)) {
    std::error_code ignored;
    const std::string file = "best/" + entry.path().filename().string();
    if (!needed.contains(file)) fs::remove(entry.path(), ignored);
  }
  return Status::OK();
}

Status Resumable(const Json& then, const Json& now, const std::string& where) {
  for (const auto& [key, value] : now.items()) {
    const Json before = then.value(key, Json());
    if (before == value) continue;
    if (key == "rows" || key == "validation_rows") {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("input changed: the checkpoint was made with {} rows, now "
                                       "there are {}{}",
                                       RowsIn(before), RowsIn(value),
                                       RowsIn(before) == RowsIn(value) ? " of other content" : ""),
                   .where = where,
                   .fix = "restore the input, or start a new run"});
    }
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("{} changed since the checkpoint", key),
                 .where = where,
                 .why = fmt::format("it was {}, now it is {}", Dump(before), Dump(value)),
                 .fix = "resume with what the run began with, or start a new run"});
  }
  return Status::OK();
}

}  // namespace protium
