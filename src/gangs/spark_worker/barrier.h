// SPDX-License-Identifier: Apache-2.0
// How the tasks of a Spark barrier stage talk to each other through their executors: a client of
// BarrierTaskContext's socket. Each call takes about a second, since Spark checks for its end once
// a second, so it is used for the rendezvous only.
//
// Each call uses a new connection: the secret and the reply "ok" (only at a port, not at a Unix
// socket), then 1 for a barrier, or 2 and a text for a gathering. Spark replies with a count and
// that many texts, and closes; if it refuses, with a single text. So the two replies can be
// distinguished only at their end.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/call.h"
#include "spark_worker/task_init.h"

namespace protium {

// Calls must come from one thread, and in the same order in every task of the stage: Spark counts
// them.
class BarrierClient {
 public:
  // Calls fail with kStopped as soon as `stop` is requested.
  explicit BarrierClient(BarrierAddress address, std::stop_token stop = {})
      : address_(std::move(address)), stop_(std::move(stop)) {}

  // Waits for all tasks of the stage; fails with kStalled if not all come by `deadline`.
  Status Barrier(Deadline deadline) const;
  // Returns the `text` of every task, by partition. It must be UTF-8: Spark handles it as a Java
  // string.
  Result<std::vector<std::string>> AllGather(std::string_view text, Deadline deadline) const;

 private:
  Result<std::vector<std::string>> Call(int32_t what, std::string_view text,
                                        Deadline deadline) const;
  const BarrierAddress address_;
  const std::stop_token stop_;
};

// Returns the texts of a whole reply; a refusal is an error (kRemote) with its text.
Result<std::vector<std::string>> ReadBarrierAnswer(std::string_view bytes);

}  // namespace protium
