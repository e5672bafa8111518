// SPDX-License-Identifier: Apache-2.0
// How the ranks of a gang on Spark find each other.
#pragma once

#include <memory>
#include <stop_token>

#include "spark_worker/barrier.h"
#include "spark_worker/command.h"
#include "spark_worker/rank_signs.h"
#include "tcp/candidate.h"

namespace protium {

// A task of a barrier stage, for the ranks of its gang to find each other.
struct BarrierTask {
  int32_t rank = 0;
  int64_t task = 0;  // Spark's number, which grows with every try.
  BarrierAddress address;
};

// Returns how ranks of the command connect over TCP. A silent rank counts as unreachable by the
// deadline at the latest.
TcpOptions TcpOptionsOf(const SparkCommand& command);

// Collective over the gang's ranks. They exchange once, through Spark's barrier, where they listen
// and which gang they belong to, and connect directly from then on (tcp/candidate.h). If the ranks
// are not one gang (another world or attempt), all of them refuse, with kRemote. Waits up to 5
// minutes for ranks to start, then `command.deadline` for connections; `stop` ends the first wait.
// With `signs`, which must have `stop` as well, a rank that falls silent in the first wait ends it
// with kStalled.
Result<std::unique_ptr<Communicator>> JoinRanks(const SparkCommand& command,
                                                const BarrierTask& task, RankSigns* signs,
                                                std::stop_token stop);

}  // namespace protium
