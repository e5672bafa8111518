// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "events/events.h"
#include "gang/failure.h"
#include "recipe/changes.h"
#include "recipe/depends_on_steps.h"
#include "tensor/guard.h"
#include "train/average.h"
#include "train/balance.h"
#include "train/catch_up.h"
#include "train/feed.h"
#include "train/fingerprint.h"
#include "train/judge.h"
#include "train/local_round.h"
#include "train/optimizer.h"
#include "train/parameter_rules.h"
#include "train/progress.h"
#include "train/rounds.h"
#include "train/saving.h"
#include "train/schedule.h"
#include "train/start.h"
#include "train/verdict.h"

// Run() in order:
// 1. Begin: ranks compare their fingerprints, then take a checkpoint's state or rank 0's first
//    weights, drawn or those of train.from.
// 2. For each epoch: train.changes take effect; each step feeds the own shards' batches, runs the
//    Stepper at the rate of the schedule and moves the average. A checkpoint follows every
//    every_steps steps, when rank 0's clock says so (the flag travels in the all-reduce, so all
//    ranks save at the same step), and before a stop (saving.h).
// 3. EndEpoch: validation on all ranks, what its metrics decide (verdict.h), and the checkpoint of
//    the epoch, unless the last one is less than a second old.
// 4. Outcome: rank 0 hashes the file of weights that it hands out and compares it with what was
//    saved. With these weights in all nets, calibration and threshold are fitted to the validation
//    rows; they can be derived from checkpoints, so no checkpoint stores them. state_ is everything
//    that a checkpoint stores besides tensors; it advances on every rank alike.
//
// With train.mode = "local" shards make the steps of a round apart (local_round.h). Where the above
// says step, it is the round then: flags, the average, checkpoints and changes wait for its end. So
// it is where servers take gradients as they come (server_round.h), but a round ends early then
// when a rank asks to stop or to save.
//
// An elastic gang repeats 2 to 4 in generations. When a collective call fails because a rank is
// gone, or all have agreed to change after a step, the rank enters the next generation, takes the
// state of the furthest rank (catch_up.h), owns other shards, and continues from that state. An
// epoch's end that was not completed is repeated.
//
// So does a gang whose rows of ids lie on servers, but its ranks and shards stay the same, and it
// goes on from a step that servers, too, have made or taken back (served_tables.h).

namespace protium {
namespace {

class Training {
 public:
  Training(const TrainSpec& spec, const TrainInput& input, std::vector<ParameterRules> rules,
           Optimizer optimizer, Verdict verdict);
  Result<TrainOutcome> Run();

 private:
  Status Prepare();
  Status Begin();
  Result<TrainOutcome> Work();
  Result<bool> Enter(Status failed);
  Status Rejoin();
  Status TakeShards(const std::vector<int32_t>& first);
  Status TakeEqualShards();
  Status Rebalance();
  Status Identify();
  Status TakeChanges();
  Status RunEpoch();
  StepFlags Asks(bool last_of_epoch);
  Result<RoundMade> RunRound();
  Status AfterRound(const RoundMade& made);
  Status EndEpoch();
  Status CloseEpoch();
  Status Save();
  Status KeepBest();
  Result<Json> Measure();
  Status Stopped();
  Result<TrainOutcome> Outcome();

  Learner learner() {
    return {in_.weights, optimizer_, average_ ? &*average_ : nullptr, outer_ ? &*outer_ : nullptr,
            in_.served};
  }
  StepTimes& times() { return rounds_->times(); }
  bool leads() const { return in_.communicator->rank() == 0; }
  // The factor of the learning rate in a step of this epoch; the first step of a training is 0.
  double FactorOf(int64_t step) const { return schedule_(step) * state_.plateau.rate; }
  // What is reported; the options are complete, so they name it.
  double RateOf(int64_t step) const {
    return FactorOf(step) * choice_.options.value("learning_rate", 1.0);
  }
  bool over() const { return verdict_.IsOver(state_); }

