// SPDX-License-Identifier: Apache-2.0
// What a rank on Spark says of where it runs, and how its driver passes that on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "gang/failure.h"

namespace protium {

struct SeenRank {
  std::string host;
  int64_t pid = 0;
  std::vector<Device> devices;
  std::filesystem::path log;  // Empty: it has none.
};

// Reads "host", "pid", "devices" and "log" of an event; what is missing or of another type is
// empty.
SeenRank SeenRankIn(const Json& event);

// A row of {"event": "gang_start"}: {"rank", "host", "gpus", "pid", "log"}.
Json StartRow(int32_t rank, const SeenRank& seen);

// A failure of the rank, with the last lines of its log.
RankFailure FailureOf(const SeenRank& seen, int32_t rank, int32_t world, const std::string& task,
                      RankFailure::Kind kind, Status status);

}  // namespace protium
