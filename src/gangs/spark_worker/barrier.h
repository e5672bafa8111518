// SPDX-License-Identifier: Apache-2.0
// What the tasks of a Spark barrier stage say to each other through their executors: the client of
// BarrierTaskContext's socket. Each call takes about a second, since Spark looks for its end once a
// second: used for the rendezvous only.
//
// A call is a connection of its own: the secret and the answer "ok" (only at a port, not at a Unix
// socket), then 1 for a barrier, or 2 and a text for a gathering. Spark answers with a number of
// texts and closes; if it refuses, with one text alone. So an answer can be told apart only at its
// end.
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
  // Calls fail with exit kStopped once `stop` is requested.
  explicit BarrierClient(BarrierAddress address, std::stop_token stop = {})
      : address_(std::move(address)), stop_(std::move(stop)) {}

  // Waits for all tasks of the stage; exit kStalled if they have not all come by `deadline`.
  Status Barrier(Deadline deadline) const;
  // Returns the `text` of every task, by partition. It must be UTF-8: Spark carries it as a Java
  // string.
  Result<std::vector<std::string>> AllGather(std::string_view text, Deadline deadline) const;

 private:
  Result<std::vector<std::string>> Call(int32_t what, std::string_view text,
                                        Deadline deadline) const;
  const BarrierAddress address_;
  const std::stop_token stop_;
};

// The texts of a whole answer; a refusal's own text as a Fault of exit kRemote.
Result<std::vector<std::string>> ReadBarrierAnswer(std::string_view bytes);

}  // namespace protium
