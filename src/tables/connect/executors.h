// SPDX-License-Identifier: Apache-2.0
// Executors of a job's own, as a profile of resources asks for them.
#pragma once

#include <cstdint>
#include <string>

#include "base/fields.h"

namespace protium {

// What the executors have that a gang asks for, beside those of the session. 0: as the server's
// settings have it; of devices: none.
struct GangExecutors {
  int32_t cores = 0;
  int64_t memory_mib = 0;
  int32_t gpus = 0;
  std::string discovery;  // The script by which an executor finds its devices.
  bool wanted() const { return cores > 0 || memory_mib > 0 || gpus > 0; }
  template <class Visit>
  void Fields(Visit& visit) {
    visit("cores", cores, {.help = "of each; 0: as the server has it", .at_least = 0});
    visit("memory_mib", memory_mib, {.help = "of each; 0: as the server has it", .at_least = 0});
    visit("gpus", gpus, {.help = "of each", .at_least = 0});
    visit("discovery", discovery,
          {.help = "the script by which they find GPUs; unless set, the server's"});
  }
};

}  // namespace protium
