// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/digest.h"
#include "base/fault.h"
#include "os/file.h"
#include "os/publish.h"
#include "protium/fields.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial";
constexpr const char* kWeights = "weights.safetensors";
constexpr int64_t kFormat = 5;
// A bound on what is read of a possibly damaged file; the history of very many epochs stays far
// below it.
constexpr int64_t kMostStateBytes = 256 << 20;

std::string StepName(int64_t step) { return fmt::format("step-{:09}", step); }

// Names of the checkpoints, newest first.
std::vector<std::string> ListSteps(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("step-") && !name.ends_with(kPartial)) names.push_back(name);
  }
  // Step numbers are padded to nine digits, so names sort as numbers do.
  std::sort(names.rbegin(), names.rend());
  return names;
}

// Returns the attempt that may write; 0 if the file is missing or unreadable, since attempts count
// from 1.
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

Status Damaged(const fs::path& file, const std::string& what, const std::string& why = {}) {
  return Fail({.exit = Exit::kInput, .what = what, .where = file.string(), .why = why});
}

std::string StateText(const CheckpointState& state) {
  const Json json = FieldsToJson(state);
  return Pretty({{"format", kFormat}, {"sha256", Sha256Hex(Dump(json))}, {"state", json}}) + "\n";
}

Result<CheckpointState> ReadState(const fs::path& path) {
  const fs::path file = path / "state.json";
  PT_LET(const std::string text, ReadFile(file, kMostStateBytes));
  const Result<Json> json = ParseJson(text);
  if (!json.ok()) return Damaged(file, "state.json is damaged", json.status().message());
  if (!json->is_object() || json->value("format", Json()) != Json(kFormat)) {
    return Fail({.exit = Exit::kInput,
                 .what = "the checkpoint has another format",
                 .where = file.string(),
                 .fix = "resume with the version of protium that wrote it, or "
                        "start a new run"});
  }
  const Json fields = json->value("state", Json());
  const std::string found = Sha256Hex(Dump(fields));
  if (json->value("sha256", Json()) != Json(found)) {
    return Damaged(file, "state.json is damaged",
                   fmt::format("its sha256 is {:.12}..., not the one it names", found));
  }
  CheckpointState state;
  PT_TRY(FieldsFromJson(fields, "", state));
  return state;
}

// Reads tensors and refuses any but those that the state was written with. The hash covers names,
// shapes and values, not the file's bytes.
Result<Safetensors> ReadTensors(const fs::path& file, const std::string& hash) {
  PT_LET(Safetensors tensors, Safetensors::Read(file));
  const std::string found = WeightsXxh3(tensors.tensors());
  if (found == hash) return tensors;
  return Damaged(
      file, file.filename().string() + " is damaged",
      fmt::format("the hash of its tensors is {:.12}..., state.json says {:.12}...", found, hash));
}

Result<Checkpoint> ReadCheckpoint(const fs::path& path) {
  Checkpoint out{.path = path};
  PT_LET(out.state, ReadState(path));
  PT_LET(out.weights, ReadTensors(path / kWeights, out.state.weights_xxh3));
  PT_LET(out.optimizer, ReadTensors(path / "optimizer.safetensors", out.state.optimizer_xxh3));
  return out;
}

// Adds to the fault of a failed write which checkpoint remains to continue from.
Status KeptOn(const Status& status, const fs::path& folder) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  const auto names = ListSteps(folder);
  fault.kept =
      names.empty() ? "no checkpoint yet" : "the checkpoint " + (folder / names[0]).string();
  return Fail(std::move(fault));
}

