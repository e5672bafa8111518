// SPDX-License-Identifier: Apache-2.0
// The communicator over established connections.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collective/communicator.h"
#include "tcp/service.h"
#include "tcp/traffic.h"

namespace protium {

// Collective: all ranks must come by `start_by`; later waits have the deadline in `options`. Takes
// over data[r] and service[r], which lead to rank r; the own ones are empty. names[r] is rank r's
// name in messages.
Result<std::unique_ptr<Communicator>> MakeTcpCommunicator(
    int32_t rank, std::vector<std::unique_ptr<TcpConnection>> data,
    std::vector<std::unique_ptr<TcpConnection>> service, std::vector<std::string> names,
    const ServiceOptions& options, Deadline start_by);

}  // namespace protium
