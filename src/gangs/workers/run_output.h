// SPDX-License-Identifier: Apache-2.0
// What members emit, on its way to the caller, and how their run ended.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "gang/attempts.h"
#include "workers/member.h"

namespace protium {

class RunOutput {
 public:
  // On the watching thread: a batch is in a slot of the member's, as the message describes.
  void Put(Member& member, Frame frame);
  // The run is over; if it failed, drops the batches that are still here.
  void End(AttemptResult end);

  // On the caller's thread: returns the next batch, nullptr after the last one, or why the run
  // failed. Waits.
  Result<std::shared_ptr<arrow::RecordBatch>> Next();
  // Valid after Next() returned an error or nullptr.
  AttemptResult end() const;

 private:
  struct Emitted {
    Member* member;
    Frame frame;
  };

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Emitted> emitted_;
  std::optional<AttemptResult> end_;
};

}  // namespace protium
