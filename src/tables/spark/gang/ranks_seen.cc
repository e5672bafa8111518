// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/ranks_seen.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/fault.h"
#include "base/json.h"
#include "protium/events.h"

namespace protium {
std::optional<int32_t> FailedPartition(std::string_view text) {
  constexpr std::string_view kTask = "barrier task ResultTask(";
  const size_t at = text.find(kTask);
  if (at == std::string_view::npos) return std::nullopt;
  // The first number is the stage.
  const size_t comma = text.find(", ", at);
  if (comma == std::string_view::npos) return std::nullopt;
  int32_t partition = 0;
  const auto read = std::from_chars(text.data() + comma + 2, text.data() + text.size(), partition);
  if (read.ec != std::errc()) return std::nullopt;
  return partition;
}

bool RanksSeen::On(const TailedLine& tailed) {
  const Json& event = tailed.line;
  const std::string& what = tailed.type();
  if (what == "beat") {
    // A beat does not state its rank; for a gang in a barrier stage, that is the partition whose
    // file it is in.
    if (Has(tailed.partition)) {
      ranks_[size_t(tailed.partition)].seen.sight.OnBeat(event, Clock::now());
    }
    return true;
  }
  if (what != "start" && what != "end") return false;
  const int64_t number = WholeAt(event, "rank");
  // A rank that this gang cannot have: the line is handled all the same, and dropped.
  if (!Has(number)) return true;
  Rank& rank = ranks_[size_t(number)];
  if (what == "start") {
    // All that an earlier try of this rank reported is dropped, including its end.
    rank = {.started = true, .seen = SeenRankIn(event)};
    rank.seen.task = tailed.task_attempt;
    rank.seen.sight.Begin(Clock::now());
    return true;
  }
  rank.end = MakeFailure(int32_t(number), RankFailure::Kind::kAnswered,
                         StatusFromJson(event.value("status", Json::object())));
  rank.end->at = WholeAt(event, "at");
  if (event.contains("read")) {
    const auto read = RowSumsFromJson(event["read"]);
    // Unreadable sums are treated as missing: RowsRead() then returns none either.
    if (read.ok()) rank.rows = *read;
  }
  return true;
}

std::vector<WatchedRank> RanksSeen::Watched() {
  std::vector<WatchedRank> watched;
  for (size_t i = 0; i < ranks_.size(); ++i) {
    Rank& rank = ranks_[i];
    if (rank.started && !rank.end) watched.push_back({int32_t(i), &rank.seen.sight});
  }
  return watched;
}

bool RanksSeen::AllStarted() const {
  return std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.started; });
}

bool RanksSeen::AllEndedBut(std::optional<int32_t> lost) const {
  for (size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].started && !ranks_[i].end && lost != int32_t(i)) return false;
  }
  return true;
}

std::vector<RankPlaced> RanksSeen::StartTable() const {
  std::vector<RankPlaced> table;
  for (size_t i = 0; i < ranks_.size(); ++i) table.push_back(StartRow(int32_t(i), ranks_[i].seen));
  return table;
}

RankFailure RanksSeen::MakeFailure(int32_t rank, RankFailure::Kind kind, Status status) const {
  return FailureOf(ranks_[size_t(rank)].seen, rank, int32_t(ranks_.size()), role_, kind,
                   std::move(status));
}

std::vector<RankFailure> RanksSeen::Answers(const std::optional<RankFailure>& told) const {
  std::vector<RankFailure> answers;
  for (size_t i = 0; i < ranks_.size(); ++i) {
    const std::optional<RankFailure>& end = ranks_[i].end;
    if (end && !end->status.ok()) answers.push_back(*end);
    // A rank's own report takes precedence over what Spark's message repeats of it.
    if (!end && told && told->rank == int32_t(i)) answers.push_back(*told);
  }
  return answers;
}

std::optional<RowSums> RanksSeen::RowsRead() const {
  RowSums rows;
  for (const Rank& rank : ranks_) {
    if (!rank.rows) return std::nullopt;
    rows += *rank.rows;
  }
  return rows;
}

bool RanksSeen::AnyFault() const {
  return std::ranges::any_of(ranks_, [](const Rank& rank) {
    return rank.end && !rank.end->status.ok() && !IsAboutOthers(*rank.end);
  });
}

bool RanksSeen::Spoke(int32_t rank, const std::vector<RankFailure>& answers) const {
  return ranks_[size_t(rank)].end ||
         std::ranges::any_of(answers, [&](const auto& each) { return each.rank == rank; });
}

std::optional<int32_t> RanksSeen::Busiest(const std::vector<RankFailure>& answers) const {
  const auto now = Clock::now();
  std::optional<int32_t> found;
  double longest = -1;
  for (int32_t rank = 0; Has(rank); ++rank) {
    if (Spoke(rank, answers)) continue;
    const RankSight& sight = At(rank).sight;
    // A rank in a collective call is itself waiting, unless its last sign is old; one that has not
    // started was doing nothing. Such ranks are found only if there is no other, the lowest first.
    const bool calls = !sight.doing.call.empty() && !terms_.IsSilent(sight, now);
    const double seconds = calls || !ranks_[size_t(rank)].started ? 0 : sight.SecondsAt(now);
    if (seconds > longest) found = rank;
    longest = std::max(longest, seconds);
  }
  return found;
}

std::optional<RankFailure> RanksSeen::Lost(const Status& status, std::optional<int32_t> lost,
                                           const std::vector<RankFailure>& answers) const {
  const bool known = lost && Has(*lost) && !Spoke(*lost, answers);
  if (!known) {
    // If all who reported blame others, one that has not reported is meant.
    if (answers.empty() || !std::ranges::all_of(answers, IsAboutOthers)) return std::nullopt;
    lost = Busiest(answers);
    if (!lost) return std::nullopt;
  }
  // The others' error shows how the rank was missed: late until a deadline, or gone.
  const bool late = !answers.empty() && FaultOf(answers[0].status).exit == Exit::kStalled;
  const SeenRank& seen = At(*lost);
  // Spark saw the end of the rank that it names: it did not just fall silent.
  const bool silent = !known && terms_.IsSilent(seen.sight, Clock::now());
  // Gives the reason in Spark's words if Spark named the rank, else in those of the first rank that
  // missed it.
  Fault fault{.exit = late || silent ? Exit::kStalled : Exit::kFailed,
              .why = FaultOf(known || answers.empty() ? status : answers[0].status).what};
  if (late && !silent) {
    fault.what = KeptWaiting(AtWhat(seen, terms_), terms_);
  } else {
    fault.what =
        fmt::format("{} in the middle of task \"{}\"", silent ? "fell silent" : "was lost", task_);
  }
  const auto kind = late || silent ? RankFailure::Kind::kSilent : RankFailure::Kind::kEnded;
  return MakeFailure(*lost, kind, Fail(std::move(fault)));
}

AttemptResult RanksSeen::Judge(const Status& status, const std::optional<RankFailure>& told,
                               std::optional<int32_t> named) const {
  if (status.ok()) return {status, false};
  std::vector<RankFailure> failures = Answers(told);
  if (auto lost = Lost(status, named, failures)) failures.push_back(*std::move(lost));
  if (failures.empty()) return {status, FaultOf(status).exit == Exit::kRemote};
  const RankFailure& cause = FindCause(failures);
  // With replace_hung = false, a rank that hangs ends the run.
  const bool kept = cause.kind == RankFailure::Kind::kSilent && !terms_.replaces_hung;
  return {ReportFailure(failures), RestartMayHelp(cause) && !kept};
}

}  // namespace protium
