// SPDX-License-Identifier: Apache-2.0
// What is known of a gang's ranks on Spark: what they said of themselves, and what Spark says of
// those that said nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gang/attempts.h"
#include "gang/failure.h"

namespace protium {

// Workers tell of every rank {"event": "rank_start", "rank", "host", "pid", "devices": [{"name",
// "address"}], "log"} and, when it ends by itself, {"event": "rank_end", "rank", "status", "at"}.
class RanksSeen {
 public:
  RanksSeen(std::string task, int32_t world) : task_(std::move(task)), ranks_(size_t(world)) {}

  // Takes in an event; gives false when it is about something else.
  bool On(const Json& event);
  bool AllStarted() const;
  // The table for {"event": "gang_start"}.
  Json StartTable() const;

  // How the attempt ended that Spark reports as `status`. A rank that did not say how it ended, and
  // that Spark or all the others name, is the cause.
  AttemptResult Judge(const Status& status) const;

 private:
  struct Rank {
    bool started = false;
    std::string host;
    int64_t pid = 0;
    std::vector<Device> devices;
    std::filesystem::path log;
    std::optional<Status> ended;
    int64_t at = 0;
  };
  RankFailure FailureOf(int32_t rank, RankFailure::Kind kind, Status status) const;
  std::vector<RankFailure> Answers() const;
  std::optional<RankFailure> Lost(const Status& status,
                                  const std::vector<RankFailure>& answers) const;

  const std::string task_;
  std::vector<Rank> ranks_;
};

// The partition that Spark's text of a failed barrier stage names: "barrier task ResultTask(15, 1)
// finished unsuccessfully".
std::optional<int32_t> FailedPartition(std::string_view text);

}  // namespace protium
