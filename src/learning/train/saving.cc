// SPDX-License-Identifier: Apache-2.0
#include "train/saving.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/fault.h"
#include "protium/events.h"
#include "train/average.h"
#include "train/shared_optimizer.h"

namespace protium {

Saving::Saving(const TrainSpec& spec, const TrainInput& input, const Learner& learner,
               Progress& progress, CheckpointState& state)
    : spec_(spec), in_(input), learner_(learner), progress_(progress), state_(state) {}

Result<bool> Saving::TakeUp(std::function<void(const Json&, CheckpointState&)> choose) {
  std::optional<CheckpointFolder> folder;
  const ResumeWish wish{.folder = spec_.folder,
                        .wanted = spec_.resume,
                        .changes = spec_.train.changes,
                        .choose = std::move(choose)};
  PT_LET(const bool resumed,
         ResumeFrom(wish, *in_.communicator, learner_, state_, folder, in_.report));
  if (folder) writer_ = std::make_unique<CheckpointWriter>(*std::move(folder), spec_.train.keep);
  handed_step_ = saved_step_ = resumed ? state_.step : 0;
  seconds_before_ = state_.seconds;
  return resumed;
}

double Saving::waited() const {
  return std::chrono::duration<double>(Clock::now() - saved_at_).count();
}

bool Saving::due() {
  const double seconds = spec_.train.checkpoint.every_seconds;
  if (seconds <= 0 || !leads()) return false;
  // Otherwise training would wait for a checkpoint that is still being written.
  return waited() >= seconds && writer_->idle();
}

bool Saving::due_after_epoch() {
  constexpr double kLeast = 1;
  const double seconds = spec_.train.checkpoint.every_seconds;
  return leads() && waited() >= (seconds > 0 ? std::min(seconds, kLeast) : kLeast);
}

bool Saving::landed() { return leads() && writer_->idle(); }

Status Saving::Stepped(bool all_landed) {
  if (all_landed) saved_step_ = handed_step_;
  if (!leads()) return Status::OK();
  PT_LET(const auto written, writer_->TakeWritten());
  Report(written);
  return Status::OK();
}

Status Saving::Save() {
  return WithAverage(learner_, [&] { return Write(); });
}

Status Saving::Write() {
  ServedTables* const served = learner_.served;
  PT_TRY(AgreeOnWeights(
      served == nullptr ? in_.weights.Hash() : served->OthersHash(learner_.optimizer), state_.step,
      *in_.communicator));
  PT_LET(const std::shared_ptr<WholeNet> whole, Gathered());
  state_.seconds = seconds();
  saved_at_ = Clock::now();
  handed_step_ = state_.step;
  // Empty unless the optimiser is shared.
  WholeState gathered;
  if (learner_.optimizer.shared()) {
    PT_LET(gathered, GatherState(learner_.optimizer, *in_.communicator));
  }
  if (!leads()) return Status::OK();
  if (whole) {
    return writer_->Write(state_, whole->weights->Tensors(), Learner::Of(*whole).State(), whole);
  }
  return writer_->Write(state_, in_.weights.Tensors(), learner_.State(std::move(gathered.tensors)));
}

// Collective. All rows of tables that servers hold, if any do; other ranks than 0 get nullptr.
Result<std::shared_ptr<WholeNet>> Saving::Gathered() const {
  if (learner_.served == nullptr) return std::shared_ptr<WholeNet>();
  PT_LET(WholeNet whole, learner_.served->Gather(learner_.of_rows()));
  return leads() ? std::make_shared<WholeNet>(std::move(whole)) : nullptr;
}

Status Saving::KeepBest() {
  const bool takes_part = leads() || learner_.served != nullptr;
  if (state_.best.epoch != state_.epoch || !takes_part) return Status::OK();
  return WithAverage(learner_, [&]() -> Status {
    PT_LET(const std::shared_ptr<WholeNet> whole, Gathered());
    if (!leads()) return Status::OK();
    const Weights& all = whole ? *whole->weights : in_.weights;
    return writer_->KeepBest(state_.best.step, all.Tensors(), whole);
  });
}

// The hashes are known only now; later states contain them.
void Saving::Report(const std::vector<WrittenCheckpoint>& written) {
  for (const WrittenCheckpoint& each : written) {
    saved_step_ = each.state.step;
    state_.weights_xxh3 = each.state.weights_xxh3;
    if (state_.best.step == each.state.best.step) state_.best.xxh3 = each.state.best.xxh3;
    progress_.Send(Checkpointed{each.state.step, each.state.epoch, each.path.string()});
    if (in_.saved) in_.saved();
  }
}

Status Saving::Finish() {
  if (!leads()) return Status::OK();
  PT_LET(const auto written, writer_->Finish());
  Report(written);
  return Status::OK();
}

Status Saving::Share() {
  PT_TRY(FailTogether(Finish(), *in_.communicator));
  const Json own = {{"weights", state_.weights_xxh3}, {"best", state_.best.xxh3}};
  PT_LET(const auto all, in_.communicator->AllGather(leads() ? Dump(own) : std::string()));
  PT_LET(const Json hashes, ParseJson(all[0]));
  state_.weights_xxh3 = hashes.value("weights", std::string());
  state_.best.xxh3 = hashes.value("best", std::string());
  saved_step_ = handed_step_;
  return Status::OK();
}

Status Saving::GoOn(bool came) {
  if (came) seconds_before_ = state_.seconds;
  handed_step_ = saved_step_;
  // If it stayed open, it could write no more when this rank leads again.
  if (!leads()) writer_.reset();
  if (!leads() || writer_) return Status::OK();
  PT_LET(CheckpointFolder folder, CheckpointFolder::Open(spec_.folder));
  writer_ = std::make_unique<CheckpointWriter>(std::move(folder), spec_.train.keep);
  return Status::OK();
}

// Only rank 0 knows of a checkpoint that is being written or has just been completed.
Status Saving::WithKept(const Status& status) {
  if (status.ok()) return status;
  // Rank 0 can wait for it; an error in it now is not the cause.
  if (Finish().ok() && leads()) handed_step_ = saved_step_;
  if (saved_step_ == 0) return status;
  Fault fault = FaultOf(status);
  fault.kept =
      fmt::format("the checkpoint of step {}{} in {}", saved_step_,
                  handed_step_ > saved_step_ ? " or a later one" : "", spec_.folder.string());
  return Fail(std::move(fault));
}

Result<std::filesystem::path> Saving::HandOut(TrainOutcome& out) {
  PT_TRY(Finish());
  const std::string file = state_.best.epoch > 0
                               ? state_.best.file
                               : fmt::format("step-{:09}/weights.safetensors", state_.step);
  const std::filesystem::path weights = spec_.folder / file;
  if (!leads()) return weights;
  out.weights = weights;
  PT_LET(const Safetensors written, Safetensors::Read(weights));
  const bool best = state_.best.epoch > 0;
  if (WeightsXxh3(written.tensors()) != (best ? state_.best.xxh3 : state_.weights_xxh3)) {
    return Fail({.exit = Exit::kInput,
                 .what = "the weights changed after they were written: " + weights.string(),
                 .why = "the hash of their tensors differs",
                 .fix = "resume the run (protium resume): it continues from what is intact"});
  }
  out.weights_sha256 = WeightsSha256(written.tensors());
  return weights;
}

}  // namespace protium
