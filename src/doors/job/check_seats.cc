// SPDX-License-Identifier: Apache-2.0
#include "job/check_seats.h"

#include <cstdlib>

#include "engine/address.h"
#include "engine/kind.h"
#include "gang/placement.h"
#include "os/devices.h"
#include "os/machine.h"

namespace protium {

Status CheckSeats(const std::string& address, const std::string& discovery, const GangSpec& gang) {
  if (!KindOf(address).runs_here) return Status::OK();
  PT_LET(const int32_t seats, SeatsOf(address));
  if (gang.workers.max == 0) return Status::OK();
  Host host{
      .name = HostName(), .cores = seats > 0 ? seats : ReadMachine().cores, .strict = seats > 0};
  if (gang.gpus_per_worker > 0) {
    if (!discovery.empty() || std::getenv("PROTIUM_DISCOVERY") != nullptr) return Status::OK();
    const DeviceList devices = DiscoverByDriver();
    for (const std::string& each : devices.addresses) host.gpus.push_back({devices.name, each});
  }
  return Place(gang, {&host, 1}).status();
}

}  // namespace protium
