// SPDX-License-Identifier: Apache-2.0
#include "train/rounds.h"

#include <algorithm>

namespace protium {

Result<std::unique_ptr<Rounds>> Rounds::Make(const StepSpec& spec, const TrainInput& input,
                                             Optimizer& optimizer, OuterStep* outer, Feed& feed) {
  std::unique_ptr<Rounds> out(new Rounds(spec.train, input.weights.device().staged(), feed));
  Communicator& communicator = *input.communicator;
  if (outer != nullptr) {
    PT_LET(out->local_, LocalRound::Make(spec, input.rows, input.net, input.weights, optimizer,
                                         *outer, feed, communicator));
  } else if (spec.train.asynchronous()) {
    PT_LET(out->served_, ServerRound::Make(spec, input.rows, input.net, input.weights, optimizer,
                                           feed, communicator));
  } else {
    PT_LET(out->stepper_, Stepper::Make(spec, input.net, input.weights, optimizer, communicator));
  }
  return out;
}

StepTimes& Rounds::times() {
  if (served_) return served_->times();
  return local_ ? local_->times() : stepper_->times();
}

Status Rounds::StartEpoch(int64_t epoch, int64_t first_step) {
  return served_ ? Status::OK() : feed_.StartEpoch(epoch, first_step);
}

Status Rounds::EndEpoch() { return served_ ? Status::OK() : feed_.EndEpoch(); }

int64_t Rounds::StepsFrom(int64_t step, int64_t left) const {
  if (local_) return std::min(train_.local.every, left);
  if (!served_) return 1;
  const int64_t every = train_.checkpoint.every_steps;
  return every > 0 ? std::min(left, every - step % every) : left;
}

Result<StepResult> Rounds::RunStep(const RoundInput& input) {
  // A device computes by itself; on the CPU no time would be saved.
  std::function<Status()> ahead;
  if (staged_) ahead = [this] { return feed_.Prepare(); };
  std::optional<StepTimes::Running> counts(std::in_place, times(), StepPart::kRows);
  PT_LET(const std::span<const BatchRows> shards, feed_.Next());
  counts.reset();
  return stepper_->Run({.step = input.step,
                        .epoch = input.epoch,
                        .shards = shards,
                        .rate = input.rate(input.step),
                        .asks = input.asks(),
                        .meanwhile = ahead});
}

Result<RoundMade> Rounds::Run(const RoundInput& input,
                              const std::function<void(int64_t, const StepResult&)>& stepped) {
  if (served_) {
    PT_LET(const ServedRound round, served_->Run(input, stepped));
    return RoundMade{round.result, round.steps, round.loss, round.weight, round.told};
  }
  PT_LET(const StepResult result, local_ ? local_->Run(input) : RunStep(input));
  return RoundMade{result, input.steps, result.loss, result.weight, std::nullopt};
}

}  // namespace protium
