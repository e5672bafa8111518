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
#include "spark/ship/row_sums.h"

namespace protium {

// Reads the events "rank_start" and "rank_end" of spark/worker/worker.h.
class RanksSeen {
 public:
  RanksSeen(std::string task, int32_t world) : task_(std::move(task)), ranks_(size_t(world)) {}

  // Takes in an event; gives false when it is about something else.
  bool On(const Json& event);
  bool AllStarted() const;
  // Has every rank that started, but the one that was lost, told how it ended?
  bool AllEndedBut(std::optional<int32_t> lost) const;
  // The table for {"event": "gang_start"}.
  Json StartTable() const;

  // Of the rows that all ranks read to their ends; nullopt when one did not.
  std::optional<RowSums> RowsRead() const;

  // Has a rank told of an error of its own, not of others?
  bool AnyFault() const;

  // How the attempt ended that Spark reports as `status`, with what a worker said through Spark and
  // the rank that Spark names. A rank that did not say how it ended, and that Spark or all the
  // others name, is the cause.
  AttemptResult Judge(const Status& status, const std::optional<RankFailure>& told,
                      std::optional<int32_t> named) const;

 private:
  struct Rank {
    bool started = false;
    std::string host;
    int64_t pid = 0;
    std::vector<Device> devices;
    std::filesystem::path log;
    std::optional<RowSums> rows;
    std::optional<RankFailure> end;  // How the rank itself says that it ended; may be well.
  };
  bool Has(int64_t rank) const { return rank >= 0 && size_t(rank) < ranks_.size(); }
  RankFailure FailureOf(int32_t rank, RankFailure::Kind kind, Status status) const;
  std::vector<RankFailure> Answers(const std::optional<RankFailure>& told) const;
  std::optional<RankFailure> Lost(const Status& status, std::optional<int32_t> lost,
                                  const std::vector<RankFailure>& answers) const;

  const std::string task_;
  std::vector<Rank> ranks_;
};

// The partition that Spark's text of a failed barrier stage names: "barrier task ResultTask(15, 1)
// finished unsuccessfully".
std::optional<int32_t> FailedPartition(std::string_view text);

}  // namespace protium
