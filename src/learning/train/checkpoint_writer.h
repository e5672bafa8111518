// SPDX-License-Identifier: Apache-2.0
// Writes checkpoints in the background: training hands over a copy and continues while a thread
// hashes it, writes it and waits for the disk.
//
// 1. One checkpoint is written at a time, in the order of the steps; Write() waits for the previous
//    one, so a slow disk slows training down instead of filling memory.
// 2. A copy takes the memory of the weights and of the optimiser's state. It is allocated once and
//    reused for every checkpoint. Tensors that come with an owner are not copied.
// 3. Best weights of an epoch that left no checkpoint stay in memory until the next one is written.
// 4. An error is returned by the next call, whichever that is, and by every later one.
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

// A checkpoint that has reached the disk.
struct WrittenCheckpoint {
  std::filesystem::path path;
  CheckpointState state;  // With its hashes.
};

// Owned by one thread, which makes all calls.
class CheckpointWriter {
 public:
  // `keep`: see CheckpointFolder::Write().
  CheckpointWriter(CheckpointFolder folder, int32_t keep);
  // Waits for the checkpoint being written.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Copies the tensors and returns. Those with an owner, which nobody writes any more, are not
  // copied. If `state` leaves the hash of its best weights empty, that of the last checkpoint with
  // the same best weights is used.
  Status Write(CheckpointState state, std::span<const NamedTensor> weights,
               std::span<const NamedTensor> optimizer, std::shared_ptr<const void> owner = {});
  // Copies the best weights so far, those of `step`: the next checkpoint writes them if they are
  // still the best. `owner`: as in Write(). Does not wait.
  Status KeepBest(int64_t step, std::span<const NamedTensor> weights,
                  std::shared_ptr<const void> owner = {});
  // Returns the checkpoints completed since the last call, in order. Does not wait.
  Result<std::vector<WrittenCheckpoint>> TakeWritten();
  // The same, after everything has been written.
  Result<std::vector<WrittenCheckpoint>> Finish();
  // Whether everything handed over is on the disk.
  bool idle();

 private:
  // Tensors in memory of their own, one after another and aligned to a page, as needed for files
  // written past the page cache: the cache would cost more processor time than everything else.
  class Copy {
   public:
    Status Take(std::span<const NamedTensor> tensors, const std::shared_ptr<const void>& owner);
    // Gives back what has an owner.
    void Release();
    std::span<const NamedTensor> tensors() const { return tensors_; }

   private:
    struct Free {
      void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::vector<NamedTensor> tensors_;
    std::shared_ptr<const void> owner_;
    std::unique_ptr<std::byte, Free> memory_;
    size_t bytes_ = 0;
  };

  // Best weights that no file has yet.
  struct KeptBest {
    int64_t step = -1;  // -1: none.
    Copy weights;
  };

  void Run();
  Result<WrittenCheckpoint> WriteOne(CheckpointState state);
  // Waits until nothing is being written, or something has failed; `mutex_` is held.
  void AwaitIdle(std::unique_lock<std::mutex>& lock);

  const int32_t keep_;
  // Belongs to the writing thread while `busy_`, else to the caller's.
  CheckpointFolder folder_;
  CheckpointState state_;
  Copy weights_, optimizer_;
  KeptBest best_weights_;
  BestSoFar best_;  // Of the last checkpoint, with its hash.

  KeptBest next_best_;  // Belongs to the caller's thread.

  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;  // A checkpoint waits to be written.
  bool ending_ = false;
  Status failed_;
  std::vector<WrittenCheckpoint> written_;
  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace protium
