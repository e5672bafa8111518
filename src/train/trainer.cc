// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/call.h"
#include "base/fault.h"
#include "recipe/depends_on_steps.h"
#include "tensor/guard.h"
#include "tensor/philox.h"
#include "train/average.h"
#include "train/catch_up.h"
#include "train/checkpoint_writer.h"
#include "train/feed.h"
#include "train/fingerprint.h"
#include "train/judge.h"
#include "train/optimizer.h"
#include "train/plateau.h"
#include "train/progress.h"
#include "train/resume.h"
#include "train/schedule.h"
#include "train/start.h"
#include "train/stepper.h"

// Run() in order:
// 1. Begin: ranks compare their fingerprints, then take a checkpoint's state or rank 0's first
//    weights, drawn or those of train.from.
// 2. For each epoch: each step feeds the own shards' batches, runs the Stepper at the rate of the
//    schedule and moves the average. A checkpoint follows every every_steps steps, when rank 0's
//    clock says so (the flag travels in the reduction, so all ranks save at the same step), and
//    before a stop. Rank 0 hands a copy to the CheckpointWriter and goes on; that it is on the disk
//    travels in a later reduction, so that all ranks know what a failure leaves behind.
// 3. EndEpoch: validation on all ranks, the choice of the best weights, the watches of plateau and
//    early stopping, the checkpoint of the epoch.
// 4. Outcome: rank 0 hashes the file of weights that it hands out and compares it with what was
//    saved. With these weights in all nets, calibration and threshold are fitted to the validation
//    rows; they follow from checkpoints alone, so no checkpoint needs to hold them. state_ is
//    everything that a checkpoint keeps besides tensors; it advances on every rank alike.
// A gang that bends does 2 to 4 in generations. When a collective call fails because a rank is gone,
// or all have agreed to change after a step, the rank enters the next generation, takes the state of
// the furthest (catch_up.h), owns other shards, and goes on where that state says. What an epoch's
// end did not complete is done again.

namespace protium {
namespace {

// A collective call failed because some rank is gone or late, or its generation is over; nothing is
// wrong with this one.
bool LostOthers(const Status& status) {
  const Exit exit = FaultOf(status).exit;
  return exit == Exit::kRemote || exit == Exit::kStalled;
}

class Training {
 public:
  Training(const TrainSpec& spec, const TrainInput& input, Optimizer optimizer);
  Result<TrainOutcome> Run();

 private:
  Status Prepare();
  Status Begin();
  Result<TrainOutcome> Work();
  Result<bool> Enter(Status failed);
  Status Rejoin();
  Status OpenFolder();
  Status TakeShards();
  Status Identify();
  Status Initialise();
  Status RunEpoch();
  Status AfterStep(const StepResult& result);
  Status EndEpoch();
  Status CloseEpoch();
  Result<Json> Measure();
  void Choose(const Json& values);
  void Watch(const Json& entry);
  Status Save();
  Status Write();
  void TellWritten(const std::vector<WrittenCheckpoint>& written);
  Status FinishWriting();
  Status ShareWritten();
  Status Stopped();
  Status WithKept(const Status& status);
  Result<TrainOutcome> Outcome();
  Status CheckKept(const TrainOutcome& out) const;

  // Runs `work` with the average in the net, if weights are averaged, and returns its result. A
  // failure is returned only after the second exchange, so the net never keeps the average.
  template <class Work>
  auto WithAverage(Work work) {
    if (average_) average_->Exchange();
    auto result = work();
    if (average_) average_->Exchange();
    return result;
  }
  Learner learner() { return {in_.weights, optimizer_, average_ ? &*average_ : nullptr}; }
  bool leads() const { return in_.communicator->rank() == 0; }
  // Of the learning rate in a step of this epoch; the first of a training is 0.
  double FactorOf(int64_t step) const { return schedule_(step) * state_.plateau.rate; }
  // What is reported; complete options name it.
  double RateOf(int64_t step) const {
    return FactorOf(step) * train_.optimizer.options.value("learning_rate", 1.0);
  }
  bool over() const {
    return state_.epoch >= train_.epochs || IsOver(train_.early_stopping, state_.stopping);
  }

