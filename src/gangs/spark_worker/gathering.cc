// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/gathering.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "collective/self.h"
#include "protium/fields.h"

namespace protium {

namespace {

// Ranks on new executors come late: their program is still being sent.
constexpr std::chrono::minutes kGatherTime{5};
// How long a rank stays out of Spark's barrier for others that have not started.
constexpr std::chrono::seconds kMostWaiting{30};

// What a rank sends to the others, as JSON.
struct Seat {
  int32_t rank = 0;
  int32_t world = 0;
  int32_t attempt = 0;
  // TcpSeat::card(): what the other ranks need to reach it.
  std::string card;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("world", world);
    visit("attempt", attempt);
    visit("card", card);
  }
};

Status Differs(const Seat& seat, const SparkCommand& command, size_t place, size_t places) {
  return Fail({.exit = Exit::kRemote,
               .what = "the ranks that Spark started are not one gang",
               .why = fmt::format("task {} of {} is rank {} of {} in attempt {}; expected are {} "
                                  "ranks of attempt {}",
                                  place, places, seat.rank, seat.world, seat.attempt, command.world,
                                  command.attempt)});
}

// Spark's own retry of a stage may start only some of its tasks, numbered as before: then there are
// fewer texts than ranks.
Result<std::vector<std::string>> CardsIn(const std::vector<std::string>& texts,
                                         const SparkCommand& command) {
  std::vector<std::string> cards;
  for (size_t i = 0; i < texts.size(); ++i) {
    PT_LET(const Json json, ParseJson(texts[i]));
    Seat seat;
    PT_TRY(FieldsFromJson(json, "seat", seat));
    const bool fits = seat.rank == static_cast<int32_t>(i) && seat.world == command.world &&
                      seat.attempt == command.attempt &&
                      texts.size() == static_cast<size_t>(command.world);
    if (!fits) return Differs(seat, command, i, texts.size());
    cards.push_back(std::move(seat.card));
  }
  return cards;
}

}  // namespace

TcpOptions TcpOptionsOf(const SparkCommand& command) {
  // With less, a busy machine would look like one that is gone.
  constexpr std::chrono::milliseconds kLeast{2'000};
  TcpOptions options{.key = command.key, .plaintext = command.plaintext};
  options.deadline = std::chrono::milliseconds(static_cast<int64_t>(command.deadline * 1000));
  options.unreachable_after = std::clamp(options.deadline, kLeast, options.unreachable_after);
  options.heartbeat = options.unreachable_after / 10;
  return options;
}

Result<std::unique_ptr<Communicator>> JoinRanks(const SparkCommand& command,
                                                const BarrierTask& task, RankSigns* signs,
                                                std::stop_token stop) {
  // A single rank need not spend a second on Spark's barrier.
  if (command.world == 1) return MakeSelfCommunicator();
  // If a stage ends while one of its tasks is in Spark's barrier, as happens when a rank's executor
  // lacks the program, Spark lets the exception end the task's whole executor (exit code 50), with
  // everything else that runs there. So ranks go there together. This is only a precaution: after a
  // while they go there anyway.
  if (signs != nullptr) {
    stop = signs->over();
    (void)signs->AwaitReady(Clock::now() + kMostWaiting);
    PT_TRY(signs->silence());
  }
  const TcpOptions options = TcpOptionsOf(command);
  PT_LET(auto candidate, TcpCandidate::Make(options, task.rank, command.world));
  const Seat own{task.rank, command.world, command.attempt, candidate.card()};
  const BarrierClient barrier(task.address, std::move(stop));
  const auto texts = barrier.AllGather(Dump(FieldsToJson(own)), Clock::now() + kGatherTime);
  // Spark's barrier itself would wait for a rank that hangs.
  if (signs != nullptr) PT_TRY(signs->silence());
  PT_TRY(texts.status());
  PT_LET(const auto cards, CardsIn(*texts, command));
  return std::move(candidate).Join(cards, Clock::now() + options.deadline);
}

}  // namespace protium
