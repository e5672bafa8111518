// SPDX-License-Identifier: Apache-2.0
// The communicator over connections that are made already.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collective/communicator.h"
#include "collective/tcp_service.h"
#include "collective/tcp_traffic.h"

namespace protium {

// Collective: all ranks must come by `start_by`. data[r] and service[r] lead to rank r, the own
// ones are empty; names[r] is how people call it.
Result<std::unique_ptr<Communicator>> MakeTcpCommunicator(
    int32_t rank, std::vector<std::unique_ptr<TcpWire>> data,
    std::vector<std::unique_ptr<TcpWire>> service, std::vector<std::string> names,
    const ServiceOptions& options, Deadline start_by);

// Collective, as the communicator's calls of these names.
Result<std::unique_ptr<Window>> MakeTcpWindow(Traffic& traffic, uint32_t number, int64_t bytes);
Result<std::unique_ptr<Tree>> MakeTcpTree(std::shared_ptr<Traffic> traffic, const TreeSpec& spec);

}  // namespace protium
