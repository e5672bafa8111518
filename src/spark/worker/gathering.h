// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>

#include "collective/communicator.h"
#include "spark/ship/command.h"
#include "spark/worker/barrier.h"

namespace protium {

// Collective: joins the ranks of a gang. They tell each other through Spark's barrier where they
// are and of which gang, and talk to each other directly from then on. Ranks of another world or
// attempt are refused by all. `stop` ends the wait for ranks that have not started.
Result<std::unique_ptr<Communicator>> JoinRanks(const SparkCommand& command, int32_t rank,
                                                const BarrierAddress& address,
                                                std::stop_token stop);

}  // namespace protium
