// SPDX-License-Identifier: Apache-2.0
#include "trees/boost.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "events/events.h"
#include "format/safetensors.h"
#include "gang/failure.h"
#include "rows/permutation.h"
#include "train/fingerprint.h"
#include "train/importance.h"
#include "train/plateau.h"
#include "train/progress.h"
#include "train/resume.h"
#include "trees/boosting_rows.h"
#include "trees/features.h"
#include "trees/forest_file.h"
#include "trees/forest_saves.h"
#include "trees/predict.h"

// Run() in order:
// 1. Begin: bins, labels and margins are made of the own rows (boosting_rows.h); the forest is that
//    of a checkpoint, of train.from, or empty.
// 2. For each round: its trees are grown; then one all-reduce settles on all ranks that the round
//    counts, what it cost, and whether anyone wants to stop, to save or to change the gang. The
//    metric `best` is measured on the validation rows.
// 3. Outcome: the forest up to the best round is written by rank 0; with it, calibration and
//    threshold are fitted to the validation rows, which are measured and described.
//
// An elastic gang does so in generations. A death costs the trees that were growing: the ranks take
// the forest of the one that has most rounds (catch up), own other shards, and go on. If none has
// got through 1, all begin again.

namespace protium {
namespace {

// Raise it whenever the same rows and options give another forest.
constexpr int64_t kArithmetic = 1;

// What the all-reduce at a round's end carries; times of rank r come behind, in microseconds.
enum Told : size_t { kStop, kSave, kChange, kLoss, kWeight, kTimes };

class Boosting {
 public:
  Boosting(const BoostSpec& spec, const BoostInput& input, MetricSpec best)
      : spec_(spec),
        in_(input),
        best_(std::move(best)),
        progress_(input.report, spec.trees.rounds),
        saves_({.folder = spec.folder,
                .resume = spec.resume,
                .keep = spec.train.keep,
                .every_seconds = spec.train.checkpoint.every_seconds,
                .every_rounds = spec.train.checkpoint.every_steps,
                .report = input.report,
                .saved = input.saved},
               progress_),
        times_([this](const char* phase) {
          if (in_.phase) in_.phase(phase);
        }) {
    now_.forest.columns = spec.columns;
  }

  Result<BoostOutcome> Run();

 private:
  Status Begin();
  Status TakeShards();
  bool GoesOnAfter(const Status& failed) const;
  Result<bool> Enter(Status failed);
  Status Rejoin();
  Result<BoostOutcome> Work();
  Status RunRound();
  Result<StepResult> Settle(int64_t round);
  Status CloseOrNot(std::vector<Tree> trees, const StepResult& result);
  Status CloseRound(std::vector<Tree> trees, const StepResult& result);
  Status MeasureRound(Json& entry);
  void NoteClipped();
  void Identify();
  Status Stopped();
  Result<BoostOutcome> Outcome();
  Status PartInOrder();
  Status Judge(const Forest& forest, BoostOutcome& out);
  Json SplitsOf(const Forest& forest) const;

  bool leads() const { return in_.communicator->rank() == 0; }
  int64_t rounds() const { return now_.state.step; }
  bool over() const {
    return rounds() >= spec_.trees.rounds ||
           IsOver(spec_.train.early_stopping, now_.state.stopping);
  }
  int64_t BestRound() const;

