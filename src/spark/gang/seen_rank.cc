// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/seen_rank.h"

#include <utility>

#include "gang/program.h"
#include "os/file.h"

namespace protium {
namespace {

constexpr int64_t kLogBytes = 2048;

std::vector<Device> DevicesIn(const Json& event) {
  std::vector<Device> devices;
  const auto found = event.find("devices");
  if (found == event.end() || !found->is_array()) return devices;
  for (const Json& each : *found) {
    if (each.is_object()) devices.push_back({TextAt(each, "name"), TextAt(each, "address")});
  }
  return devices;
}

}  // namespace

SeenRank SeenRankIn(const Json& event) {
  const auto pid = event.find("pid");
  const bool whole = pid != event.end() && pid->is_number_integer();
  return {.host = TextAt(event, "host"),
          .pid = whole ? pid->get<int64_t>() : 0,
          .devices = DevicesIn(event),
          .log = TextAt(event, "log")};
}

Json StartRow(int32_t rank, const SeenRank& seen) {
  Json gpus = Json::array();
  for (const Device& device : seen.devices) gpus.push_back(device.address);
  Json row = {{"rank", rank}, {"host", seen.host}, {"gpus", std::move(gpus)}, {"pid", seen.pid}};
  if (!seen.log.empty()) row["log"] = seen.log.string();
  return row;
}

RankFailure FailureOf(const SeenRank& seen, int32_t rank, int32_t world, const std::string& task,
                      RankFailure::Kind kind, Status status) {
  return {.kind = kind,
          .rank = rank,
          .world = world,
          .host = seen.host.empty() ? "an executor" : seen.host,
          .devices = seen.devices,
          .status = std::move(status),
          .log = seen.log,
          .last_lines = seen.log.empty() ? "" : ReadTail(seen.log, kLogBytes),
          .is_program = task == kProgramTask};
}

}  // namespace protium
