// SPDX-License-Identifier: Apache-2.0
// What a training leaves on the disk and what it tells of it. Rank 0 hands a
// copy to the CheckpointWriter and goes on; that it is on the disk travels in a
// later reduction, so that all ranks know what a failure leaves behind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/call.h"
#include "train/checkpoint_writer.h"
#include "train/progress.h"
#include "train/resume.h"
#include "train/trainer.h"

namespace protium {

// The checkpoints of one training, as one rank sees them. One thread; every
// rank makes the same calls.
class Saving {
 public:
  // All of it is borrowed. `state` is everything that a checkpoint keeps
  // besides tensors; the training advances it on every rank alike.
  Saving(const TrainSpec& spec, const TrainInput& input, const Learner& learner, Progress& progress,
         CheckpointState& state);

  // Collective. Takes up the newest checkpoint, if it is to be continued;
  // `state.identity` must be there. False: training begins.
  // `choose`: see ResumeWish.
  Result<bool> TakeUp(std::function<void(const Json&, CheckpointState&)> choose);
  // Whether rank 0's clock asks for a checkpoint, and none is being written;
  // when to save must not be decided by two clocks.
  bool due();
  // The same for the end of an epoch. Epochs shorter than a second leave no checkpoint each: that
  // would take longer than they do.
  bool due_after_epoch();
  // Whether all that rank 0 handed over is on the disk.
  bool landed();
  // After every step: whether a rank said in its reduction that all had landed.
  // Tells of new checkpoints.
  Status Stepped(bool all_landed);
  // Collective. Ranks whose weights drifted apart are refused: a resumed run would hide it. The
  // weights are the average, where they are averaged, so a model made from any checkpoint has it.
  Status Save();
  // In place of Save() after an epoch: where its weights are the best so far, the next checkpoint
  // writes these as well.
  Status KeepBest();
  double seconds() const { return seconds_before_ + progress_.seconds(); }  // Of all attempts.
  // Waits for what was handed over: before anything relies on the files.
  Status Finish();
  // Collective. Waits for what was handed over, and tells all ranks the hashes of its weights: any
  // of them may have to hand it out.
  Status Share();
  // In a new generation (gang/membership.h), after the state was taken from the rank that is
  // furthest; `came`: this rank had none. A new rank 0 opens the folder, which fences off whatever
  // its predecessor may still write.
  Status GoOn(bool came);
  int64_t& saved_step() { return saved_step_; }
  // A failed step's status with the checkpoint that it leaves behind.
  Status WithKept(const Status& status);
  // Collective. Fills the weights of `out` and, on rank 0, their hash, held
  // against what was saved; gives their path.
  Result<std::filesystem::path> HandOut(TrainOutcome& out);

 private:
  double waited() const;  // Seconds since the last checkpoint.
  bool leads() const { return in_.communicator->rank() == 0; }
  Status Write();
  void Report(const std::vector<WrittenCheckpoint>& written);

  const TrainSpec& spec_;
  const TrainInput& in_;
  const Learner learner_;
  Progress& progress_;
  CheckpointState& state_;
  std::unique_ptr<CheckpointWriter> writer_;  // On rank 0.
  double seconds_before_ = 0;                 // Spent by earlier attempts.
  Clock::time_point saved_at_ = Clock::now();
  int64_t handed_step_ = 0;  // Of the newest checkpoint that was handed over,
  int64_t saved_step_ = 0;   // and of the newest one on the disk; 0: there is none.
};

}  // namespace protium
