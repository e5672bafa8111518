// SPDX-License-Identifier: Apache-2.0
// What a rank on Spark reports about where it runs, and how its driver passes that on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "gang/failure.h"
#include "gang/waits.h"
#include "protium/events.h"

namespace protium {

struct SeenRank {
  std::string host;
  int64_t pid = 0;
  int64_t task = 0;  // Spark's number.
  int64_t executor =
      0;  // The process of its host that started it: the executor's or its launcher's.
  std::vector<Device> devices;
  std::filesystem::path log;  // Empty: it has none.
  RankSight sight;
};

// Reads "host", "pid", "devices" and "log" of an event; a member that is missing or of another type
// stays empty.
SeenRank SeenRankIn(const Json& event);

// For ranks whose signs of life come through files.
WaitTerms SparkWaitTerms(double deadline, bool replaces_hung);

// What the rank does that keeps the others waiting.
std::string AtWhat(const SeenRank& seen, const WaitTerms& terms);

// The warning about a late rank, with its host.
Warning LateWarning(const LateRank& late, const SeenRank& seen, const WaitTerms& terms);

// A row of GangPlaced.
RankPlaced StartRow(int32_t rank, const SeenRank& seen);

// A failure of the rank, with the last lines of its log.
RankFailure FailureOf(const SeenRank& seen, int32_t rank, int32_t world, TaskRole role,
                      RankFailure::Kind kind, Status status);

}  // namespace protium
