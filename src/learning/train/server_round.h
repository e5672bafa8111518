// SPDX-License-Identifier: Apache-2.0
// Steps of the mode "server", in which workers do not wait for each other (Ho et al., "More
// Effective Distributed ML via a Stale Synchronous Parallel Parameter Server", NIPS 2013; without
// a bound: Dean et al., "Large Scale Distributed Deep Networks", 2012).
//
// 1. A round is some steps of an epoch; its pieces (pieces.h) are handed out by the first server. A
//    worker takes one, pulls the weights, computes the gradient of the piece's rows and pushes it.
//    Servers apply each push at once, one after another: no step is ever added up.
// 2. A push moves the weights by the mean gradient of its rows times their share of the step's
//    rows. So all pushes of a step together move as far as the step of exact mode would, if the
//    optimiser is sgd.
// 3. A worker pushes to the first server last: what that one has counted as done, all have applied.
// 4. A round ends when every piece is done: then all ranks have the same weights of everything that
//    is no table of ids, and validate, save and stop together, as in exact mode.
// 5. In which order pushes come depends on the clock, and so do the weights.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "collective/letters.h"
#include "events/events.h"
#include "train/feed.h"
#include "train/local_round.h"
#include "train/pieces.h"
#include "train/push_pull.h"
#include "train/stepper.h"

namespace protium {

// What a round of RoundInput::steps, or fewer, has done: the same on every rank.
struct ServedRound {
  StepResult result;  // Of all its steps; on rank 0 without what was reported before its end.
  int64_t steps = 0;
  double loss = 0;  // The mean of all rows; and the sum of their weights.
  double weight = 0;
  ServersStepped told;
};

class ServerRound {
 public:
  // Collective. As LocalRound::Make(). `spec.served` has the tables; `rows` hold all shards.
  static Result<std::unique_ptr<ServerRound>> Make(const StepSpec& spec, const ShardedRows& rows,
                                                   Net& net, Weights& weights, Optimizer& optimizer,
                                                   Feed& feed, Communicator& communicator);

  // Collective. Ends early, after a step, if a rank asks to stop or to save. `stepped` is called on
  // rank 0 now and then, with the steps done since the last call. After a failure the weights must
  // not be used.
  Result<ServedRound> Run(const RoundInput& input,
                          const std::function<void(int64_t steps, const StepResult&)>& stepped);

  StepTimes& times() { return alone_->times(); }

 private:
  // What the first server counts, and sends to all at the end.
  struct Counts {
    double loss = 0;
    double weight = 0;
    int64_t rows = 0;
    int64_t pushes = 0;
    int64_t most_missed = 0;
    int64_t missed = 0;
    int64_t steps = 0;
    int64_t most_ahead = 0;
    StepFlags flags;
  };
  ServerRound(const StepSpec& spec, const ShardedRows& rows, Weights& weights, Optimizer& optimizer,
              Feed& feed, Communicator& communicator);

  // On a worker.
  Status Work(const RoundInput& input);
  Result<Granted> TakeFirst(const RoundInput& input);
  Result<Granted> Compute(const RoundInput& input, const Piece& piece);
  Status Pull(const Ask& ask);
  Result<Granted> Push(Ask ask);
  Result<Granted> AwaitGranted();
  void Report(const Granted& granted);

  // On a server.
  Status Serve();
  Result<bool> LookAt(int32_t worker);
  Status Answer(int32_t worker, std::span<const std::byte> letter);
  Status Apply(int32_t worker, const Ask& ask, std::span<const std::byte> letter);
  void Grant();
  Status Late() const;

  void Begin(const RoundInput& input);
  Result<ServedRound> EndRound();
  Status CheckRows() const;
  ServedRound Made() const;
  double ShareOf(const Piece& piece) const;
  int64_t RowsOf(const Piece& piece) const;
  int32_t server(int32_t number) const { return served_.workers() + number; }
  bool leads() const { return served_.serves() && served_.own() == 0; }
  int64_t StepsBefore() const { return step_ - epoch_step_; }

  const StepSpec spec_;
  const ShardedRows& rows_;
  Weights& weights_;
  Optimizer& optimizer_;
  Feed& feed_;
  Communicator& communicator_;
  ServedTables& served_;
  const std::unique_ptr<Communicator> self_;
  std::unique_ptr<Stepper> alone_;  // Computes a piece.
  std::optional<PushPull> letters_of_;
  std::unique_ptr<Letters> letters_;

  // Of the round.
  int64_t step_ = 0;
  int64_t epoch_step_ = 0;
  std::vector<float> told_;  // This rank's times, then those of all.
  std::vector<float> all_told_;
  double waited_ = 0;  // Seconds, for grants and servers.
  // On a worker: the gradient of the piece, until it is pushed.
  std::optional<Gradient> gradient_;
  std::span<const float> defined_;
  std::function<void(int64_t, const StepResult&)> stepped_;
  Granted reported_;
  // On a server.
  std::optional<Pieces> pieces_;  // Of the first one.
  Counts counts_;
  std::vector<char> waits_;  // By worker, for a grant.
  std::vector<char> ended_;
  std::vector<int64_t> gradients_;  // Pushed by each worker.
};

}  // namespace protium
