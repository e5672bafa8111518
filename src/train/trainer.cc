// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/call.h"
#include "base/fault.h"
#include "tensor/guard.h"
#include "tensor/philox.h"
#include "train/checkpoint.h"
#include "train/feed.h"
#include "train/fingerprint.h"
#include "train/progress.h"
#include "train/resume.h"
#include "train/stepper.h"
#include "train/validation.h"

// Run() in order:
// 1. Begin: ranks compare their fingerprints, then take a checkpoint's state or rank 0's first
//    weights.
// 2. For each epoch: each step feeds the own shards' batches and runs the Stepper. A checkpoint
//    follows every every_steps steps, when rank 0's clock says so (the flag travels in the
//    reduction, so all ranks save at the same step), and before a stop.
// 3. EndEpoch: validation on all ranks, the choice of the best weights, the checkpoint of the
//    epoch.
// 4. Outcome: rank 0 hashes the file of weights that it hands out and compares it with what was
//    saved. state_ is everything that a checkpoint keeps; it advances on every rank alike.

namespace protium {
namespace {

class Training {
 public:
  Training(const TrainSpec& spec, const TrainInput& input);
  Result<TrainOutcome> Run();

 private:
  Status Begin();
  Status Initialise();
  Status RunEpoch();
  Status AfterStep(const StepResult& result);
  Status EndEpoch();
  void Choose(const Json& values);
  Status Save();
  Status Stopped();
  Status WithKept(const Status& status) const;
  Result<TrainOutcome> Outcome();

  bool leads() const { return in_.communicator.rank() == 0; }