  const BoostSpec& spec_;
  BoostInput in_;  // Its communicator is that of the current generation.
  MetricSpec best_;
  Progress progress_;
  ForestSaves saves_;
  StepTimes times_;
  ForestState now_;
  std::unique_ptr<BoostingRows> rows_;
  bool begun_ = false;  // now_ is the state of a training, not of a newcomer.
  bool changing_ = false;
  bool noted_clipping_ = false;
  double waited_ = 0;  // Of rows_->wait_seconds(), already reported.
};

ShardIdentity Total(const ShardedRows& rows) {
  ShardIdentity total;
  for (const ShardIdentity& each : rows.identity()) total += each;
  return total;
}

Result<BoostOutcome> Boosting::Run() {
  bool in = in_.communicator != nullptr;
  Status failed = in ? Begin() : Status::OK();
  if (!failed.ok()) {
    if (!GoesOnAfter(failed)) return failed;
    in = false;
  }
  while (true) {
    if (!in) {
      PT_LET(in, Enter(failed));
    }
    if (!in) return BoostOutcome();  // Dismissed from the gang, which continues.
    Result<BoostOutcome> outcome = Work();
    failed = outcome.status();
    const bool again = failed.ok() ? changing_ : GoesOnAfter(failed);
    if (!again) return outcome;
    in = false;
  }
}

bool Boosting::GoesOnAfter(const Status& failed) const {
  return in_.membership != nullptr && IsAboutPeers(failed);
}

Result<BoostOutcome> Boosting::Work() {
  changing_ = false;
  while (!over() && !changing_) PT_TRY(RunRound());
  return changing_ ? BoostOutcome() : Outcome();
}

// Collective.
Status Boosting::Begin() {
  now_ = {};
  now_.forest.columns = spec_.columns;
  Identify();
  progress_.Speak(leads());
  PT_TRY(AgreeOn(now_.state.identity["fingerprint"], *in_.communicator));
  PT_LET(begun_, saves_.TakeUp(now_, *in_.communicator));
  PT_TRY(TakeShards());
  if (!begun_ && spec_.start.base.empty()) {
    PT_LET(now_.forest.base, rows_->FirstOutputs());
  } else if (!begun_) {
    now_.forest = spec_.start;
  }
  begun_ = true;
  PT_TRY(rows_->StartAt(now_.forest));
  progress_.Send(TrainStarted{.rows = in_.rows.total_rows(),
                              .steps = spec_.trees.rounds,
                              .epochs = spec_.trees.rounds,
                              .step = rounds(),
                              .batch = in_.rows.total_rows(),
                              .shards = in_.rows.shards(),
                              .packed = in_.packed,
                              .trees = true});
  return Status::OK();
}

// What a resuming run must agree with: nothing of it depends on ranks or shards.
void Boosting::Identify() {
  now_.state.identity = {{"options", spec_.options},
                         {"fingerprint", {{"trees", kArithmetic}}},
                         {"stages_sha256", spec_.stages_sha256},
                         {"rows", IdentityToJson({Total(in_.rows)})}};
  if (in_.validation != nullptr) {
    now_.state.identity["validation_rows"] = IdentityToJson({Total(*in_.validation)});
  }
}

// Collective. Everything that this rank makes from its shards of this generation.
Status Boosting::TakeShards() {
  rows_.reset();
  if (in_.membership != nullptr) {
    const auto first = ShardOwners(in_.rows.shards(), in_.communicator->world());
    const auto rank = size_t(in_.communicator->rank());
    const ShardedRows::Owned own{first[rank], first[rank + 1]};
    in_.rows.TakeOver(own);
    if (in_.validation != nullptr) in_.validation->TakeOver(own);
  }
  progress_.Speak(leads());
  const auto counts = times_.Count(StepPart::kRows);
  PT_LET(rows_, BoostingRows::Make(spec_, in_, *in_.communicator));
  waited_ = 0;
  return Status::OK();
}

Result<bool> Boosting::Enter(Status failed) {
  const auto since = Clock::now();
  const bool lost = !failed.ok();
  while (true) {
    rows_.reset();
    PT_LET(in_.communicator, in_.membership->Enter(failed));
    if (in_.communicator == nullptr) return false;
    failed = Rejoin();
    if (failed.ok()) break;
    if (!GoesOnAfter(failed)) return failed;
  }
  in_.membership->Settled(rounds());
  progress_.Send(GangEntered{rounds(), in_.communicator->world(), lost,
                             std::chrono::duration<double>(Clock::now() - since).count()});
  return true;
}

// Collective.
Status Boosting::Rejoin() {
  // Whatever fails below, a rank that leads again must open the folder again.
  if (!leads()) saves_.LetGo();
  PT_LET(const bool found, saves_.CatchUp(now_, begun_, *in_.communicator));
  if (!found) return Begin();
  begun_ = true;
  PT_TRY(FailTogether(leads() ? saves_.Lead() : Status::OK(), *in_.communicator));
  PT_TRY(TakeShards());
  return rows_->StartAt(now_.forest);
}

Status Boosting::RunRound() {
  std::optional<StepTimes::Running> counts(std::in_place, times_, StepPart::kForward);
  auto trees = rows_->Grow(rounds());
  counts.reset();
  auto result = trees.ok() ? Settle(rounds()) : Result<StepResult>(trees.status());
  PT_TRY(GoesOnAfter(result.status()) ? result.status() : saves_.WithKept(result.status()));
  return CloseOrNot(*std::move(trees), *result);
}

// Does all of it or, if a rank dies meanwhile, nothing: ranks that have the same number of rounds
// have the same state.
Status Boosting::CloseOrNot(std::vector<Tree> trees, const StepResult& result) {
  if (in_.membership == nullptr) return CloseRound(std::move(trees), result);
  const CheckpointState before = now_.state;
  const size_t count = now_.forest.trees.size();
  const Status closed = CloseRound(std::move(trees), result);
  if (!GoesOnAfter(closed)) return closed;
  now_.state = before;
  now_.forest.trees.resize(count);
  return closed;
}

// Collective. Once it returns, the round counts on every rank.
Result<StepResult> Boosting::Settle(int64_t round) {
  const auto world = size_t(in_.communicator->world()), rank = size_t(in_.communicator->rank());
  std::vector<int64_t> told(kTimes + world * size_t(StepTimes::kTold));
  told[kStop] = in_.stop.stop_requested() ? 1 : 0;
  told[kSave] = saves_.due(round + 1, leads()) ? 1 : 0;
  told[kChange] = in_.membership != nullptr && in_.membership->changing() ? 1 : 0;
  const LossSample loss = rows_->SampleLoss();
  told[kLoss] = loss.loss;
  told[kWeight] = loss.weight;
  std::array<float, size_t(StepTimes::kTold)> own{};
  times_.Write(own);
  constexpr double kMicro = 1e6;
  for (size_t i = 0; i < own.size(); ++i) {
    told[kTimes + rank * own.size() + i] = int64_t(own[i] * kMicro);
  }
  PT_TRY(in_.communicator->AllReduce(AsBuffer(std::span(told)), Op::kSum));
  StepResult result{.loss = told[kWeight] > 0 ? double(told[kLoss]) / double(told[kWeight]) : 0,
                    .weight = 1,
                    .rows = in_.rows.total_rows(),
                    .stop = told[kStop] > 0,
                    .save = told[kSave] > 0,
                    .change = told[kChange] > 0};
  result.wait_seconds = rows_->wait_seconds() - std::exchange(waited_, rows_->wait_seconds());
  return result;
}

Status Boosting::CloseRound(std::vector<Tree> trees, const StepResult& result) {
  for (Tree& tree : trees) now_.forest.trees.push_back(std::move(tree));
  CheckpointState& state = now_.state;
  ++state.step;
  state.epoch = state.step;
  changing_ = result.change && in_.membership != nullptr;
  NoteClipped();
  progress_.Stepped(state.step, state.epoch, result, spec_.trees.learning_rate);
  Json entry = {{"epoch", state.epoch},
                {"step", state.step},
                {"loss", result.loss},
                {"learning_rate", spec_.trees.learning_rate}};
  if (in_.validation != nullptr) PT_TRY(MeasureRound(entry));
  progress_.Send(EpochDone{state.epoch, state.step, result.loss});
  entry["seconds"] = saves_.seconds();
  state.history.push_back(std::move(entry));
  if (IsOver(spec_.train.early_stopping, state.stopping) && rounds() < spec_.trees.rounds) {
    progress_.Send(
        Note{fmt::format("training ends after round {} of {}: {} did not improve for {} "
                         "rounds",
                         rounds(), spec_.trees.rounds, spec_.train.best, state.stopping.waited)});
  }
  if (result.save || result.stop || over()) {
    const auto counts = times_.Count(StepPart::kCheckpoint);
    PT_TRY(saves_.Save(now_, leads()));
  }
  return result.stop && !over() ? Stopped() : Status::OK();
}

// The metric `best` by the margins, which are what the forest predicts.
Status Boosting::MeasureRound(Json& entry) {
  const auto counts = times_.Count(StepPart::kValidation);
  const std::span<const float> margins = rows_->validation_margins();
  const auto outputs = size_t(spec_.target.outputs()), rows = margins.size() / outputs;
  size_t at = 0;
  const auto predict = [&](const PackedRows& block, std::span<float> out) {
    for (size_t i = 0; i < size_t(block.size()); ++i, ++at) {
      for (size_t o = 0; o < outputs; ++o) out[i * outputs + o] = margins[o * rows + at];
    }
    return Status::OK();
  };
  Validation validation(*in_.validation, predict, spec_.target, {spec_.train.best},
                        spec_.own_metrics);
  PT_LET(const Json values, validation.Measure(*in_.communicator));
  entry["validation"] = values;
  EpochValue value{.higher_is_better = best_.higher_is_better};
  const Json& found = values[spec_.train.best];
  if (found.is_number()) {
    const double given = found.get<double>();
    value.value = best_.higher_is_better ? given : std::fabs(given);
  }
  WatchStopping(spec_.train.early_stopping, value, now_.state.stopping);
  progress_.Send(Validated{.epoch = now_.state.epoch,
                           .step = now_.state.step,
                           .metrics = {{spec_.train.best, value.value.value_or(std::nan(""))}}});
  return Status::OK();
}

void Boosting::NoteClipped() {
  if (rows_->clipped() == 0 || std::exchange(noted_clipping_, true)) return;
  progress_.Send(Warning{
      fmt::format("{} rows have labels or weights so far beyond all others that they are taken to "
                  "be smaller: their gradients are more than 4,096 times those of 99% of the rows",
                  rows_->clipped())});
}

// The round whose forest measured best; 0 without validation.
int64_t Boosting::BestRound() const {
  int64_t best = 0;
  double reached = 0;
  for (const Json& entry : now_.state.history) {
    if (!entry.contains("validation")) continue;
    const Json value = entry["validation"].value(spec_.train.best, Json());
    if (!value.is_number()) continue;
    const double given =
        best_.higher_is_better ? value.get<double>() : -std::fabs(value.get<double>());
    if (best > 0 && given <= reached) continue;
    best = entry["step"].get<int64_t>();
    reached = given;
  }
  return best;
}

Status Boosting::Stopped() {
  progress_.ReportTimes(rounds());
  PT_TRY(saves_.Finish());
  return Fail(
      {.exit = Exit::kStopped,
       .what = fmt::format("stopped at round {} of {}", rounds(), spec_.trees.rounds),
       .kept = fmt::format("a checkpoint of round {} in {}", rounds(), spec_.folder.string())});
}

Result<BoostOutcome> Boosting::Outcome() {
  progress_.ReportTimes(rounds());
  PT_TRY(FailTogether(saves_.Finish(), *in_.communicator));
  BoostOutcome out{
      .rounds = rounds(), .best_round = BestRound(), .decision = spec_.target.decision};
  Forest forest = now_.forest;
  if (out.best_round > 0) {
    const auto kept =
        spec_.start.trees.size() + size_t(out.best_round) * size_t(spec_.target.outputs());
    forest.trees.resize(kept);
  }
  out.history = now_.state.history;
  out.fingerprint = now_.state.identity["fingerprint"];
  out.rows_identity = now_.state.identity["rows"];
  out.wait_share = progress_.wait_share();
  out.splits = SplitsOf(forest);
  if (in_.validation != nullptr) PT_TRY(Judge(forest, out));
  if (leads()) {
    PT_LET(out.weights, saves_.HandOut(forest));
    const ForestTensors tensors(forest);
    out.weights_sha256 = WeightsSha256(tensors.tensors());
  }
  PT_TRY(PartInOrder());
  return out;
}

// Collective. In an elastic gang no rank may be done before rank 0, which has the result: if rank 0
// had to measure again because of a death, nobody would be left to do it with. Rank 0 itself needs
// nobody any more.
Status Boosting::PartInOrder() {
  if (in_.membership == nullptr) return Status::OK();
  const Status parted = in_.communicator->Barrier("the forest is handed out");
  return leads() && IsAboutPeers(parted) ? Status::OK() : parted;
}

// Collective.
Status Boosting::Judge(const Forest& forest, BoostOutcome& out) {
  const BatchForest fast(forest);
  std::vector<float> features;
  const auto predict = [&](const PackedRows& rows, std::span<float> to) {
    features.resize(size_t(rows.size()) * forest.columns.size());
    CopyFeatures(rows, features);
    fast.Predict(features, rows.size(), to);
    return Status::OK();
  };
  Validation validation(*in_.validation, predict, spec_.target, spec_.train.metrics,
                        spec_.own_metrics);
  PT_LET(out.decision, validation.FitDecision(spec_.decision, *in_.communicator));
  Diagnostics diagnostics(spec_.target.kind);
  PT_LET(out.validation, validation.Measure(*in_.communicator, &diagnostics));
  out.diagnostics = diagnostics.Drawn();
  const ImportanceSpec asked{best_, spec_.train.validation.importance_rows, spec_.train.seed};
  PT_LET(out.importance, MeasureImportance(asked, *in_.validation, validation, *in_.communicator));
  return Status::OK();
}

Json Boosting::SplitsOf(const Forest& forest) const {
  const SplitImportance all = ImportanceOfSplits(forest);
  Json out = Json::array();
  for (size_t c = 0; c < forest.columns.size(); ++c) {
    out.push_back({{"column", forest.columns[c].name},
                   {"gain", all.gain[c]},
                   {"cover", all.cover[c]},
                   {"splits", all.splits[c]}});
  }
  return out;
}

}  // namespace

Result<BoostOutcome> Boost(const BoostSpec& spec, const BoostInput& input) {
  if (input.rows.total_rows() == 0) {
    return Fail({.exit = Exit::kInput,
                 .what = "there are no rows to train on",
                 .fix = "check the query, the split and the validation share"});
  }
  PT_LET(MetricSpec best, FindMetric(spec.train.best, spec.own_metrics));
  return Boosting(spec, input, std::move(best)).Run();
}

}  // namespace protium