  const TrainSpec& spec_;
  const TrainOptions& train_;
  TrainInput in_;  // Its communicator is that of the current generation.
  std::optional<Feed> feed_;
  int64_t left_out_ = 0;               // Rows per epoch.
  int64_t steps_ = 0;                  // Of all epochs.
  Choice choice_;                      // What optimizer_ is made of, in this epoch.
  std::vector<ParameterRules> rules_;  // Of train.parameters, then of those of each change.
  Optimizer optimizer_;
  std::optional<WeightAverage> average_;
  std::optional<OuterStep> outer_;  // Of the mode "local".
  Schedule schedule_;
  Verdict verdict_;
  Progress progress_;
  std::optional<Validation> validation_;
  std::unique_ptr<Rounds> rounds_;
  bool newcomer_ = false;       // Has no state yet.
  bool entered_ = false;        // It comes with the generation that it is called to.
  bool changing_ = false;       // All ranks leave this generation.
  bool saves_epoch_ = true;     // The epoch leaves a checkpoint.
  std::vector<int32_t> first_;  // Shards first_[r] .. first_[r+1]-1 are rank r's.
  std::vector<double> busy_;    // Seconds by rank since shards last moved, without waiting.
  CheckpointState state_;       // Everything that a checkpoint stores besides tensors.
  Saving saving_;
};

Training::Training(const TrainSpec& spec, const TrainInput& input,
                   std::vector<ParameterRules> rules, Optimizer optimizer, Verdict verdict)
    : spec_(spec),
      train_(spec.train),
      in_(input),
      steps_(StepsPerEpoch(input.rows.total_rows(), spec.train.batch_size) * spec.train.epochs),
      choice_(spec.train.optimizer),
      rules_(std::move(rules)),
      optimizer_(std::move(optimizer)),
      average_(WeightAverage::Of(train_, input.weights)),
      outer_(OuterStep::Of(train_, input.weights)),
      verdict_(std::move(verdict)),
      progress_(input.report, steps_),
      newcomer_(input.communicator == nullptr || input.taken),
      entered_(input.taken),
      saving_(spec, in_, learner(), progress_, state_) {}

Result<TrainOutcome> Training::Run() {
  PT_TRY(Prepare());
  if (!newcomer_) PT_TRY(Begin());
  bool in = !newcomer_;
  Status failed;
  while (true) {
    if (!in) {
      PT_LET(in, Enter(failed));
    }
    // Dismissed from the gang, which continues without this rank.
    if (!in) return TrainOutcome();
    Result<TrainOutcome> outcome = Work();
    const bool again = outcome.ok() ? changing_ : IsAboutPeers(outcome.status());
    if (in_.membership == nullptr || !again) return outcome;
    failed = outcome.status();
    in = false;
  }
}

// Runs to the end of training, or until the ranks have agreed to leave their generation.
Result<TrainOutcome> Training::Work() {
  changing_ = false;
  while (!over() && !changing_) PT_TRY(RunEpoch());
  return changing_ ? TrainOutcome() : Outcome();
}

// The preparation that needs no other rank.
Status Training::Prepare() {
  PT_TRY(CheckFloatingPoint());
  PT_LET(schedule_, MakeSchedule(train_, steps_));
  if (average_) PT_TRY(average_->Reserve(in_.disk()));
  FreezeStatistics(rules_.front(), in_.net);
  return Status::OK();
}

Status Training::Begin() {
  PT_TRY(TakeEqualShards());
  PT_TRY(Identify());
  PT_LET(const bool resumed, saving_.TakeUp([this](const Json& values, CheckpointState& state) {
    verdict_.Choose(values, state);
  }));
  if (!resumed) {
    PT_TRY(Initialise(train_, in_, optimizer_));
    if (average_) average_->Begin();
  }
  if (left_out_ > 0) {
    progress_.Send(
        Note{fmt::format("the last step of every epoch leaves {} row{} out: "
                         "batch norm needs {} of a shard",
                         left_out_, left_out_ == 1 ? "" : "s", in_.net.least_rows())});
  }
  progress_.Send(TrainStarted{.rows = in_.rows.total_rows(),
                              .steps = steps_,
                              .epochs = train_.epochs,
                              .step = state_.step,
                              .batch = train_.batch_size,
                              .shards = in_.rows.shards(),
                              .packed = in_.packed});
  return Status::OK();
}

// Sets up the shards of this rank in this generation. Collective.
Status Training::TakeShards(const std::vector<int32_t>& first) {
  first_ = first;
  busy_.clear();
  const auto rank = size_t(in_.communicator->rank());
  const ShardedRows::Owned own{first[rank], first[rank + 1]};
  progress_.ReportTimes(state_.step);  // For the previous generation: rank numbers change now.
  progress_.Speak(leads());
  if (in_.membership != nullptr) {
    in_.rows.TakeOver(own);
    if (in_.validation != nullptr) in_.validation->TakeOver(own);
  }
  feed_.emplace(in_.rows, train_.batch_size, train_.seed, in_.weights.device());
  PT_LET(left_out_, feed_->LeaveOutBelow(in_.net.least_rows(), train_.micro_batches));
  if (in_.validation != nullptr) {
    validation_.emplace(*in_.validation, PredictsWith(in_, spec_.target.outputs()), spec_.target,
                        train_.metrics, spec_.own_metrics);
  }
  const StepSpec step{.first = first,
                      .outputs = spec_.target.outputs(),
                      .loss = spec_.loss,
                      .train = train_,
                      .phase = in_.phase,
                      .served = in_.served,
                      .deadline = spec_.deadline};
  return Rounds::Make(step, in_, optimizer_, outer_ ? &*outer_ : nullptr, *feed_).Value(&rounds_);
}

Status Training::TakeEqualShards() {
  return TakeShards(ShardOwners(in_.rows.shards(), in_.communicator->world(), in_.servers()));
}

// Called between two epochs. All ranks have received the same times, so all reach the same result.
Status Training::Rebalance() {
  if (in_.membership == nullptr || !in_.membership->rebalances() || over()) return Status::OK();
  const std::vector<double> busy = std::exchange(busy_, {});
  // A generation that began after the epoch's last step has no times yet.
  if (busy.size() + 1 != first_.size()) return Status::OK();
  const std::vector<int32_t> first = BalanceShards(first_, busy);
  if (first == first_) return Status::OK();
  progress_.Send(Note{DescribeBalance(first_, first, busy)});
  rounds_.reset();
  return TakeShards(first);
}

// Returns false if this rank is dismissed from the gang. Another death meanwhile only means another
// attempt.
Result<bool> Training::Enter(Status failed) {
  const auto since = Clock::now();
  const bool lost = !failed.ok();
  while (true) {
    rounds_.reset();
    feed_.reset();
    if (!std::exchange(entered_, false)) {
      PT_LET(in_.communicator, in_.membership->Enter(failed));
    }
    if (in_.communicator == nullptr) return false;
    if (in_.served != nullptr) in_.served->EnterNext(*in_.communicator);
    failed = Rejoin();
    if (failed.ok()) break;
    if (!IsAboutPeers(failed)) return failed;
  }
  in_.membership->Settled(state_.step);
  progress_.Send(GangEntered{state_.step, in_.communicator->world(), lost,
                             std::chrono::duration<double>(Clock::now() - since).count()});
  return true;
}

Status Training::Rejoin() {
  Standing standing{.learner = learner(),
                    .state = state_,
                    .saved_step = saving_.saved_step(),
                    .newcomer = newcomer_,
                    .over = !newcomer_ && over()};
  const bool came = newcomer_;
  const Status caught = CatchUp(standing, *in_.communicator);
  newcomer_ = standing.newcomer;
  PT_TRY(caught);
  PT_TRY(FailTogether(saving_.GoOn(came), *in_.communicator));
  saves_epoch_ = true;  // Not all know whether the epoch's last step wanted it.
  return TakeEqualShards();
}

// What a resuming run must agree with (Resumable()). It includes the number of epochs only if the
// rates of the steps already made depend on it.
Status Training::Identify() {
  const Json fingerprint = NumericsFingerprint(in_.numerics, in_.weights.device());
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

// Called where an epoch begins or goes on, whoever made the steps before it.
Status Training::TakeChanges() {
  if (train_.changes.empty()) return Status::OK();
  PutChangesFelt(train_.changes, state_.epoch, true, state_.identity["options"]);
  const std::optional<size_t> change = ParametersAfter(train_, state_.epoch);
  const ParameterRules& rules = rules_[change ? *change + 1 : 0];
  optimizer_.SetRates(rules.rates);
  FreezeStatistics(rules, in_.net);
  Choice now = OptimizerAfter(train_, state_.epoch);
  if (now.options == choice_.options) return Status::OK();
  choice_ = std::move(now);
  return optimizer_.Change(choice_);
}

Status Training::RunEpoch() {
  PT_TRY(TakeChanges());
  PT_TRY(rounds_->StartEpoch(state_.epoch, state_.epoch_step));
  while (state_.epoch_step < feed_->steps()) {
    const auto made = RunRound();
    // Nothing is lost when another rank dies; the newest checkpoint is only mentioned if training
    // ends.
    const bool goes_on = in_.membership && !made.ok() && IsAboutPeers(made.status());
    PT_TRY(goes_on ? made.status() : saving_.WithKept(made.status()));
    AddBusy(made->result.times, busy_);
    PT_TRY(AfterRound(*made));
    if (changing_) return Status::OK();
  }
  PT_TRY(rounds_->EndEpoch());
  PT_TRY(EndEpoch());
  return Rebalance();
}

StepFlags Training::Asks(bool last_of_epoch) {
  return {.stop = in_.stop.stop_requested(),
          .save = last_of_epoch ? saving_.due_after_epoch() : saving_.due(),
          .saved = saving_.landed(),
          .change = in_.membership && in_.membership->changing()};
}

Result<RoundMade> Training::RunRound() {
  const int64_t left = feed_->steps() - state_.epoch_step;
  const int64_t steps = rounds_->StepsFrom(state_.step, left);
  return rounds_->Run({.step = state_.step,
                       .epoch = state_.epoch,
                       .epoch_step = state_.epoch_step,
                       .steps = steps,
                       .rate = [this](int64_t step) { return FactorOf(step); },
                       .asks = [this, steps, left] { return Asks(steps == left); },
                       .asks_early = [this] { return Asks(false); }},
                      [this](int64_t done, const StepResult& result) {
                        const int64_t step = state_.step + done;
                        progress_.Stepped(step, state_.epoch + 1, result, RateOf(step - 1));
                      });
}

Status Training::AfterRound(const RoundMade& made) {
  const StepResult& result = made.result;
  const int64_t steps = made.steps;
  const double rate = RateOf(state_.step + steps - 1);
  changing_ = result.change && in_.membership != nullptr;
  PT_TRY(saving_.Stepped(result.saved));
  state_.step += steps;
  state_.epoch_step += steps;
  state_.skipped += result.skipped ? 1 : 0;
  if (average_) average_->Step(state_.step);
  state_.epoch_loss += made.loss * made.weight;
  state_.epoch_weight += made.weight;
  progress_.Stepped(state_.step, state_.epoch + 1, result, rate);
  if (made.told) progress_.Send(*made.told);
  const int64_t every = train_.checkpoint.every_steps;
  const bool by_count = every > 0 && state_.step % every < steps;
  const bool last = state_.epoch_step == feed_->steps();
  const bool due = by_count || result.save;
  // The last step of an epoch needs no checkpoint of its own: EndEpoch() saves right after it, with
  // validation.
  if (last) saves_epoch_ = due;
  if (result.stop || (due && !last)) PT_TRY(Save());
  return result.stop ? Stopped() : Status::OK();
}

// Does all of it or, if a rank dies meanwhile, nothing: a later generation ends the epoch then.
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
    PT_LET(const Json values, WithAverage(learner(), [&] { return Measure(); }));
    entry["validation"] = values;
    progress_.Send(ValidatedBy(values, state_));
    verdict_.Choose(values, state_);
  }
  progress_.Send(EpochDone{state_.epoch, state_.step, entry["loss"].get<double>()});
  entry["seconds"] = saving_.seconds();
  if (const auto note = verdict_.Watch(entry, state_)) {
    progress_.Send(Note{*note});
  }
  state_.history.push_back(entry);
  // In an elastic gang another rank may have to hand out the weights that this epoch chose. A run
  // that begins at an epoch's end, after another generation or a stop, does not know whether a save
  // was due.
  const bool saves = std::exchange(saves_epoch_, true) || over() || in_.elastic();
  PT_TRY(saves ? Save() : KeepBest());
  if (in_.elastic()) return saving_.Share();
  // Whoever goes on knows that rank 0 has what it saves.
  return in_.membership == nullptr ? Status::OK() : in_.communicator->Barrier("the epoch's end");
}

Status Training::Save() {
  const auto counts = times().Count(StepPart::kCheckpoint);
  return saving_.Save();
}

Status Training::KeepBest() {
  const auto counts = times().Count(StepPart::kCheckpoint);
  return saving_.KeepBest();
}

Result<Json> Training::Measure() {
  const auto counts = times().Count(StepPart::kValidation);
  PT_TRY(Guard("sending weights", [&] { in_.weights.Upload(); }));
  return validation_->Measure(*in_.communicator);
}

Status Training::Stopped() {
  progress_.ReportTimes(state_.step);
  PT_TRY(saving_.Finish());
  return Fail(
      {.exit = Exit::kStopped,
       .what = fmt::format("stopped at step {} of {}", state_.step, steps_),
       .kept = fmt::format("a checkpoint of step {} in {}", state_.step, spec_.folder.string())});
}

Result<TrainOutcome> Training::Outcome() {
  TrainOutcome out;
  progress_.ReportTimes(state_.step);
  PT_LET(const std::filesystem::path weights, saving_.HandOut(out));
  out.steps = state_.step;
  out.best_epoch = state_.best.epoch;
  out.decision = spec_.target.decision;
  out.history = state_.history;
  out.fingerprint = state_.identity["fingerprint"];
  out.rows_identity = state_.identity["rows"];
  out.wait_share = progress_.wait_share();
  if (validation_) PT_TRY(JudgeWeights(weights, learner(), spec_, in_, *validation_, out));
  return out;
}

}  // namespace

Result<TrainOutcome> Train(const TrainSpec& spec, const TrainInput& input) {
  if (input.rows.total_rows() == 0) {
    return Fail({.exit = Exit::kInput,
                 .what = "there are no rows to train on",
                 .fix = "check the query, the split and the validation share"});
  }
  PT_LET(std::vector<ParameterRules> rules, RulesOf(spec.train, input.net));
  const bool shares = spec.train.share_optimizer;
  PT_CHECK(!shares || (input.membership == nullptr && input.served == nullptr &&
                       spec.train.mode != TrainMode::kLocal));
  OptimizerPart part;
  if (input.served != nullptr) part = input.served->optimizer_part();
  if (shares) {
    part.rank = input.communicator->rank();
    part.world = input.communicator->world();
  }
  PT_LET(Optimizer optimizer,
         Optimizer::Make(spec.train.optimizer, input.weights, rules.front().rates,
                         spec.train.threads_per_shard, !AlwaysMovesReadRowsOnly(spec.train), part));
  PT_LET(Verdict verdict, Verdict::Make(spec.train, spec.own_metrics));
  return Training(spec, input, std::move(rules), std::move(optimizer), std::move(verdict)).Run();
}

}  // namespace protium
