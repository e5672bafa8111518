// SPDX-License-Identifier: Apache-2.0
// Ranks of one host, over shared memory: the backend of the embedded engine, and of gangs on Spark
// whose ranks all run on one host.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "collective/communicator.h"
#include "os/fd.h"

namespace protium {

struct CommunicatorOptions {
  std::chrono::milliseconds deadline{60'000};  // How long a rank may keep the others waiting.
};

// Joins the ranks of one host, threads or processes, over shared memory. Collective: every rank of
// the world calls it. peers[r] is this rank's end of a stream socket pair whose other end only rank
// r holds; the own entry is empty. The sockets pass memory descriptors; after that, a socket that
// closes means that its rank is gone.
Result<std::unique_ptr<Communicator>> MakeSharedCommunicator(int32_t rank,
                                                             std::vector<UniqueFd> peers,
                                                             const CommunicatorOptions& options);

}  // namespace protium
