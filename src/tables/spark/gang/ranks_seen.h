// SPDX-License-Identifier: Apache-2.0
// What is known of a gang's ranks on Spark: what they reported in events, and what Spark says of
// those that reported nothing. Both together give the one cause of a failed attempt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gang/attempts.h"
#include "gang/failure.h"
#include "protium/events.h"
#include "spark/gang/seen_rank.h"
#include "spark_worker/event_tail.h"
#include "spark_worker/row_sums.h"

namespace protium {

// Collects the lines "start", "end" and "beat" of ranks (spark_worker/event_tail.h). One thread
// at a time.
class RanksSeen {
 public:
  RanksSeen(std::string task, int32_t world, const WaitTerms& terms, TaskRole role = TaskRole::kMap)
      : task_(std::move(task)), role_(role), terms_(terms), ranks_(size_t(world)) {}

  // Records an event; false if it is none of these. A second start of a rank replaces the first.
  bool On(const TailedLine& tailed);
  bool AllStarted() const;
  // Whether every rank that started, except the lost one, has reported how it ended.
  bool AllEndedBut(std::optional<int32_t> lost) const;
  // The ranks that started and have not ended.
  std::vector<WatchedRank> Watched();
  const SeenRank& At(int32_t rank) const { return ranks_[size_t(rank)].seen; }
  // Returns the table of GangPlaced, one row per rank.
  std::vector<RankPlaced> StartTable() const;

  // The sums over the ranks; nullopt unless every rank reported how many rows it read.
  std::optional<RowSums> RowsRead() const;

  // Whether a rank reported an error of its own, not one about other ranks.
  bool AnyFault() const;

  // Returns how an attempt ended that Spark reports as `status`. `told` is what a worker reported
  // through Spark's message, `named` the rank that Spark names.
  // 1. What ranks reported about themselves is collected.
  // 2. A rank that did not report how it ended is lost if Spark names it, or if all others blame
  //    only other ranks; then it is added to them. If there are several, the one that was busy
  //    longest is.
  // 3. FindCause (gang/failure.h) chooses the cause among them.
  // 4. If no rank reported anything, Spark's status is the cause; then a restart may help only if
  //    the server was out of reach.
  AttemptResult Judge(const Status& status, const std::optional<RankFailure>& told,
                      std::optional<int32_t> named) const;

 private:
  // What one rank reported about itself.
  struct Rank {
    bool started = false;
    SeenRank seen;
    std::optional<RowSums> rows;
    // How it reports that it ended; its status may be OK.
    std::optional<RankFailure> end;
  };
  bool Has(int64_t rank) const { return rank >= 0 && size_t(rank) < ranks_.size(); }
  RankFailure MakeFailure(int32_t rank, RankFailure::Kind kind, Status status) const;
  // The ranks that reported a failure; `told` serves for one without an end.
  std::vector<RankFailure> Answers(const std::optional<RankFailure>& told) const;
  // The rank that is to blame although it reported nothing; see Judge().
  std::optional<RankFailure> Lost(const Status& status, std::optional<int32_t> lost,
                                  const std::vector<RankFailure>& answers) const;

  // The rank among those that reported nothing for which the others may have waited.
  std::optional<int32_t> Busiest(const std::vector<RankFailure>& answers) const;
  bool Spoke(int32_t rank, const std::vector<RankFailure>& answers) const;

  const std::string task_;
  const TaskRole role_;
  const WaitTerms terms_;
  std::vector<Rank> ranks_;
};

// Returns the partition that Spark's text of a failed barrier stage names (DAGScheduler): "barrier
// task ResultTask(15, 1) finished unsuccessfully" is partition 1 of stage 15.
std::optional<int32_t> FailedPartition(std::string_view text);

}  // namespace protium
