// SPDX-License-Identifier: Apache-2.0
#include "train/server_round.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/call.h"
#include "base/fault.h"
#include "collective/self.h"
#include "nets/mlp_kernels.h"
#include "rows/permutation.h"

namespace protium {
namespace {

// Of the letters between this rank and each other.
std::vector<int64_t> MostBytes(const PushPull& letters, const ServedTables& served, int32_t world) {
  std::vector<int64_t> most(size_t(world), 0);
  const int32_t workers = served.workers();
  for (int32_t r = 0; r < world; ++r) {
    const bool other_serves = r >= workers;
    if (other_serves == served.serves()) continue;
    most[size_t(r)] =
        other_serves ? letters.MostAskBytes(r - workers) : letters.MostAnswerBytes(served.own());
  }
  return most;
}

template <class T>
void SendOne(Letters& letters, int32_t rank, const T& value) {
  std::memcpy(letters.Box(rank).data(), &value, sizeof(value));
  letters.Send(rank, sizeof(value));
}

}  // namespace

ServerRound::ServerRound(const StepSpec& spec, const ShardedRows& rows, Weights& weights,
                         Optimizer& optimizer, Feed& feed, Communicator& communicator)
    : spec_(spec),
      rows_(rows),
      weights_(weights),
      optimizer_(optimizer),
      feed_(feed),
      communicator_(communicator),
      served_(*spec.served),
      self_(MakeSelfCommunicator()) {}

Result<std::unique_ptr<ServerRound>> ServerRound::Make(const StepSpec& spec,
                                                       const ShardedRows& rows, Net& net,
                                                       Weights& weights, Optimizer& optimizer,
                                                       Feed& feed, Communicator& communicator) {
  PT_CHECK(spec.served != nullptr);
  std::unique_ptr<ServerRound> out(
      new ServerRound(spec, rows, weights, optimizer, feed, communicator));
  StepSpec alone = spec;
  alone.first = {0, 1};
  alone.rank = communicator.rank();
  alone.served = nullptr;
  alone.move = [round = out.get()](const Gradient& gradient, std::span<const float> defined) {
    round->gradient_ = gradient;
    round->defined_ = defined;
    return true;
  };
  PT_LET(out->alone_, Stepper::Make(alone, net, weights, optimizer, *out->self_));
  PT_LET(PushPull letters, PushPull::Make(out->served_, optimizer, communicator));
  out->letters_of_.emplace(std::move(letters));
  // The first server knows who is late; others wait longer, so that it is the one that says so.
  const double patience = spec.deadline * (out->leads() ? 1 : 2);
  PT_LET(
      out->letters_,
      Letters::Make({.most_bytes = MostBytes(*out->letters_of_, out->served_, communicator.world()),
                     .deadline = std::chrono::duration<double>(patience)},
                    communicator));
  return out;
}

int64_t ServerRound::RowsOf(const Piece& piece) const {
  const Positions positions = StepPositions(rows_.rows(piece.shard), rows_.total_rows(),
                                            spec_.train.batch_size, piece.step - StepsBefore());
  return positions.end - positions.begin;
}

double ServerRound::ShareOf(const Piece& piece) const {
  int64_t all = 0;
  for (int32_t s = 0; s < rows_.shards(); ++s) all += RowsOf({piece.step, s});
  return double(RowsOf(piece)) / double(all);
}

Result<Granted> ServerRound::AwaitGranted() {
  const auto before = Clock::now();
  PT_LET(const auto letter, letters_->Await(server(0)));
  waited_ += std::chrono::duration<double>(Clock::now() - before).count();
  Granted granted;
  PT_CHECK(letter.size() == sizeof(granted));
  std::memcpy(&granted, letter.data(), sizeof(granted));
  return granted;
}

Result<Granted> ServerRound::TakeFirst(const RoundInput& input) {
  SendOne(*letters_, server(0), Ask{.kind = AskKind::kTake, .flags = input.asks_early()});
  return AwaitGranted();
}

Status ServerRound::Pull(const Ask& ask) {
  letters_of_->Sort();
  for (int32_t s = 0; s < served_.servers(); ++s) {
    letters_->Send(server(s), letters_of_->WritePull(s, ask, letters_->Box(server(s))));
  }
  return Status::OK();
}

Result<Granted> ServerRound::Compute(const RoundInput& input, const Piece& piece) {
  Ask ask{.kind = AskKind::kPull, .piece = piece, .rate = input.rate(piece.step)};
  std::optional<StepTimes::Running> counts(std::in_place, times(), StepPart::kRows);
  PT_LET(const BatchRows batch,
         feed_.BatchAt(piece.shard, input.epoch, piece.step - StepsBefore()));
  PT_TRY(served_.Expect({&batch, 1}));
  PT_TRY(Pull(ask));
  for (int32_t s = 0; s < served_.servers(); ++s) {
    PT_LET(const auto letter, letters_->Await(server(s)));
    PT_TRY(letters_of_->ReadPulled(s, letter, ask.version));
  }
  counts.reset();
  gradient_.reset();
  PT_LET(const StepResult result, alone_->Run({.step = piece.step,
                                               .epoch = input.epoch,
                                               .shards = {&batch, 1},
                                               .shards_before = piece.shard,
                                               .rate = ask.rate}));
  AddTo(told_, result.times);
  ask.kind = AskKind::kPush;
  ask.flags = input.asks_early();
  ask.loss = result.loss * result.weight;
  ask.weight = result.weight;
  ask.rows = RowsOf(piece);
  return Push(ask);
}

Result<Granted> ServerRound::Push(Ask ask) {
  const auto counts = times().Count(StepPart::kReduce);
  GradientSum sum;
  ask.moves = gradient_.has_value();
  if (gradient_) {
    const auto share = float(ShareOf(ask.piece));
    ask.divisor = gradient_->divisor;
    ask.factor = gradient_->factor * share;
    ask.limit = gradient_->limit * share;
    sum = gradient_->sum;
  }
  const auto send = [&](int32_t s) {
    const std::span<std::byte> box = letters_->Box(server(s));
    letters_->Send(server(s), letters_of_->WritePush(s, ask, sum, defined_, box));
  };
  // The first server last: what it counts as done, all have applied.
  for (int32_t s = 1; s < served_.servers(); ++s) send(s);
  for (int32_t s = 1; s < served_.servers(); ++s) PT_TRY(letters_->Await(server(s)).status());
  send(0);
  return AwaitGranted();
}

// Rank 0's progress; the loss of a step's rows comes as they are computed.
void ServerRound::Report(const Granted& granted) {
  const int64_t steps = granted.steps_done - reported_.steps_done;
  if (!stepped_ || steps == 0) return;
  const double weight = granted.weight - reported_.weight;
  stepped_(granted.steps_done, {.loss = weight > 0 ? (granted.loss - reported_.loss) / weight : 0,
                                .weight = weight,
                                .rows = granted.rows - reported_.rows,
                                .wait_seconds = std::exchange(waited_, 0),
                                .times = all_told_});
  reported_ = granted;
}

Status ServerRound::Work(const RoundInput& input) {
  PT_LET(Granted granted, TakeFirst(input));
  while (!granted.over) {
    PT_LET(granted, Compute(input, granted.piece));
    Report(granted);
  }
  for (int32_t s = 0; s < served_.servers(); ++s) {
    SendOne(*letters_, server(s), Ask{.kind = AskKind::kEnd, .flags = input.asks()});
  }
  return Status::OK();
}

Status ServerRound::Late() const {
  std::vector<int32_t> late;
  for (int32_t w = 0; w < served_.workers(); ++w) {
    if (ended_[size_t(w)] == 0 && waits_[size_t(w)] == 0) late.push_back(w);
  }
  return Fail({.exit = Exit::kStalled,
               .what = fmt::format("rank{} {} pushed no gradient within {:g} s",
                                   late.size() == 1 ? "" : "s", fmt::join(late, ", "),
                                   letters_->deadline().count()),
               .where = "gang.deadline"});
}

Status ServerRound::Serve() {
  ShortSleeps sleeps;
  auto heard = Clock::now();
  while (std::ranges::find(ended_, 0) != ended_.end()) {
    bool any = false;
    for (int32_t w = 0; w < served_.workers(); ++w) {
      PT_LET(const bool came, LookAt(w));
      any = any || came;
    }
    if (leads()) Grant();
    if (any) {
      heard = Clock::now();
      sleeps = {};
      continue;
    }
    if (Clock::now() - heard > letters_->deadline()) return Late();
    sleeps.Sleep();
  }
  return Status::OK();
}

Result<bool> ServerRound::LookAt(int32_t worker) {
  const bool left = letters_->HasLeft(worker);
  const auto letter = letters_->Take(worker);
  if (letter) {
    PT_TRY(Answer(worker, *letter));
    return true;
  }
  if (!left) return false;
  return Fail({.exit = Exit::kRemote, .what = fmt::format("rank {} has left", worker)});
}

Status ServerRound::Answer(int32_t worker, std::span<const std::byte> letter) {
  PT_LET(const Ask ask, PushPull::ReadAsk(letter));
  counts_.flags.stop = counts_.flags.stop || ask.flags.stop;
  counts_.flags.save = counts_.flags.save || ask.flags.save;
  counts_.flags.saved = counts_.flags.saved || ask.flags.saved;
  switch (ask.kind) {
    case AskKind::kTake:
      waits_[size_t(worker)] = 1;
      return Status::OK();
    case AskKind::kPull: {
      PT_LET(const int64_t bytes,
             letters_of_->WritePulled(letter, counts_.pushes, letters_->Box(worker)));
      letters_->Send(worker, bytes);
      return Status::OK();
    }
    case AskKind::kPush:
      return Apply(worker, ask, letter);
    case AskKind::kEnd:
      ended_[size_t(worker)] = 1;
      return Status::OK();
  }
  return Fail({.exit = Exit::kBug, .what = "a worker asks for something unknown"});
}

Status ServerRound::Apply(int32_t worker, const Ask& ask, std::span<const std::byte> letter) {
  const auto counts = times().Count(StepPart::kOptimizer);
  PT_LET(const Pushed pushed, letters_of_->ReadPush(letter));
  const Gradient gradient{.sum = {pushed.whole, pushed.tables},
                          .divisor = ask.divisor,
                          .factor = ask.factor,
                          .limit = ask.limit,
                          .rate = ask.rate};
  if (ask.moves && !optimizer_.Step(gradient, pushed.defined)) {
    const Piece& piece = ask.piece;
    return NotFiniteAt(piece.step,
                       fmt::format("the gradient is not finite at step {}, shard {} on rank {}",
                                   piece.step + 1, piece.shard, worker));
  }
  const int64_t missed = counts_.pushes++ - ask.version;
  ++gradients_[size_t(worker)];
  if (!leads()) {
    letters_->Send(worker, 0);
    return Status::OK();
  }
  counts_.missed += missed;
  counts_.most_missed = std::max(counts_.most_missed, missed);
  counts_.loss += ask.loss;
  counts_.weight += ask.weight;
  counts_.rows += ask.rows;
  pieces_->Done(ask.piece);
  waits_[size_t(worker)] = 1;
  return Status::OK();
}

// Who waits gets a piece, unless all that are left would be too far ahead; or learns that the round
// is over.
void ServerRound::Grant() {
  if (counts_.flags.stop || counts_.flags.save) pieces_->Close();
  for (int32_t w = 0; w < served_.workers(); ++w) {
    if (waits_[size_t(w)] == 0) continue;
    const std::optional<Piece> piece = pieces_->Take();
    if (!piece && !pieces_->taken()) continue;
    waits_[size_t(w)] = 0;
    SendOne(*letters_, w,
            Granted{.over = !piece,
                    .piece = piece.value_or(Piece()),
                    .steps_done = pieces_->steps_done(),
                    .loss = counts_.loss,
                    .weight = counts_.weight,
                    .rows = counts_.rows});
  }
}

void ServerRound::Begin(const RoundInput& input) {
  step_ = input.step;
  epoch_step_ = input.epoch_step;
  told_.assign(size_t(StepTimes::kTold), 0.0f);
  all_told_.assign(told_.size() * size_t(communicator_.world()), 0.0f);
  waited_ = 0;
  reported_ = {};
  counts_ = {};
  const auto workers = size_t(served_.workers());
  waits_.assign(workers, 0);
  ended_.assign(workers, 0);
  gradients_.assign(workers, 0);
  if (!leads()) return;
  pieces_.emplace(input.step, input.steps, rows_.shards(), spec_.train.staleness);
}

Result<ServedRound> ServerRound::Run(
    const RoundInput& input, const std::function<void(int64_t, const StepResult&)>& stepped) {
  PT_TRY(CheckFloatingPoint());
  Begin(input);
  stepped_ = communicator_.rank() == 0 ? stepped : nullptr;
  const Status own = served_.serves() ? Serve() : Work(input);
  if (!own.ok()) letters_->Leave();
  // Of a rank that only saw others leave, the first cause is theirs.
  if (!own.ok() && FaultOf(own).exit != Exit::kRemote) communicator_.Abort(own);
  PT_TRY(communicator_.Barrier("the end of a round of servers"));
  PT_TRY(own);
  return EndRound();
}

// Collective.
Result<ServedRound> ServerRound::EndRound() {
  if (leads()) {
    counts_.steps = pieces_->steps();
    counts_.most_ahead = pieces_->most_ahead();
  }
  PT_TRY(communicator_.Broadcast(std::as_writable_bytes(std::span(&counts_, 1)), server(0)));
  PT_TRY(communicator_.Broadcast(std::as_writable_bytes(std::span(gradients_)), server(0)));
  PT_TRY(served_.ShareOthers({optimizer_}, server(0)));
  if (served_.serves()) times().Write(told_);
  std::ranges::copy(told_, all_told_.begin() + int64_t(told_.size()) * communicator_.rank());
  PT_TRY(communicator_.AllReduce(AsBuffer(std::span(all_told_)), Op::kSum));
  PT_TRY(CheckRows());
  return Made();
}

Status ServerRound::CheckRows() const {
  int64_t rows = 0;
  for (int64_t step = step_; step < step_ + counts_.steps; ++step) {
    for (int32_t s = 0; s < rows_.shards(); ++s) rows += RowsOf({step, s});
  }
  if (rows == counts_.rows) return Status::OK();
  return Fail(
      {.exit = Exit::kBug, .what = fmt::format("a round of {} rows used {}", rows, counts_.rows)});
}

ServedRound ServerRound::Made() const {
  const double left = counts_.weight - reported_.weight;
  ServedRound made{.steps = counts_.steps, .weight = counts_.weight};
  made.loss = counts_.weight > 0 ? counts_.loss / counts_.weight : 0;
  made.result = {.loss = left > 0 ? (counts_.loss - reported_.loss) / left : 0,
                 .weight = left,
                 .rows = counts_.rows - reported_.rows,
                 .stop = counts_.flags.stop,
                 .save = counts_.flags.save,
                 .saved = counts_.flags.saved,
                 .skipped = counts_.weight == 0,
                 .wait_seconds = waited_,
                 .times = all_told_};
  const double pushes = double(std::max<int64_t>(1, counts_.pushes));
  made.told = {.step = step_ + counts_.steps,
               .count = counts_.steps,
               .most_ahead = counts_.most_ahead,
               .most_missed = counts_.most_missed,
               .mean_missed = double(counts_.missed) / pushes,
               .gradients = gradients_};
  if (spec_.train.staleness.bounded()) made.told.bound = spec_.train.staleness.steps;
  return made;
}

}  // namespace protium
