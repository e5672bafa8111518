// SPDX-License-Identifier: Apache-2.0
// Where a rank's program is among the others, and the variables that say so: those which
// torch.distributed, Horovod and TensorFlow read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gang/program.h"

namespace protium {

struct ProgramPlace {
  int32_t rank = 0;
  int32_t world = 1;
  int32_t local_rank = 0;  // Among the ranks of its host.
  int32_t local_world = 1;
  int32_t host_rank = 0;  // Of its host, in the order of the hosts' first ranks.
  int32_t hosts = 1;
  std::string host;
  std::string master;                // The address of rank 0's host, as the others reach it.
  int32_t port = 0;                  // Was free there when chosen.
  int32_t store = 0;                 // Horovod's rendezvous port there (key_store.h); 0: unused.
  std::vector<std::string> members;  // "host:port" by rank; each port was free when chosen.
};

// Collective: the ranks exchange their hosts and a free port each. `port` is rank 0's unless 0; an
// error (kEnvironment) if it is taken.
Result<ProgramPlace> FindPlace(TaskContext& context, int32_t port);

// Returns what the program's environment has besides its worker's.
std::vector<std::pair<std::string, std::string>> PlaceVariables(const ProgramPlace& place,
                                                                const ProgramSpec& spec,
                                                                int32_t attempt);

// Refuses (kEnvironment) a port of this machine that is taken.
Status CheckPort(int32_t port);

}  // namespace protium
