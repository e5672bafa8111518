// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/fault.h"
#include "gang/attempts.h"
#include "gang/failure.h"
#include "gang/placement.h"
#include "gang/quarantine.h"
#include "gang/task_book.h"
#include "protium/events.h"

namespace protium {
namespace {

using testing::HasSubstr;

Host HostWith(int32_t cores, int32_t gpus) {
  Host host{.name = "a", .cores = cores};
  for (int32_t i = 0; i < gpus; ++i) host.gpus.push_back({"gpu", std::to_string(i)});
  return host;
}

TEST(Place, SeatsNeighboursTogether) {
  std::vector<Host> hosts = {HostWith(2, 0), HostWith(4, 0)};
  hosts[1].name = "b";
  const auto answer = Place({.workers = 4}, hosts).ValueOrDie();
  const auto& placed = std::get<Placement>(answer);
  std::string where;
  for (const Seat& seat : placed.seats) where += seat.host;
  EXPECT_EQ(where, "aabb");
  EXPECT_EQ(placed.note, "");
}

TEST(Place, GivesEveryRankDevicesOfItsOwn) {
  const std::vector<Host> hosts = {HostWith(4, 4)};
  const auto answer = Place({.workers = 2, .gpus_per_worker = 2}, hosts).ValueOrDie();
  const Json json = PlacementToJson(std::get<Placement>(answer));
  EXPECT_EQ(Dump(json["ranks"][0]["gpus"]), R"(["0","1"])");
  EXPECT_EQ(Dump(json["ranks"][1]["gpus"]), R"(["2","3"])");
}

TEST(Place, WaitsWhileAGpuIsBusyAndSaysWhoHasIt) {
  std::vector<Host> hosts = {HostWith(4, 4)};
  hosts[0].holdings = {{.who = "gang score", .cores = 1, .gpus = {{"gpu", "2"}}}};
  const auto answer = Place({.workers = 3, .gpus_per_worker = 1}, hosts).ValueOrDie();
  EXPECT_TRUE(std::holds_alternative<Placement>(answer));
  const auto later = Place({.workers = 4, .gpus_per_worker = 1}, hosts).ValueOrDie();
  EXPECT_EQ(std::get<NotNow>(later).why, "gang score holds 1 of 4 cores and gpu 2 on a");
}

TEST(Place, SaysWhichNumberCanNeverFit) {
  const std::vector<Host> hosts = {HostWith(2, 0)};
  const Fault gpus = FaultOf(Place({.workers = 2, .gpus_per_worker = 1}, hosts).status());
  EXPECT_EQ(gpus.exit, Exit::kUsage);
  EXPECT_THAT(gpus.what, HasSubstr("asks for 2 gpus, 0 found"));
  const Fault cores = FaultOf(Place({.workers = 3}, hosts).status());
  EXPECT_THAT(cores.what, HasSubstr("asks for 3 cores, 2 found"));
  EXPECT_THAT(Place({.workers = 0}, hosts).status().message(), HasSubstr("got 0"));
  EXPECT_FALSE(Place({.workers = 1, .deadline = 0}, hosts).ok());
  EXPECT_FALSE(Place({.workers = 1, .restart_window = 0}, hosts).ok());
  EXPECT_THAT(Place({.workers = 1, .memory_per_worker = "lots"}, hosts).status().message(),
              HasSubstr("a size such as \"4 GiB\""));
  EXPECT_THAT(Place({.workers = 2, .rebalance = true}, hosts).status().message(),
              HasSubstr("gang.rebalance must be false where gang.workers is a number"));
  EXPECT_TRUE(Place({.workers = {1, 2}, .rebalance = true}, hosts).ok());
}

TEST(Place, LogicalSeatsMayShareCoresAndSaySo) {
  Host host = HostWith(2, 0);
  host.strict = false;
  const auto answer = Place({.workers = 3}, {&host, 1}).ValueOrDie();
  EXPECT_EQ(std::get<Placement>(answer).note, "3 workers x 1 cores share the 2 cores of a");
}

TEST(Place, OfARangeSeatsAsManyAsThereIsRoomFor) {
  const auto seats = [](WorkerRange workers, std::vector<Host> hosts) {
    const auto answer = Place({.workers = workers}, hosts).ValueOrDie();
    return std::holds_alternative<Placement>(answer) ? std::get<Placement>(answer).seats.size() : 0;
  };
  EXPECT_EQ(seats({1, 8}, {HostWith(3, 0)}), 3u);
  EXPECT_EQ(seats({2, 2}, {HostWith(3, 0)}), 2u);
  Host busy = HostWith(3, 0);
  busy.holdings = {{.who = "gang score", .cores = 2, .gpus = {}}};
  EXPECT_EQ(seats({1, 8}, {busy}), 1u) << "it never waits for more";
  EXPECT_EQ(seats({2, 8}, {busy}), 0u) << "it waits for its least";
  const std::vector<Host> hosts = {HostWith(3, 0)};
  EXPECT_THAT(FaultOf(Place({.workers = {4, 8}}, hosts).status()).what,
              HasSubstr("asks for 4 cores, 3 found"));
  EXPECT_THAT(FaultOf(Place({.workers = {1, 65}}, hosts).status()).what, HasSubstr("at most 64"));
}

TEST(Place, SeatsServersBehindTheWorkers) {
  const std::vector<Host> hosts = {HostWith(4, 0)};
  const auto answer = Place({.workers = 2, .servers = 1}, hosts).ValueOrDie();
  const auto& placed = std::get<Placement>(answer);
  ASSERT_EQ(placed.seats.size(), 3u);
  EXPECT_FALSE(placed.seats[1].server);
  EXPECT_TRUE(placed.seats[2].server);
  const Json ranks = PlacementToJson(placed)["ranks"];
  EXPECT_FALSE(ranks[1].contains("server"));
  EXPECT_EQ(ranks[2]["server"], true);
}

TEST(Place, RefusesServersThatItCannotSeat) {
  const std::vector<Host> hosts = {HostWith(2, 0)};
  const auto said = [&](const GangSpec& gang) { return FaultOf(Place(gang, hosts).status()).what; };
  EXPECT_THAT(said({.workers = 2, .servers = 1}),
              HasSubstr("gang.workers=2 and gang.servers=1 x gang.cores_per_worker=1 asks for 3 "
                        "cores, 2 found"));
  EXPECT_THAT(said({.workers = 1, .servers = -1}), HasSubstr("between 0 and 64, got -1"));
  EXPECT_THAT(said({.workers = 1, .servers = 65}), HasSubstr("between 0 and 64, got 65"));
  EXPECT_THAT(said({.workers = {1, 2}, .servers = 1}), HasSubstr("gang.workers is a range"));
  EXPECT_THAT(said({.workers = 1, .gpus_per_worker = 1, .servers = 1}),
              HasSubstr("gang.gpus_per_worker is above 0"));
  EXPECT_THAT(said({.workers = 100, .servers = 60}), HasSubstr("at most 128"));
}

TEST(WorkerRange, IsANumberOrTwo) {
  const auto read = [](const char* text) -> Result<std::string> {
    WorkerRange workers;
    PT_LET(const Json json, ParseJson(text));
    PT_TRY(FromJson(json, "gang.workers", workers));
    return Dump(ToJson(workers));
  };
  EXPECT_EQ(read("4").ValueOrDie(), "4");
  EXPECT_EQ(read(R"({"min": 2, "max": 8})").ValueOrDie(), R"({"min":2,"max":8})");
  EXPECT_EQ(read(R"({"min": 2, "max": 2})").ValueOrDie(), "2");
  for (const char* wrong :
       {"0", "1.5", "\"two\"", "[1, 2]", R"({"min": 2})", R"({"min": 3, "max": 2})",
        R"({"min": 0, "max": 2})", R"({"min": 1, "max": 2, "most": 3})"}) {
    EXPECT_FALSE(read(wrong).ok()) << wrong;
  }
}

RankFailure Failure(RankFailure::Kind kind, int32_t rank, int64_t at, Exit exit = Exit::kFailed) {
  return {.kind = kind,
          .rank = rank,
          .world = 3,
          .host = "a",
          .status = Fail({.exit = exit, .what = "cause " + std::to_string(rank)}),
          .at = at,
          .last_lines = "one\ntwo\n"};
}

TEST(Failure, NamesTheLostRankBeforeThoseWhoMissedIt) {
  using enum RankFailure::Kind;
  const std::vector<RankFailure> all = {Failure(kAnswered, 0, 1, Exit::kRemote),
                                        Failure(kEnded, 1, 9),
                                        Failure(kAnswered, 2, 2, Exit::kStalled)};
  EXPECT_EQ(FindCause(all).rank, 1);
  const Fault fault = FaultOf(ReportFailure(all));
  EXPECT_EQ(fault.what, "rank 1 cause 1");
  EXPECT_EQ(fault.where, "rank 1 of 3 on a");
  EXPECT_EQ(fault.why, "2 other ranks failed after it; the last lines of its log:\n  one\n  two");
}

TEST(Failure, SaysThatARankIsAServer) {
  const RankFailure server{.kind = RankFailure::Kind::kEnded,
                           .rank = 2,
                           .world = 3,
                           .host = "a",
                           .status = Fail({.what = "was killed"}),
                           .server = true};
  const Fault fault = FaultOf(ReportFailure({&server, 1}));
  EXPECT_EQ(fault.what, "rank 2, a server, was killed");
  EXPECT_EQ(fault.where, "rank 2 of 3, a server, on a");
}

TEST(Failure, NamesTheEarliestErrorOfARanksOwn) {
  using enum RankFailure::Kind;
  const std::vector<RankFailure> all = {Failure(kAnswered, 0, 1, Exit::kStalled),
                                        Failure(kAnswered, 1, 7), Failure(kAnswered, 2, 5)};
  EXPECT_EQ(FindCause(all).rank, 2);
  EXPECT_FALSE(RestartMayHelp(FindCause(all)));
  EXPECT_TRUE(RestartMayHelp(Failure(kSilent, 0, 0)));
  EXPECT_TRUE(RestartMayHelp(Failure(kAnswered, 0, 0, Exit::kRemote)));
  EXPECT_FALSE(RestartMayHelp(Failure(kAnswered, 0, 0, Exit::kInput)));
}

TEST(Attempts, AreNumberedAndLimited) {
  std::vector<int32_t> attempts;
  std::vector<Json> events;
  const Call call{.events = [&](const Json& event) { events.push_back(event); }};
  const Status status = RunAttempts({.max_restarts = 2}, call, [&](int32_t attempt, const Call&) {
    attempts.push_back(attempt);
    return AttemptResult{Status::UnknownError("lost"), true};
  });
  EXPECT_EQ(attempts, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_THAT(FaultOf(status).why, HasSubstr("2 restarts did not help"));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1]["attempt"], 2);
  EXPECT_EQ(events[1]["cause"], "lost");
}

// The restart's failure follows from what the attempt before it left behind.
TEST(Attempts, NameTheFirstCauseBesideTheLast) {
  const Status status = RunAttempts({.max_restarts = 2}, {}, [](int32_t attempt, const Call&) {
    const char* what = attempt == 0 ? "rank 1 was killed" : "there is no room";
    return AttemptResult{Fail({.what = what, .where = "rank 1"}), attempt == 0};
  });
  EXPECT_EQ(FaultOf(status).what, "there is no room");
  EXPECT_EQ(FaultOf(status).why, "it began with: rank 1 was killed (rank 1)");
}

// A long run is not ended by its third death in a week if it made progress between them.
TEST(Attempts, CountRestartsWithinTheirWindow) {
  const GangSpec gang{.max_restarts = 1, .restart_window = 1e-9};
  int runs = 0;
  const auto until_fifth = [&](bool saves) {
    runs = 0;
    return RunAttempts(gang, {}, [&](int32_t attempt, const Call& call) {
      ++runs;
      if (saves) call.Saved();
      return attempt == 5 ? AttemptResult{} : AttemptResult{Status::UnknownError("lost"), true};
    });
  };
  EXPECT_TRUE(until_fifth(true).ok());
  EXPECT_EQ(runs, 6);
  EXPECT_FALSE(until_fifth(false).ok());
  EXPECT_EQ(runs, 2);
}

// What a program's own task reports decides nothing, whatever the event's name.
TEST(Attempts, ForgiveNothingForAnEvent) {
  const GangSpec gang{.max_restarts = 1, .restart_window = 1e-9};
  int runs = 0;
  const Status status = RunAttempts(gang, {}, [&](int32_t attempt, const Call& call) {
    ++runs;
    call.Send(Checkpointed{.step = attempt});
    return attempt == 5 ? AttemptResult{} : AttemptResult{Status::UnknownError("lost"), true};
  });
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(runs, 2);
}

TEST(Attempts, EndWhenNothingWouldChange) {
  int runs = 0;
  const auto refuse = [&](int32_t, const Call&) {
    return ++runs, AttemptResult{Status::Invalid("bad"), false};
  };
  EXPECT_TRUE(RunAttempts({}, {}, refuse).IsInvalid());
  EXPECT_EQ(runs, 1);
  const auto second = [&](int32_t attempt, const Call&) {
    return attempt == 1 ? AttemptResult{} : AttemptResult{Status::UnknownError("lost"), true};
  };
  EXPECT_TRUE(RunAttempts({}, {}, second).ok());
  std::stop_source stop;
  stop.request_stop();
  runs = 0;
  const auto lose = [&](int32_t, const Call&) {
    return ++runs, AttemptResult{Status::UnknownError("x"), true};
  };
  EXPECT_FALSE(RunAttempts({}, {.stop = stop.get_token()}, lose).ok());
  EXPECT_EQ(runs, 1);
}

TEST(Quarantine, HoldsWhatRanksDieOnAgainAndAgain) {
  using std::chrono::seconds;
  const QuarantineTerms terms{.deaths = 2, .probation = seconds(10)};
  const Clock::time_point begin{};
  Quarantine gpus;
  EXPECT_EQ(gpus.Died("0", terms, begin), 0);
  EXPECT_EQ(gpus.Died("1", terms, begin + seconds(1)), 0) << "each counts for itself";
  EXPECT_FALSE(gpus.Holds("0", begin + seconds(1)));
  EXPECT_EQ(gpus.Died("0", terms, begin + seconds(5)), 2);
  EXPECT_TRUE(gpus.Holds("0", begin + seconds(14)));
  EXPECT_FALSE(gpus.Holds("0", begin + seconds(15)));
  EXPECT_FALSE(gpus.Holds("1", begin + seconds(5)));
  EXPECT_EQ(gpus.Died("0", terms, begin + seconds(24)), 3) << "on probation";
  EXPECT_TRUE(gpus.Holds("0", begin + seconds(33)));
  EXPECT_EQ(gpus.Died("0", terms, begin + seconds(60)), 0) << "it has stood the probation";
  EXPECT_EQ(gpus.Died("1", terms, begin + seconds(60)), 0) << "deaths that are long past";
}

TEST(TaskBook, StepsBackOnlyWhileItLoadsAhead) {
  const int before = ::getpriority(PRIO_PROCESS, 0);
  std::vector<int> seen;
  const TaskTable none;
  const std::function<Result<TaskTable>()> more = [&]() -> Result<TaskTable> {
    seen.push_back(::getpriority(PRIO_PROCESS, 0));
    return TaskTable{{"train", {}}};
  };
  TaskBook book(none, more);
  EXPECT_TRUE(book.LoadAhead().ok());
  EXPECT_TRUE(book.Find("train").ok());
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0], std::min(before + 10, 19));
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before);
}

// Training is implemented twice under one name.
TEST(TaskBook, TakesTheLibrarysWhereItIsNeeded) {
  struct Plain {
    Status operator()(TaskContext&) const { return Status::OK(); }
  };
  struct Torch : Plain {};
  const TaskTable own = {{"train", Plain()}, {"mine", Plain()}};
  const std::function<Result<TaskTable>()> more = []() -> Result<TaskTable> {
    return TaskTable{{"train", Torch()}};
  };
  TaskBook book(own, more);
  EXPECT_NE(book.Find("train").ValueOrDie().target<Plain>(), nullptr);
  EXPECT_NE(book.Find("train", true).ValueOrDie().target<Torch>(), nullptr);
  EXPECT_NE(book.Find("mine", true).ValueOrDie().target<Plain>(), nullptr);
  EXPECT_FALSE(book.Find("trian").ok());
}

}  // namespace
}  // namespace protium
