// SPDX-License-Identifier: Apache-2.0
// How the ranks of a generation make the steps of an epoch: each step together (stepper.h), or some
// of them in a round, in which shards make them apart (local_round.h, server_round.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/status.h"
#include "events/events.h"
#include "train/feed.h"
#include "train/local_round.h"
#include "train/server_round.h"
#include "train/stepper.h"
#include "train/trainer.h"

namespace protium {

// Steps that were made; the same on every rank.
struct RoundMade {
  StepResult result;  // Of those that `stepped` was not called with, for the progress.
  int64_t steps = 1;
  double loss = 0;  // The mean over all rows of all steps, and the sum of their weights.
  double weight = 0;
  std::optional<ServersStepped> told;
};

// One thread. Borrows all that it is made of.
class Rounds {
 public:
  // Collective. `outer`: of the mode "local", else nullptr.
  static Result<std::unique_ptr<Rounds>> Make(const StepSpec& spec, const TrainInput& input,
                                              Optimizer& optimizer, OuterStep* outer, Feed& feed);

  StepTimes& times();
  // As Feed's. Rounds of servers count their rows themselves.
  Status StartEpoch(int64_t epoch, int64_t first_step);
  Status EndEpoch();
  // How many steps the next round has: `step` have been made, over all epochs, and `left` are left
  // of this one.
  int64_t StepsFrom(int64_t step, int64_t left) const;
  // Collective. Makes the steps of `input`, or fewer. `stepped` may be called before it returns,
  // with how many steps of the round are done.
  Result<RoundMade> Run(const RoundInput& input,
                        const std::function<void(int64_t steps, const StepResult&)>& stepped);

 private:
  Rounds(const TrainOptions& train, bool staged, Feed& feed)
      : train_(train), staged_(staged), feed_(feed) {}
  Result<StepResult> RunStep(const RoundInput& input);

  const TrainOptions train_;
  bool staged_;
  Feed& feed_;
  // One of them.
  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<LocalRound> local_;
  std::unique_ptr<ServerRound> served_;
};

}  // namespace protium
