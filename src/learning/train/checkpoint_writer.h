// SPDX-License-Identifier: Apache-2.0
// Checkpoints beside the steps: training hands over a copy and goes on while a thread hashes it,
// writes it and waits for the disk.
//
// 1. One checkpoint is written at a time, in the order of the steps; Write() waits for the one
//    before, so a slow disk slows training down instead of filling memory.
// 2. A copy takes the memory of the weights and of the optimiser's state. It is made once and used
//    again for every checkpoint.
// 3. Best weights of an epoch that left no checkpoint stay in memory until the next one is written.
// 4. What went wrong is returned by the next call, whichever that is, and by every later one.
#pragma once

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "train/checkpoint.h"

namespace protium {

// A checkpoint that is on the disk.
struct WrittenCheckpoint {
  std::filesystem::path path;
  CheckpointState state;  // With its hashes.
};

// Owned by one thread, which makes all calls.
class CheckpointWriter {
 public:
  // `keep`: see CheckpointFolder::Write().
  CheckpointWriter(CheckpointFolder folder, int32_t keep);
  // Waits for the checkpoint that is being written.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Takes a copy of the tensors and returns. A hash of best weights that `state` leaves empty is
  // that of the last checkpoint that had them.
  Status Write(CheckpointState state, std::span<const NamedTensor> weights,
               std::span<const NamedTensor> optimizer);
  // Takes a copy of the best weights so far, those of `step`: the next checkpoint writes them, if
  // they still are the best then. Does not wait.
  Status KeepBest(int64_t step, std::span<const NamedTensor> weights);
  // The checkpoints that were completed since the last call, in order. Does not wait.
  Result<std::vector<WrittenCheckpoint>> TakeWritten();
  // The same, once everything is written.
  Result<std::vector<WrittenCheckpoint>> Finish();
  // Whether everything that was handed over is on the disk.
  bool idle();

 private:
  // Tensors in memory of their own, one behind another from a whole page on, as files past the page
  // cache want them: the cache would take more of the processor than all the rest.
  class Copy {
   public:
    Status Take(std::span<const NamedTensor> tensors);
    std::span<const NamedTensor> tensors() const { return tensors_; }

   private:
    struct Free {
      void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::vector<NamedTensor> tensors_;
    std::unique_ptr<std::byte, Free> memory_;
    size_t bytes_ = 0;
  };

  // Best weights that no file has yet.
  struct KeptBest {
    int64_t step = -1;  // -1: there are none.
    Copy weights;
  };

  void Run();
  Result<WrittenCheckpoint> WriteOne(CheckpointState state);
  // Waits until nothing is being written, or something has failed; `mutex_` is held.
  void AwaitIdle(std::unique_lock<std::mutex>& lock);

  const int32_t keep_;
  // Of the thread that writes while `busy_`, else of the caller's.
  CheckpointFolder folder_;
  CheckpointState state_;
  Copy weights_, optimizer_;
  KeptBest best_weights_;
  BestSoFar best_;  // Of the last checkpoint, with its hash.

  KeptBest next_best_;  // Of the caller's thread.

  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;  // There is a checkpoint to be written.
  bool ending_ = false;
  Status failed_;
  std::vector<WrittenCheckpoint> written_;
  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace protium
