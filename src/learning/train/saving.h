// SPDX-License-Identifier: Apache-2.0
// What a training writes to disk and reports about it. Rank 0 hands a copy to the CheckpointWriter
// and continues; a later reduction carries the news that it is on the disk, so that all ranks know
// what a failure leaves behind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/call.h"
#include "train/checkpoint_writer.h"
#include "train/progress.h"
#include "train/resume.h"
#include "train/trainer.h"

namespace protium {

// The checkpoints of one training, as one rank sees them. One thread; every rank makes the same
// calls.
class Saving {
 public:
  // All of it is borrowed. `state` is everything that a checkpoint stores besides tensors; the
  // training advances it on every rank alike.
  Saving(const TrainSpec& spec, const TrainInput& input, const Learner& learner, Progress& progress,
         CheckpointState& state);

  // Collective. Loads the newest checkpoint, if it is to be continued; `state.identity` must be
  // set. Returns false if training begins. `choose`: see ResumeWish.
  Result<bool> TakeUp(std::function<void(const Json&, CheckpointState&)> choose);
  // Whether rank 0's clock asks for a checkpoint and none is being written. Only one clock may
  // decide when to save.
  bool due();
  // The same for the end of an epoch. Epochs shorter than a second do not leave a checkpoint each,
  // since that would take longer than the epoch.
  bool due_after_epoch();
  // Whether all that rank 0 handed over is on the disk.
  bool landed();
  // Called after every step; `all_landed`: a rank said in its reduction that everything is on the
  // disk. Reports new checkpoints.
  Status Stepped(bool all_landed);
  // Collective. Fails if the ranks' weights differ, which a resumed run would hide. Saves the
  // average of the weights, if they are averaged, so a model made from any checkpoint has it.
  Status Save();
  // Instead of Save() after an epoch: if its weights are the best so far, the next checkpoint also
  // writes them.
  Status KeepBest();
  double seconds() const { return seconds_before_ + progress_.seconds(); }  // Of all attempts.
  // Waits until everything handed over is written: called before anything relies on the files.
  Status Finish();
  // Collective. Waits until everything handed over is written, and sends the hashes of its weights
  // to all ranks: any of them may have to hand the weights out.
  Status Share();
  // Called in a new generation (gang/membership.h), after the state was taken from the rank that is
  // furthest; `came`: this rank had none. A new rank 0 opens the folder, so that its predecessor
  // can write no more.
  Status GoOn(bool came);
  int64_t& saved_step() { return saved_step_; }
  // Adds the newest checkpoint to the status of a failed step.
  Status WithKept(const Status& status);
  // Collective. Fills the weights of `out` and, on rank 0, their hash, compared with what was
  // saved. Returns their path.
  Result<std::filesystem::path> HandOut(TrainOutcome& out);

 private:
  double waited() const;  // Seconds since the last checkpoint.
  bool leads() const { return in_.communicator->rank() == 0; }
  Status Write();
  Result<std::shared_ptr<WholeNet>> Gathered() const;
  void Report(const std::vector<WrittenCheckpoint>& written);

  const TrainSpec& spec_;
  const TrainInput& in_;
  const Learner learner_;
  Progress& progress_;
  CheckpointState& state_;
  std::unique_ptr<CheckpointWriter> writer_;  // On rank 0.
  double seconds_before_ = 0;                 // Spent by earlier attempts.
  Clock::time_point saved_at_ = Clock::now();
  int64_t handed_step_ = 0;  // Of the newest checkpoint handed over,
  int64_t saved_step_ = 0;   // and of the newest one on the disk; 0: none.
};

}  // namespace protium
