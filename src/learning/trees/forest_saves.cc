// SPDX-License-Identifier: Apache-2.0
#include "trees/forest_saves.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/fault.h"
#include "format/safetensors.h"
#include "protium/events.h"
#include "trees/forest_file.h"

namespace protium {
namespace {

// The forest and the rest of the state as one message: both travel together or not at all.
std::string Pack(const ForestState& now) {
  const ForestTensors tensors(now.forest);
  const std::string state = Dump(FieldsToJson(now.state));
  const std::string forest = SafetensorsBytes(tensors.tensors());
  return fmt::format("{:020}", state.size()) + state + forest;
}

Status Unpack(const std::string& message, ForestState& now) {
  constexpr size_t kHead = 20;
  const auto bad = [] { return Fail({.exit = Exit::kBug, .what = "a rank sent no forest"}); };
  if (message.size() < kHead) return bad();
  const auto size = size_t(std::strtoull(message.substr(0, kHead).c_str(), nullptr, 10));
  if (size > message.size() - kHead) return bad();
  PT_LET(const Json json, ParseJson(std::string_view(message).substr(kHead, size)));
  CheckpointState state;
  PT_TRY(FieldsFromJson(json, "", state));
  const auto bytes = std::as_bytes(std::span(message)).subspan(kHead + size);
  PT_LET(const Safetensors file, Safetensors::Parse({bytes.begin(), bytes.end()}, "a rank"));
  PT_LET(now.forest, ForestOf(file, now.forest.columns, "a rank"));
  now.state = std::move(state);
  return Status::OK();
}

// Collective. All ranks take what rank `root` has.
Status TakeFrom(int32_t root, ForestState& now, Communicator& communicator) {
  const bool own = communicator.rank() == root;
  PT_LET(const auto all, communicator.AllGather(own ? Pack(now) : std::string()));
  return own ? Status::OK() : Unpack(all[size_t(root)], now);
}

}  // namespace

Result<std::optional<Checkpoint>> ForestSaves::Load(const Json& identity) {
  PT_LET(CheckpointFolder folder, CheckpointFolder::Open(spec_.folder));
  std::vector<Status> damaged;
  PT_LET(std::optional<Checkpoint> found, folder.Newest(damaged));
  writer_ = std::make_unique<CheckpointWriter>(std::move(folder), spec_.keep);
  if (!found && damaged.empty()) return found;
  if (!spec_.resume) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the folder holds checkpoints of another run: " + spec_.folder.string(),
                 .where = spec_.folder.string(),
                 .fix = "resume that run, or train in a new folder"});
  }
  if (!found) return damaged[0];
  const std::string where = found->path.string();
  for (const Status& status : damaged) {
    const Fault fault = FaultOf(status);
    const std::string why = fault.why.empty() ? "" : " (" + fault.why + ")";
    if (spec_.report) {
      spec_.report(EventToJson(
          Warning{fmt::format("{}{}; training continues from {}", fault.what, why, where)}));
    }
  }
  PT_TRY(Resumable(found->state.identity, identity, where));
  return found;
}

Result<bool> ForestSaves::TakeUp(ForestState& now, Communicator& communicator) {
  const bool leads = communicator.rank() == 0;
  bool found = false;
  const auto load = [&]() -> Status {
    PT_LET(const std::optional<Checkpoint> checkpoint, Load(now.state.identity));
    if (!checkpoint) return Status::OK();
    const std::string where = (checkpoint->path / "weights.safetensors").string();
    PT_LET(now.forest, ForestOf(checkpoint->weights, now.forest.columns, where));
    now.state = checkpoint->state;
    found = true;
    return Status::OK();
  };
  const Status loaded = leads ? load() : Status::OK();
  PT_LET(const auto all,
         communicator.AllGather(Dump({{"status", StatusToJson(loaded)}, {"found", found}})));
  PT_LET(const Json said, ParseJson(all[0]));
  PT_TRY(StatusFromJson(said["status"]));
  if (!said["found"].get<bool>()) return false;
  PT_TRY(TakeFrom(0, now, communicator));
  seconds_before_ = now.state.seconds;
  saved_step_ = now.state.step;
  return true;
}

Result<bool> ForestSaves::CatchUp(ForestState& now, bool begun, Communicator& communicator) {
  const int64_t own = begun ? now.state.step : -1;
  PT_LET(const auto all, communicator.AllGather(std::to_string(own)));
  std::vector<int64_t> steps;
  for (const std::string& each : all) steps.push_back(std::strtoll(each.c_str(), nullptr, 10));
  const auto most = std::ranges::max_element(steps);
  if (*most < 0) return false;
  if (std::ranges::all_of(steps, [&](int64_t step) { return step == *most; })) return true;
  PT_TRY(TakeFrom(int32_t(most - steps.begin()), now, communicator));
  if (!begun) seconds_before_ = now.state.seconds;
  return true;
}

bool ForestSaves::due(int64_t round, bool leads) {
  if (!leads || writer_ == nullptr) return false;
  if (spec_.every_rounds > 0 && round % spec_.every_rounds == 0) return true;
  const double waited = std::chrono::duration<double>(Clock::now() - saved_at_).count();
  return spec_.every_seconds > 0 && waited >= spec_.every_seconds && writer_->idle();
}

Status ForestSaves::Save(ForestState& now, bool leads) {
  now.state.seconds = seconds();
  saved_at_ = Clock::now();
  if (!leads) return Status::OK();
  const ForestTensors tensors(now.forest);
  PT_TRY(writer_->Write(now.state, tensors.tensors(), {}));
  PT_LET(const auto written, writer_->TakeWritten());
  return Report(written);
}

Status ForestSaves::Report(const std::vector<WrittenCheckpoint>& written) {
  for (const WrittenCheckpoint& each : written) {
    saved_step_ = each.state.step;
    progress_.Send(Checkpointed{each.state.step, each.state.epoch, each.path.string()});
    if (spec_.saved) spec_.saved();
  }
  return Status::OK();
}

Status ForestSaves::Finish() {
  if (writer_ == nullptr) return Status::OK();
  PT_LET(const auto written, writer_->Finish());
  return Report(written);
}

Result<std::filesystem::path> ForestSaves::HandOut(const Forest& forest) {
  const std::filesystem::path file = spec_.folder / "forest.safetensors";
  const ForestTensors tensors(forest);
  PT_TRY(WriteSafetensors(file, tensors.tensors()));
  return file;
}

Status ForestSaves::WithKept(const Status& status) {
  if (status.ok() || !Finish().ok() || saved_step_ == 0) return status;
  Fault fault = FaultOf(status);
  fault.kept = fmt::format("the checkpoint of round {} in {}", saved_step_, spec_.folder.string());
  return Fail(std::move(fault));
}

Status ForestSaves::Lead() {
  if (writer_) return Status::OK();
  PT_LET(CheckpointFolder folder, CheckpointFolder::Open(spec_.folder));
  writer_ = std::make_unique<CheckpointWriter>(std::move(folder), spec_.keep);
  return Status::OK();
}

}  // namespace protium
