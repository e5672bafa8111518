// SPDX-License-Identifier: Apache-2.0
#include "spark/worker/gathering.h"

#include "base/fault.h"
#include "collective/self.h"

namespace protium {

Result<std::unique_ptr<Communicator>> JoinRanks(const SparkCommand& command, int32_t rank,
                                                const BarrierAddress& address) {
  if (command.world == 1) return MakeSelfCommunicator();
  return Status::NotImplemented("gangs of ", command.world, " ranks on Spark are not built yet");
}

}  // namespace protium
