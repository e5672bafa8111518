// SPDX-License-Identifier: Apache-2.0
// What the tasks of a Spark barrier stage say to each other through their executors. A call costs
// about a second: Spark looks for its end once a second.
//
// A call is a connection of its own: the secret and its answer "ok" (at a port only), then 1 for a
// barrier or 2 and a text for a gathering. Spark answers with a number of texts and closes; when it
// refuses, with one text alone.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/call.h"
#include "spark/worker/task_init.h"

namespace protium {

// Calls come from one thread, in the same order on every task of the stage.
class BarrierClient {
 public:
  // Calls fail with kStopped once `stop` asks for it.
  explicit BarrierClient(BarrierAddress address, std::stop_token stop = {})
      : address_(std::move(address)), stop_(std::move(stop)) {}

  // Waits for all tasks of the stage. Fails with kStalled by `deadline`.
  Status Barrier(Deadline deadline) const;
  // Every task's `text`, which must be UTF-8, by partition.
  Result<std::vector<std::string>> AllGather(std::string_view text, Deadline deadline) const;

 private:
  Result<std::vector<std::string>> Call(int32_t what, std::string_view text,
                                        Deadline deadline) const;
  const BarrierAddress address_;
  const std::stop_token stop_;
};

// The texts of an answer, which was read to its end; a refusal's own text as a fault (kRemote).
Result<std::vector<std::string>> ReadBarrierAnswer(std::string_view bytes);

}  // namespace protium