  const TrainSpec& spec_;
  const TrainInput& in_;
  Feed feed_;
  Optimizer optimizer_;
  Progress progress_;
  std::optional<Validation> validation_;
  std::unique_ptr<Stepper> stepper_;
  bool higher_is_better_ = false;           // Of spec_.best.
  std::optional<CheckpointFolder> folder_;  // On rank 0.
  CheckpointState state_;
  double seconds_before_ = 0;  // Spent by earlier attempts.
  Clock::time_point saved_at_ = Clock::now();
  int64_t saved_step_ = 0;  // Of the newest checkpoint; 0: there is none.
};

Training::Training(const TrainSpec& spec, const TrainInput& input)
    : spec_(spec),
      in_(input),
      feed_(input.rows, spec.batch_size, spec.step.seed),
      optimizer_(spec.optimizer, input.weights),
      progress_(input.communicator.rank() == 0 ? input.report : nullptr,
                feed_.steps() * spec.epochs) {
  if (input.validation != nullptr)
    validation_.emplace(*input.validation, input.net, spec.target, spec.metrics);
}

Result<TrainOutcome> Training::Run() {
  PT_TRY(Begin());
  while (state_.epoch < spec_.epochs) PT_TRY(RunEpoch());
  return Outcome();
}

Status Training::Begin() {
  PT_TRY(UseThreads(spec_.threads_per_shard));
  PT_TRY(CheckFloatingPoint());
  PT_LET(const MetricSpec* best, FindMetric(spec_.best));
  higher_is_better_ = best->higher_is_better;
  const Json fingerprint = NumericsFingerprint(spec_.threads_per_shard);
  PT_TRY(AgreeOn(fingerprint, in_.communicator));
  PT_TRY(feed_.CheckBatches(in_.net.least_rows()));
  state_.identity = {{"shards", in_.rows.shards()},
                     {"options", spec_.options},
                     {"fingerprint", fingerprint},
                     {"stages_sha256", spec_.stages_sha256},
                     {"rows", IdentityToJson(in_.rows.identity())}};
  if (in_.validation != nullptr) {
    state_.identity["validation_rows"] = IdentityToJson(in_.validation->identity());
  }
  PT_LET(const bool resumed,
         ResumeFrom({.folder = spec_.folder, .wanted = spec_.resume}, in_.communicator, in_.weights,
                    optimizer_, state_, folder_, in_.report));
  if (!resumed) PT_TRY(Initialise());
  saved_step_ = resumed ? state_.step : 0;
  seconds_before_ = state_.seconds;
  StepSpec step = spec_.step;
  step.first = ShardOwners(in_.rows.shards(), in_.communicator.world());
  PT_LET(stepper_, Stepper::Make(step, in_.net, in_.weights, optimizer_, in_.communicator));
  progress_.Tell({{"event", "train_start"},
                  {"rows", in_.rows.total_rows()},
                  {"steps", feed_.steps() * spec_.epochs},
                  {"epochs", spec_.epochs},
                  {"batch", spec_.batch_size},
                  {"shards", in_.rows.shards()},
                  {"step", state_.step}});
  return Status::OK();
}

// Rank 0 decides where training starts, whatever the others' libraries would draw: a net's own
// initialisation need not be exact.
Status Training::Initialise() {
  if (leads()) {
    PT_TRY(Guard("initialising the net", [&] {
      in_.net.Initialise(DrawKey(DrawTag::kInitialise, {uint64_t(spec_.step.seed)}));
    }));
  }
  PT_TRY(in_.communicator.Broadcast(std::as_writable_bytes(in_.weights.parameters()), 0));
  return in_.communicator.Broadcast(std::as_writable_bytes(in_.weights.buffers()), 0);
}

Status Training::RunEpoch() {
  PT_TRY(feed_.StartEpoch(state_.epoch, state_.epoch_step));
  while (state_.epoch_step < feed_.steps()) {
    // Only rank 0 looks at the clock; when to save must not be decided by two clocks. It changes
    // when checkpoints are written, never what is in the weights.
    const bool due = spec_.every_seconds > 0 && leads() &&
                     Clock::now() - saved_at_ >= std::chrono::duration<double>(spec_.every_seconds);
    PT_LET(const std::span<const Batch> shards, feed_.Next());
    const auto result = stepper_->Run({.step = state_.step,
                                       .epoch = state_.epoch,
                                       .shards = shards,
                                       .stop = in_.stop.stop_requested(),
                                       .save = due});
    PT_TRY(WithKept(result.status()));
    PT_TRY(AfterStep(*result));
  }
  PT_TRY(feed_.EndEpoch());
  return EndEpoch();
}

Status Training::AfterStep(const StepResult& result) {
  ++state_.step;
  ++state_.epoch_step;
  state_.skipped += result.skipped ? 1 : 0;
  state_.epoch_loss += result.loss * result.weight;
  state_.epoch_weight += result.weight;
  progress_.Stepped(state_.step, state_.epoch + 1, result);
  const bool by_count = spec_.every_steps > 0 && state_.step % spec_.every_steps == 0;
  const bool last = state_.epoch_step == feed_.steps();
  // The last step of an epoch needs none of its own: EndEpoch() saves right after it, with
  // validation.
  if (result.stop || ((by_count || result.save) && !last)) PT_TRY(Save());
  return result.stop ? Stopped() : Status::OK();
}

Status Training::EndEpoch() {
  ++state_.epoch;
  Json entry = {{"epoch", state_.epoch},
                {"step", state_.step},
                {"loss", state_.epoch_weight > 0 ? state_.epoch_loss / state_.epoch_weight : 0.0}};
  state_.epoch_step = 0;
  state_.epoch_loss = state_.epoch_weight = 0;
  if (validation_) {
    PT_LET(const Json values, validation_->Measure(in_.communicator));
    entry["validation"] = values;
    Json event = {{"event", "validation"}, {"epoch", state_.epoch}, {"step", state_.step}};
    event.update(values);
    progress_.Tell(event);
    Choose(values);
  }
  progress_.Tell({{"event", "epoch"},
                  {"epoch", state_.epoch},
                  {"step", state_.step},
                  {"loss", entry["loss"]}});
  entry["seconds"] = seconds_before_ + progress_.seconds();
  state_.history.push_back(entry);
  return Save();
}

// The checkpoint that follows keeps the weights as the best when these values are the best so far;
// of a metric around 0, as bias is, the size counts.
void Training::Choose(const Json& values) {
  const Json chosen = values.value(spec_.best, Json());
  if (!chosen.is_number()) return;
  const double given = chosen.get<double>();
  const double value = higher_is_better_ ? given : std::fabs(given);
  const bool better = higher_is_better_ ? value > state_.best.value : value < state_.best.value;
  if (state_.best.epoch > 0 && !better) return;
  state_.best = {.epoch = state_.epoch,
                 .step = state_.step,
                 .value = value,
                 .metrics = values,
                 .file = CheckpointFolder::BestFile(state_.step)};
}

Status Training::Save() {
  // Ranks whose weights drifted apart must not be saved: a resumed run would hide it.
  PT_TRY(AgreeOnWeights(in_.weights.Hash(), state_.step, in_.communicator));
  state_.seconds = seconds_before_ + progress_.seconds();
  saved_at_ = Clock::now();
  saved_step_ = state_.step;
  if (!leads()) return Status::OK();
  PT_LET(const std::filesystem::path path,
         folder_->Write(state_, in_.weights.Tensors(), optimizer_.Tensors(), spec_.keep));
  progress_.Tell({{"event", "checkpoint"},
                  {"step", state_.step},
                  {"epoch", state_.epoch},
                  {"path", path.string()}});
  return Status::OK();
}

// What a failed step leaves behind is said by every rank alike.
Status Training::WithKept(const Status& status) const {
  if (status.ok() || saved_step_ == 0) return status;
  Fault fault = FaultOf(status);
  fault.kept = fmt::format("the checkpoint of step {} in {}", saved_step_, spec_.folder.string());
  return Fail(std::move(fault));
}

Status Training::Stopped() {
  return Fail(
      {.exit = Exit::kStopped,
       .what = fmt::format("stopped at step {} of {}", state_.step, feed_.steps() * spec_.epochs),
       .kept = fmt::format("a checkpoint of step {} in {}", state_.step, spec_.folder.string())});
}

Result<TrainOutcome> Training::Outcome() {
  TrainOutcome out;
  out.steps = state_.step;
  out.best_epoch = state_.best.epoch;
  out.validation = state_.best.metrics;
  out.history = state_.history;
  out.fingerprint = state_.identity["fingerprint"];
  out.rows_identity = state_.identity["rows"];
  out.wait_share = progress_.wait_share();
  if (!leads()) return out;
  out.weights = spec_.folder / (state_.best.epoch > 0
                                    ? state_.best.file
                                    : fmt::format("step-{:09}/weights.safetensors", state_.step));
  PT_LET(out.weights_sha256, WeightsSha256(out.weights));
  const bool best = state_.best.epoch > 0;
  if (out.weights_sha256 == (best ? state_.best.sha256 : state_.weights_sha256)) return out;
  return Fail({.exit = Exit::kInput,
               .what = "the weights changed after they were written: " + out.weights.string(),
               .why = "the sha256 of their tensors is another"});
}

}  // namespace

Result<TrainOutcome> Train(const TrainSpec& spec, const TrainInput& input) {
  if (input.rows.total_rows() == 0) {
    return Fail({.exit = Exit::kInput,
                 .what = "there are no rows to train on",
                 .fix = "check the query, the split and the validation share"});
  }
  return Training(spec, input).Run();
}

}  // namespace protium
