// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/ranks_seen.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

std::string TextIn(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

int64_t NumberIn(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

}  // namespace

std::optional<int32_t> FailedPartition(std::string_view text) {
  constexpr std::string_view kTask = "barrier task ResultTask(";
  const size_t at = text.find(kTask);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t comma = text.find(", ", at);
  if (comma == std::string_view::npos) return std::nullopt;
  int32_t partition = 0;
  const auto read = std::from_chars(text.data() + comma + 2, text.data() + text.size(), partition);
  if (read.ec != std::errc()) return std::nullopt;
  return partition;
}

bool RanksSeen::On(const Json& event) {
  const std::string what = TextIn(event, "event");
  if (what != "rank_start" && what != "rank_end") return false;
  const int64_t number = NumberIn(event, "rank");
  // A rank that cannot be of this gang: the event is ours all the same, and is dropped.
  if (!Has(number)) return true;
  Rank& rank = ranks_[size_t(number)];
  if (what == "rank_start") {
    rank = {.started = true, .seen = SeenRankIn(event)};
  } else {
    rank.end = MakeFailure(int32_t(number), RankFailure::Kind::kAnswered,
                           StatusFromJson(event.value("status", Json::object())));
    rank.end->at = NumberIn(event, "at");
    if (event.contains("read")) {
      const auto read = RowSumsFromJson(event["read"]);
      if (read.ok()) rank.rows = *read;
    }
  }
  return true;
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

Json RanksSeen::StartTable() const {
  Json table = Json::array();
  for (size_t i = 0; i < ranks_.size(); ++i) table.push_back(StartRow(int32_t(i), ranks_[i].seen));
  return table;
}

RankFailure RanksSeen::MakeFailure(int32_t rank, RankFailure::Kind kind, Status status) const {
  return FailureOf(ranks_[size_t(rank)].seen, rank, int32_t(ranks_.size()), task_, kind,
                   std::move(status));
}

std::vector<RankFailure> RanksSeen::Answers(const std::optional<RankFailure>& told) const {
  std::vector<RankFailure> answers;
  for (size_t i = 0; i < ranks_.size(); ++i) {
    const std::optional<RankFailure>& end = ranks_[i].end;
    if (end && !end->status.ok()) answers.push_back(*end);
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

std::optional<RankFailure> RanksSeen::Lost(const Status& status, std::optional<int32_t> lost,
                                           const std::vector<RankFailure>& answers) const {
  const auto spoke = [&](int32_t rank) {
    return ranks_[size_t(rank)].end ||
           std::ranges::any_of(answers, [&](const auto& each) { return each.rank == rank; });
  };
  const bool known = lost && Has(*lost) && !spoke(*lost);
  if (!known) {
    // If all who spoke speak of others, one that has not spoken is meant.
    if (answers.empty() || !std::ranges::all_of(answers, IsAboutOthers)) return std::nullopt;
    lost = 0;
    while (Has(*lost) && spoke(*lost)) ++*lost;
    if (!Has(*lost)) return std::nullopt;
  }
  // The others' error says in which way the rank was missed: silent until a deadline, or gone.
  const bool stalled = !answers.empty() && FaultOf(answers[0].status).exit == Exit::kStalled;
  Fault fault{.exit = stalled ? Exit::kStalled : Exit::kFailed,
              .what = (stalled ? "fell silent in the middle of task \""
                               : "was lost in the middle of task \"") +
                      task_ + "\"",
              .why = FaultOf(known || answers.empty() ? status : answers[0].status).what};
  return MakeFailure(*lost, stalled ? RankFailure::Kind::kSilent : RankFailure::Kind::kEnded,
                     Fail(std::move(fault)));
}

AttemptResult RanksSeen::Judge(const Status& status, const std::optional<RankFailure>& told,
                               std::optional<int32_t> named) const {
  if (status.ok()) return {status, false};
  std::vector<RankFailure> failures = Answers(told);
  if (auto lost = Lost(status, named, failures)) failures.push_back(*std::move(lost));
  if (failures.empty()) return {status, FaultOf(status).exit == Exit::kRemote};
  const RankFailure& cause = FindCause(failures);
  return {ReportFailure(failures), RestartMayHelp(cause)};
}

}  // namespace protium
