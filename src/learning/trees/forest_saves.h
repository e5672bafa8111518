// SPDX-License-Identifier: Apache-2.0
// The forest so far, on disk and with the other ranks. A checkpoint's weights are the forest
// (forest_file.h), its step and its epoch are the number of rounds. Rank 0 writes in the background
// (train/checkpoint_writer.h) and hands out the forest in a file of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/call.h"
#include "base/json.h"
#include "base/status.h"
#include "collective/communicator.h"
#include "train/checkpoint_writer.h"
#include "train/progress.h"
#include "trees/forest.h"

namespace protium {

// What a training has reached; the same on every rank between two rounds.
struct ForestState {
  Forest forest;
  CheckpointState state;
};

// One thread; every rank makes the same calls. Borrows the progress.
class ForestSaves {
 public:
  struct Spec {
    std::filesystem::path folder;
    bool resume = false;
    int32_t keep = 3;
    double every_seconds = 0;
    int64_t every_rounds = 0;
    std::function<void(const Json&)> report;
    std::function<void()> saved;
  };
  ForestSaves(Spec spec, const Progress& progress) : spec_(std::move(spec)), progress_(progress) {}

  // Collective. Takes the newest checkpoint, if it is to be continued; `now.state.identity` must be
  // set, and `now.forest.columns`. Returns false if training begins. Fails as ResumeFrom()
  // (train/resume.h) does.
  Result<bool> TakeUp(ForestState& now, Communicator& communicator);
  // Collective. Ranks of a new generation take the state of the one that has the most rounds;
  // `begun`: this rank has one. Returns false if no rank has, and changes nothing then.
  Result<bool> CatchUp(ForestState& now, bool begun, Communicator& communicator);

  // Whether rank 0's clock asks for a checkpoint and none is being written.
  bool due(int64_t round, bool leads);
  // On rank 0: hands a copy to the writer; on others: nothing.
  Status Save(ForestState& now, bool leads);
  // Waits until all is written; reports it.
  Status Finish();
  // On rank 0: writes the forest that is handed out, and returns its path.
  Result<std::filesystem::path> HandOut(const Forest& forest);
  // Adds the newest checkpoint to the status of a failed round.
  Status WithKept(const Status& status);

  double seconds() const { return seconds_before_ + progress_.seconds(); }
  // A rank that has become rank 0 opens the folder, so that its predecessor writes no more; one
  // that no longer is lets go of it.
  Status Lead();
  void LetGo() { writer_.reset(); }

 private:
  Result<std::optional<Checkpoint>> Load(const Json& identity);
  Status Report(const std::vector<WrittenCheckpoint>& written);

  Spec spec_;
  const Progress& progress_;
  std::unique_ptr<CheckpointWriter> writer_;
  Clock::time_point saved_at_ = Clock::now();
  double seconds_before_ = 0;
  int64_t saved_step_ = 0;
};

}  // namespace protium