bool IsBest(const CheckpointState& state) {
  return state.best.epoch > 0 && state.best.step == state.step;
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

// The text "key was ..., now it is ..."; for objects only the entries that differ.
std::string Difference(const std::string& key, const Json& then, const Json& now) {
  if (!then.is_object() || !now.is_object()) {
    return fmt::format("{} was {}, now it is {}", key, Dump(then), Dump(now));
  }
  Json all = then;
  all.update(now);
  std::string text;
  for (const auto& [name, unused] : all.items()) {
    const Json before = then.value(name, Json());
    const Json after = now.value(name, Json());
    if (before != after) text += (text.empty() ? "" : "; ") + Difference(name, before, after);
  }
  return text;
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
  std::optional<Checkpoint> without_best;
  size_t newer = 0;  // Damaged ones that are newer.
  for (const std::string& name : ListSteps(path_)) {
    auto read = ReadCheckpoint(path_ / name);
    if (read.ok()) read->best = CheckBest(read->state.best);
    const Status status = read.ok() ? read->best : read.status();
    if (status.ok()) return std::optional<Checkpoint>(std::move(*read));
    if (read.ok() && !without_best) {
      without_best = std::move(*read);
      newer = damaged.size();
    }
    damaged.push_back(Annotate(status, "checkpoint " + (path_ / name).string()));
  }
  if (without_best) damaged.resize(newer);
  return without_best;
}

// If the checkpoint of the best step exists, it has the same weights, so they are still available
// when the file is gone or was a copy.
Status CheckpointFolder::CheckBest(const BestSoFar& best) const {
  if (best.epoch == 0) return Status::OK();
  const Status status = ReadTensors(path_ / best.file, best.xxh3).status();
  if (status.ok()) return status;
  const fs::path own = path_ / StepName(best.step) / kWeights;
  if (!ReadTensors(own, best.xxh3).ok()) return status;
  return KeepAsBest(best.step);
}

std::vector<CheckpointState> CheckpointFolder::ListIntact() const {
  std::vector<CheckpointState> states;
  for (const std::string& name : ListSteps(path_)) {
    auto state = ReadState(path_ / name);
    if (!state.ok() || !ReadTensors(path_ / name / kWeights, state->weights_xxh3).ok()) continue;
    states.push_back(std::move(*state));
  }
  std::ranges::reverse(states);
  return states;
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

Result<fs::path> CheckpointFolder::Write(CheckpointState& state,
                                         std::span<const NamedTensor> weights,
                                         std::span<const NamedTensor> optimizer, int32_t keep,
                                         std::span<const NamedTensor> best) {
  state.weights_xxh3 = WeightsXxh3(weights);
  state.optimizer_xxh3 = WeightsXxh3(optimizer);
  if (IsBest(state)) {
    state.best.xxh3 = state.weights_xxh3;
  } else if (!best.empty()) {
    state.best.xxh3 = WeightsXxh3(best);
  }
  const fs::path target = path_ / StepName(state.step);
  const fs::path draft = target.string() + std::string(kPartial);
  const auto write = [&]() -> Status {
    // Checked before anything is written, and again right before the rename that makes it count,
    // since writing takes long.
    PT_TRY(CheckAttempt());
    PT_TRY(MakeFolder(draft));
    PT_TRY(WriteSafetensors(draft / kWeights, weights));
    // Best weights come before the rename: a checkpoint must never name a file that does not exist.
    PT_TRY(WriteBest(state, draft, weights, best));
    PT_TRY(WriteSafetensors(draft / "optimizer.safetensors", optimizer));
    PT_TRY(WriteFile(draft / "state.json", StateText(state)));
    PT_TRY(CheckAttempt());
    return PublishFolder(draft, target);
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
  return "best/" + StepName(step) + ".safetensors";
}

std::string CheckpointFolder::StepFolder(int64_t step) { return StepName(step); }

// Gives the draft's weights a second name (a hard link, so they are written once), or writes a copy
// if the file system has no links.
Status CheckpointFolder::WriteBest(const CheckpointState& state, const fs::path& draft,
                                   std::span<const NamedTensor> weights,
                                   std::span<const NamedTensor> best) const {
  if (IsBest(state)) return Link(draft / kWeights, path_ / state.best.file, weights);
  return best.empty() ? Status::OK() : WriteSafetensors(path_ / state.best.file, best);
}

Status CheckpointFolder::KeepAsBest(int64_t step) const {
  const fs::path own = path_ / StepName(step) / kWeights;
  PT_LET(const Safetensors weights, Safetensors::Read(own));
  return Link(own, path_ / BestFile(step), weights.tensors());
}

Status CheckpointFolder::Link(const fs::path& from, const fs::path& best,
                              std::span<const NamedTensor> weights) const {
  const fs::path link = best.string() + std::string(kPartial);
  std::error_code error;
  // A killed writer may have left one, and a link cannot replace an existing name.
  fs::remove(link, error);
  fs::create_hard_link(from, link, error);
  if (error) return WriteSafetensors(best, weights);
  fs::rename(link, best,
             error);  // Earlier weights of that name remain until then.
  if (error) return SystemFault("move " + link.string() + " to " + best.string(), error.value());
  return SyncFolder(path_ / "best");
}

Status CheckpointFolder::Prune(int64_t step, int32_t keep) const {
  std::set<std::string> needed;
  std::error_code error;
  int32_t kept = 0;
  for (const std::string& name : ListSteps(path_)) {
    // Later steps are damaged ones that this run did not continue from.
    if (name > StepName(step) || kept >= std::max(keep, 1)) {
      fs::remove_all(path_ / name, error);
      continue;
    }
    // A checkpoint whose state cannot be read neither counts as retained nor is removed: it may be
    // the only one left to inspect.
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
      return Fail(
          {.exit = Exit::kInput,
           .what = fmt::format("input changed: the checkpoint was made with {} rows, now "
                               "there are {}{}",
                               RowsIn(before), RowsIn(value),
                               RowsIn(before) == RowsIn(value) ? " with other content" : ""),
           .where = where,
           .fix = "restore the input, or start a new run"});
    }
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("{} changed since the checkpoint", key),
                 .where = where,
                 .why = Difference(key, before, value),
                 .fix = "resume with what the run started with, or start a new run"});
  }
  return Status::OK();
}

}  // namespace protium
