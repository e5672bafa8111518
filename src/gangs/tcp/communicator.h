// SPDX-License-Identifier: Apache-2.0
// The communicator over connections that exist already.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collective/communicator.h"
#include "tcp/service.h"
#include "tcp/traffic.h"

namespace protium {

// Collective: all ranks must come by `start_by`; later waits have the deadline in `options`.
// data[r] and service[r] lead to rank r and are taken over, the own ones are empty; names[r] is how
// people call it.
Result<std::unique_ptr<Communicator>> MakeTcpCommunicator(
    int32_t rank, std::vector<std::unique_ptr<TcpConnection>> data,
    std::vector<std::unique_ptr<TcpConnection>> service, std::vector<std::string> names,
    const ServiceOptions& options, Deadline start_by);

}  // namespace protium
