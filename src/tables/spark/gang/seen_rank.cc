// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/seen_rank.h"

#include <algorithm>
#include <utility>

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
  return {.host = TextAt(event, "host"),
          .pid = WholeAt(event, "pid"),
          .executor = WholeAt(event, "executor"),
          .devices = DevicesIn(event),
          .log = TextAt(event, "log")};
}

WaitTerms SparkWaitTerms(double deadline, bool replaces_hung) {
  const Clock::duration beat = BeatOf(deadline);
  // A file takes some time from host to host.
  const Clock::duration missed = 4 * beat + std::chrono::seconds(1);
  const std::chrono::duration<double> limit(std::min(deadline, 1e6));
  return {.deadline = deadline,
          .beat = beat,
          .silent_after = std::min(missed, std::chrono::duration_cast<Clock::duration>(limit)),
          .replaces_hung = replaces_hung};
}

std::string AtWhat(const SeenRank& seen, const WaitTerms& terms) {
  const auto now = Clock::now();
  if (!terms.IsSilent(seen.sight, now)) return seen.sight.AtWhat(now);
  return "its process is stopped, or its host cannot be reached";
}

Warning LateWarning(const LateRank& late, const SeenRank& seen, const WaitTerms& terms) {
  const std::string who = "rank " + std::to_string(late.late.rank) + " on " + seen.host;
  return LateWarning(late, who, AtWhat(seen, terms), terms);
}

RankPlaced StartRow(int32_t rank, const SeenRank& seen) {
  RankPlaced row{.rank = rank, .host = seen.host, .pid = seen.pid, .log = seen.log.string()};
  for (const Device& device : seen.devices) row.gpus.push_back(device.address);
  return row;
}

RankFailure FailureOf(const SeenRank& seen, int32_t rank, int32_t world, TaskRole role,
                      RankFailure::Kind kind, Status status) {
  return {.kind = kind,
          .rank = rank,
          .world = world,
          .host = seen.host.empty() ? "an executor" : seen.host,
          .devices = seen.devices,
          .status = std::move(status),
          .log = seen.log,
          .last_lines = seen.log.empty() ? "" : ReadTail(seen.log, kLogBytes),
          .is_program = role == TaskRole::kProgram};
}

}  // namespace protium