  const TrainSpec& spec_;
  const TrainOptions& train_;
  TrainInput in_;  // Its communicator is that of the present generation.
  std::optional<Feed> feed_;
  int64_t steps_ = 0;  // Of all epochs.
  Optimizer optimizer_;
  std::optional<WeightAverage> average_;
  Schedule schedule_;
  std::optional<ReduceOnPlateauOptions> plateau_;
  Progress progress_;
  std::optional<Validation> validation_;
  std::unique_ptr<Stepper> stepper_;
  bool higher_is_better_ = false;             // Of train_.best.
  std::unique_ptr<CheckpointWriter> writer_;  // On rank 0.
  CheckpointState state_;
  double seconds_before_ = 0;  // Spent by earlier attempts.
  Clock::time_point saved_at_ = Clock::now();
  bool newcomer_ = false;    // Has no state yet.
  bool changing_ = false;    // All ranks leave this generation.
  int64_t handed_step_ = 0;  // Of the newest checkpoint that was handed over,
  int64_t saved_step_ = 0;   // and of the newest one on the disk; 0: there is none.
};

Training::Training(const TrainSpec& spec, const TrainInput& input, Optimizer optimizer)
    : spec_(spec),
      train_(spec.train),
      in_(input),
      steps_(StepsPerEpoch(input.rows.total_rows(), spec.train.batch_size) * spec.train.epochs),
      optimizer_(std::move(optimizer)),
      progress_(input.report, steps_),
      newcomer_(input.communicator == nullptr) {
  if (train_.average > 0) average_.emplace(train_.average, input.weights);
}

Result<TrainOutcome> Training::Run() {
  PT_TRY(Prepare());
  if (!newcomer_) PT_TRY(Begin());
  bool in = !newcomer_;
  Status failed;
  while (true) {
    if (!in) {
      PT_LET(in, Enter(failed));
    }
    // Called out of the gang, which goes on without this rank.
    if (!in) return TrainOutcome();
    Result<TrainOutcome> outcome = Work();
    const bool again = outcome.ok() ? changing_ : LostOthers(outcome.status());
    if (in_.membership == nullptr || !again) return outcome;
    failed = outcome.status();
    in = false;
  }
}

// To the end of training, or to where the ranks have agreed to leave their generation.
Result<TrainOutcome> Training::Work() {
  changing_ = false;
  while (!over() && !changing_) PT_TRY(RunEpoch());
  return changing_ ? TrainOutcome() : Outcome();
}

// What needs no other rank.
Status Training::Prepare() {
  PT_TRY(UseThreads(train_.threads_per_shard));
  PT_TRY(CheckFloatingPoint());
  PT_LET(const MetricSpec best, FindMetric(train_.best, spec_.own_metrics));
  higher_is_better_ = best.higher_is_better;
  PT_LET(schedule_, MakeSchedule(train_, steps_));
  PT_LET(plateau_, PlateauOptions(train_));
  return Status::OK();
}

Status Training::Begin() {
  PT_TRY(TakeShards());
  PT_TRY(feed_->CheckBatches(in_.net.least_rows(), train_.micro_batches));
  PT_TRY(Identify());
  std::optional<CheckpointFolder> folder;
  PT_LET(const bool resumed, ResumeFrom({.folder = spec_.folder, .wanted = spec_.resume},
                                        *in_.communicator, learner(), state_, folder, in_.report));
  if (folder) writer_ = std::make_unique<CheckpointWriter>(*std::move(folder), train_.keep);
  if (!resumed) PT_TRY(Initialise());
  handed_step_ = saved_step_ = resumed ? state_.step : 0;
  seconds_before_ = state_.seconds;
  progress_.Tell({{"event", "train_start"},
                  {"rows", in_.rows.total_rows()},
                  {"steps", steps_},
                  {"epochs", train_.epochs},
                  {"batch", train_.batch_size},
                  {"shards", in_.rows.shards()},
                  {"step", state_.step}});
  return Status::OK();
}

// The shards of this rank in this generation, and what is made for them. Collective.
Status Training::TakeShards() {
  const Communicator& ranks = *in_.communicator;
  const std::vector<int32_t> first = ShardOwners(in_.rows.shards(), ranks.world());
  const ShardedRows::Owned own{first[size_t(ranks.rank())], first[size_t(ranks.rank()) + 1]};
  progress_.Speak(leads());
  if (in_.membership != nullptr) {
    in_.rows.TakeOver(own);
    if (in_.validation != nullptr) in_.validation->TakeOver(own);
  }
  feed_.emplace(in_.rows, train_.batch_size, train_.seed, in_.weights.device());
  if (in_.validation != nullptr) {
    validation_.emplace(*in_.validation, in_.net, in_.weights.device(), spec_.target,
                        train_.metrics, spec_.own_metrics);
  }
  const StepSpec step{.first = first,
                      .outputs = spec_.target.outputs(),
                      .loss = spec_.loss,
                      .train = train_};
  PT_LET(stepper_, Stepper::Make(step, in_.net, in_.weights, optimizer_, *in_.communicator));
  return Status::OK();
}

// False: this rank is called out of the gang. Another death on the way only means another try.
Result<bool> Training::Enter(Status failed) {
  const auto since = Clock::now();
  const bool lost = !failed.ok();
  while (true) {
    stepper_.reset();
    PT_LET(in_.communicator, in_.membership->Enter(failed));
    if (in_.communicator == nullptr) return false;
    failed = Rejoin();
    if (failed.ok()) break;
    if (!LostOthers(failed)) return failed;
  }
  in_.membership->Settled(state_.step);
  progress_.Tell({{"event", "gang_entered"},
                  {"step", state_.step},
                  {"world", in_.communicator->world()},
                  {"after_death", lost},
                  {"pause_seconds", std::chrono::duration<double>(Clock::now() - since).count()}});
  return true;
}

Status Training::Rejoin() {
  Standing standing{.learner = learner(),
                    .state = state_,
                    .saved_step = saved_step_,
                    .newcomer = newcomer_,
                    .over = !newcomer_ && over()};
  const bool came = newcomer_;
  const Status caught = CatchUp(standing, *in_.communicator);
  newcomer_ = standing.newcomer;
  PT_TRY(caught);
  if (came) seconds_before_ = state_.seconds;
  handed_step_ = saved_step_;
  const Status opened = OpenFolder();
  if (!opened.ok()) in_.communicator->Abort(opened);
  PT_TRY(opened);
  return TakeShards();
}

// A rank 0 whose predecessor has died writes the checkpoints from here on; whatever that one was
// still writing is fenced off.
Status Training::OpenFolder() {
  if (!leads() || writer_) return Status::OK();
  PT_LET(CheckpointFolder folder, CheckpointFolder::Open(spec_.folder));
  writer_ = std::make_unique<CheckpointWriter>(std::move(folder), train_.keep);
  return Status::OK();
}

// What a resuming run must agree with (Resumable()). The number of epochs is part of it only where
// the rates of the steps already made depend on it.
Status Training::Identify() {
  Json fingerprint = NumericsFingerprint(train_.threads_per_shard, in_.weights.device());
  if (train_.precision == Precision::kBfloat16) fingerprint["bfloat16"] = Bfloat16Instructions();
  PT_TRY(AgreeOn(fingerprint, *in_.communicator));
  state_.identity = {{"shards", in_.rows.shards()},
                     {"options", spec_.options},
                     {"fingerprint", fingerprint},
                     {"stages_sha256", spec_.stages_sha256},
                     {"rows", IdentityToJson(in_.rows.identity())}};
  if (DependsOnSteps(train_) || train_.warm_up.steps > steps_) {
    state_.identity["options"]["epochs"] = train_.epochs;
  }
  if (in_.validation != nullptr) {
    state_.identity["validation_rows"] = IdentityToJson(in_.validation->identity());
  }
  return Status::OK();
}

// Rank 0 decides where training starts, whatever the others' libraries would draw: a net's own
// initialisation need not be exact. So only rank 0 reads the file of train.from.
Status Training::Initialise() {
  if (leads()) {
    PT_TRY(Guard("initialising the net", [&] {
      in_.net.Initialise(DrawKey(DrawTag::kInitialise, {uint64_t(train_.seed)}));
      in_.weights.Download();
    }));
    if (!train_.from.weights.empty()) {
      PT_TRY(StartFrom(train_.from, in_.net.parameters(), in_.weights));
    }
  }
  PT_TRY(in_.communicator->Broadcast(std::as_writable_bytes(in_.weights.parameters()), 0));
  PT_TRY(in_.communicator->Broadcast(std::as_writable_bytes(in_.weights.buffers()), 0));
  if (average_) average_->Begin();
  return Status::OK();
}

Status Training::RunEpoch() {
  PT_TRY(feed_->StartEpoch(state_.epoch, state_.epoch_step));
  const double seconds = train_.checkpoint.every_seconds;
  // A device computes by itself; on the CPU there is no time to win.
  std::function<Status()> ahead;
  if (in_.weights.device().staged()) ahead = [this] { return feed_->Prepare(); };
  while (state_.epoch_step < feed_->steps()) {
    // Only rank 0 looks at the clock; when to save must not be decided by two clocks. It changes
    // when checkpoints are written, never what is in the weights.
    const bool due = seconds > 0 && leads() &&
                     Clock::now() - saved_at_ >= std::chrono::duration<double>(seconds);
    PT_LET(const std::span<const Batch> shards, feed_->Next());
    const auto result = stepper_->Run({.step = state_.step,
                                       .epoch = state_.epoch,
                                       .shards = shards,
                                       .rate = FactorOf(state_.step),
                                       .stop = in_.stop.stop_requested(),
                                       .save = due,
                                       .saved = leads() && writer_->idle(),
                                       .change = in_.membership && in_.membership->changing(),
                                       .meanwhile = ahead});
    // Nothing is lost with another rank; what is kept is worth a word only where training ends.
    const bool goes_on = in_.membership != nullptr && LostOthers(result.status());
    PT_TRY(goes_on ? result.status() : WithKept(result.status()));
    PT_TRY(AfterStep(*result));
    if (changing_) return Status::OK();
  }
  PT_TRY(feed_->EndEpoch());
  return EndEpoch();
}

Status Training::AfterStep(const StepResult& result) {
  const double rate = RateOf(state_.step);
  if (result.saved) saved_step_ = handed_step_;
  changing_ = result.change && in_.membership != nullptr;
  if (leads()) {
    PT_LET(const auto written, writer_->TakeWritten());
    TellWritten(written);
  }
  ++state_.step;
  ++state_.epoch_step;
  state_.skipped += result.skipped ? 1 : 0;
  if (average_) average_->Step(state_.step);
  state_.epoch_loss += result.loss * result.weight;
  state_.epoch_weight += result.weight;
  progress_.Stepped(state_.step, state_.epoch + 1, result, rate);
  const int64_t every = train_.checkpoint.every_steps;
  const bool by_count = every > 0 && state_.step % every == 0;
  const bool last = state_.epoch_step == feed_->steps();
  // The last step of an epoch needs none of its own: EndEpoch() saves right after it, with
  // validation.
  if (result.stop || ((by_count || result.save) && !last)) PT_TRY(Save());
  return result.stop ? Stopped() : Status::OK();
}

// All of it or, where a rank dies in it, nothing: a later generation ends the epoch then.
Status Training::EndEpoch() {
  if (in_.membership == nullptr) return CloseEpoch();
  const CheckpointState before = state_;
  const Status closed = CloseEpoch();
  if (!closed.ok()) state_ = before;
  return closed;
}

Status Training::CloseEpoch() {
  ++state_.epoch;
  Json entry = {{"epoch", state_.epoch},
                {"step", state_.step},
                {"loss", state_.epoch_weight > 0 ? state_.epoch_loss / state_.epoch_weight : 0.0},
                {"learning_rate", RateOf(state_.step - 1)}};
  state_.epoch_step = 0;
  state_.epoch_loss = state_.epoch_weight = 0;
  if (validation_) {
    PT_LET(const Json values, WithAverage([&] { return Measure(); }));
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
  Watch(entry);
  state_.history.push_back(entry);
  PT_TRY(Save());
  // Another rank may have to hand out the weights that this epoch chose.
  return in_.membership != nullptr ? ShareWritten() : Status::OK();
}

Result<Json> Training::Measure() {
  PT_TRY(Guard("sending weights", [&] { in_.weights.Upload(); }));
  return validation_->Measure(*in_.communicator);
}

// Hands the epoch's result to reduce_on_plateau and early stopping: the metric `best`, or the
// training loss without validation, which may be negative. Of a metric the size counts, as in
// Choose(), unless higher is better. The note is for a run that early stopping ends before its last
// epoch.
void Training::Watch(const Json& entry) {
  const Json measured = entry.value("validation", Json::object());
  const Json value = validation_ ? measured.value(train_.best, Json()) : entry["loss"];
  EpochValue epoch{.higher_is_better = validation_ && higher_is_better_};
  if (value.is_number()) {
    const double given = value.get<double>();
    epoch.value = validation_ && !higher_is_better_ ? std::fabs(given) : given;
  }
  if (plateau_) WatchPlateau(*plateau_, epoch, state_.plateau);
  WatchStopping(train_.early_stopping, epoch, state_.stopping);
  if (!IsOver(train_.early_stopping, state_.stopping) || state_.epoch == train_.epochs) return;
  progress_.Tell(
      {{"event", "note"},
       {"message",
        fmt::format("training ends after epoch {} of {}: {} did not improve for "
                    "{} epochs",
                    state_.epoch, train_.epochs, validation_ ? train_.best : "the training loss",
                    state_.stopping.waited)}});
}

// The checkpoint that follows keeps the weights as the best when these values are the best so far;
// of a metric around 0, as bias is, the size counts.
void Training::Choose(const Json& values) {
  const Json chosen = values.value(train_.best, Json());
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

// A checkpoint's weights are the average, so a model made from any of them has it.
Status Training::Save() {
  return WithAverage([&] { return Write(); });
}

Status Training::Write() {
  // Ranks whose weights drifted apart must not be saved: a resumed run would hide it.
  PT_TRY(AgreeOnWeights(in_.weights.Hash(), state_.step, *in_.communicator));
  state_.seconds = seconds_before_ + progress_.seconds();
  saved_at_ = Clock::now();
  handed_step_ = state_.step;
  if (!leads()) return Status::OK();
  return writer_->Write(state_, in_.weights.Tensors(), learner().State());
}

// The hashes are known only now, and later states go on to carry them.
void Training::TellWritten(const std::vector<WrittenCheckpoint>& written) {
  for (const WrittenCheckpoint& each : written) {
    saved_step_ = each.state.step;
    state_.weights_sha256 = each.state.weights_sha256;
    if (state_.best.step == each.state.best.step) state_.best.sha256 = each.state.best.sha256;
    progress_.Tell({{"event", "checkpoint"},
                    {"step", each.state.step},
                    {"epoch", each.state.epoch},
                    {"path", each.path.string()}});
  }
}

// Before anything relies on the files.
Status Training::FinishWriting() {
  if (!leads()) return Status::OK();
  PT_LET(const auto written, writer_->Finish());
  TellWritten(written);
  return Status::OK();
}

// Collective. Waits until the checkpoint is on the disk, and tells all ranks the hashes of its
// weights.
Status Training::ShareWritten() {
  const Status finished = FinishWriting();
  if (!finished.ok()) in_.communicator->Abort(finished);
  PT_TRY(finished);
  const Json own = {{"weights", state_.weights_sha256}, {"best", state_.best.sha256}};
  PT_LET(const auto all, in_.communicator->AllGather(leads() ? Dump(own) : std::string()));
  PT_LET(const Json hashes, ParseJson(all[0]));
  state_.weights_sha256 = hashes.value("weights", std::string());
  state_.best.sha256 = hashes.value("best", std::string());
  saved_step_ = handed_step_;
  return Status::OK();
}

// Which checkpoint a failed step leaves behind. Of one that is on its way to the disk, or has just
// arrived there, only rank 0 knows.
Status Training::WithKept(const Status& status) {
  if (status.ok()) return status;
  // Rank 0 can wait for it; what goes wrong with it now is not the cause.
  if (FinishWriting().ok() && leads()) handed_step_ = saved_step_;
  if (saved_step_ == 0) return status;
  Fault fault = FaultOf(status);
  fault.kept =
      fmt::format("the checkpoint of step {}{} in {}", saved_step_,
                  handed_step_ > saved_step_ ? " or a later one" : "", spec_.folder.string());
  return Fail(std::move(fault));
}

Status Training::Stopped() {
  PT_TRY(FinishWriting());
  return Fail(
      {.exit = Exit::kStopped,
       .what = fmt::format("stopped at step {} of {}", state_.step, steps_),
       .kept = fmt::format("a checkpoint of step {} in {}", state_.step, spec_.folder.string())});
}

Result<TrainOutcome> Training::Outcome() {
  PT_TRY(FinishWriting());
  TrainOutcome out;
  out.steps = state_.step;
  out.best_epoch = state_.best.epoch;
  out.decision = spec_.target.decision;
  out.history = state_.history;
  out.fingerprint = state_.identity["fingerprint"];
  out.rows_identity = state_.identity["rows"];
  out.wait_share = progress_.wait_share();
  const std::filesystem::path weights =
      spec_.folder / (state_.best.epoch > 0
                          ? state_.best.file
                          : fmt::format("step-{:09}/weights.safetensors", state_.step));
  if (leads()) {
    out.weights = weights;
    PT_LET(out.weights_sha256, WeightsSha256(weights));
    PT_TRY(CheckKept(out));
  }
  if (validation_) PT_TRY(JudgeWeights(weights, spec_, in_, *validation_, out));
  return out;
}

Status Training::CheckKept(const TrainOutcome& out) const {
  const bool best = state_.best.epoch > 0;
  if (out.weights_sha256 == (best ? state_.best.sha256 : state_.weights_sha256)) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kInput,
               .what = "the weights changed after they were written: " + out.weights.string(),
               .why = "the sha256 of their tensors differs"});
}

}  // namespace

Result<TrainOutcome> Train(const TrainSpec& spec, const TrainInput& input) {
  if (input.rows.total_rows() == 0) {
    return Fail({.exit = Exit::kInput,
                 .what = "there are no rows to train on",
                 .fix = "check the query, the split and the validation share"});
  }
  PT_LET(std::vector<double> rates, ParameterRates(spec.train.parameters, input.net.parameters()));
  PT_LET(Optimizer optimizer, Optimizer::Make(spec.train.optimizer, input.weights, std::move(rates),
                                              spec.train.threads_per_shard));
  return Training(spec, input, std::move(optimizer)).Run();
}

}  // namespace protium
