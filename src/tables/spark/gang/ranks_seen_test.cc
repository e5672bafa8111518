// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/ranks_seen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

Json Start(int rank) {
  return {{"type", "start"},
          {"rank", rank},
          {"host", "h" + std::to_string(rank)},
          {"pid", 100 + rank},
          {"devices", {{{"name", "gpu"}, {"address", std::to_string(rank + 4)}}}}};
}

Json End(int rank, const Status& status, int64_t at) {
  return {{"type", "end"}, {"rank", rank}, {"status", StatusToJson(status)}, {"at", at}};
}

const Status kSpark = Fail(
    {.what = "Could not recover from a failed barrier ResultStage. Most recent failure reason: "
             "Stage failed because barrier task ResultTask(15, 1) finished unsuccessfully."});
const Status kGone = Fail({.exit = Exit::kRemote, .what = "rank 1 is gone"});

const WaitTerms kTerms = SparkWaitTerms(20, true);

bool Take(RanksSeen& ranks, Json event, int32_t partition = 0) {
  return ranks.On({.partition = partition, .line = std::move(event)});
}

// What the rank reports that it is doing.
void Beat(RanksSeen& ranks, int32_t rank, const TaskSight& sight) {
  EXPECT_TRUE(Take(ranks, {{"type", "beat"}, {"doing", FieldsToJson(sight)}}, rank));
}

RanksSeen Started() {
  RanksSeen ranks("train", 2, kTerms);
  EXPECT_TRUE(Take(ranks, Start(0)));
  EXPECT_FALSE(ranks.AllStarted());
  EXPECT_TRUE(Take(ranks, Start(1)));
  EXPECT_TRUE(ranks.AllStarted());
  return ranks;
}

TEST(RanksSeen, ShowWhoSitsWhere) {
  const Json row = FieldsToJson(Started().StartTable()[1]);
  EXPECT_EQ(Dump(row), R"({"rank":1,"host":"h1","gpus":["5"],"pid":101,"log":""})");
  RanksSeen ranks("train", 2, kTerms);
  EXPECT_FALSE(Take(ranks, {{"type", "event"}, {"event", {{"event", "rank_end"}, {"rank", 0}}}}));
  EXPECT_TRUE(Take(ranks, {{"type", "start"}, {"rank", 7}}));
  EXPECT_FALSE(ranks.AllStarted());
}

TEST(RanksSeen, NothingMoreIsAwaitedOnceAllButTheLostOneHaveToldTheirEnd) {
  EXPECT_TRUE(
      RanksSeen("train", 2, kTerms).AllEndedBut({}));  // Nobody started, so nobody will report.
  RanksSeen ranks = Started();
  EXPECT_FALSE(ranks.AllEndedBut({}));
  EXPECT_FALSE(ranks.AllEndedBut(1));
  Take(ranks, End(0, kGone, 5));
  EXPECT_TRUE(ranks.AllEndedBut(1));
  EXPECT_FALSE(ranks.AllEndedBut({}));
  Take(ranks, End(1, Status::OK(), 6));
  EXPECT_TRUE(ranks.AllEndedBut({}));
}

TEST(RanksSeen, TheOneThatSparkNamesAndThatSaidNothingIsTheCause) {
  RanksSeen ranks = Started();
  Take(ranks, End(0, kGone, 5));
  const AttemptResult result = ranks.Judge(kSpark, {}, 1);
  const Fault fault = FaultOf(result.status);
  EXPECT_THAT(fault.what, HasSubstr("rank 1 was lost in the middle of task \"train\""));
  EXPECT_THAT(fault.where, HasSubstr("h1 gpu:5"));
  EXPECT_TRUE(result.restart_may_help);
}

TEST(RanksSeen, WhoSaidNothingIsTheCauseWhenTheOthersSpeakOfOthers) {
  RanksSeen ranks = Started();
  Take(ranks, End(0, Fail({.exit = Exit::kStalled, .what = "rank 1 did not join"}), 5));
  const Fault fault = FaultOf(ranks.Judge(kGone, {}, {}).status);
  EXPECT_THAT(fault.what, HasSubstr("rank 1 kept the others waiting for 20 seconds ("));
  EXPECT_EQ(fault.exit, Exit::kStalled);
}

TEST(RanksSeen, TheBusiestOfThoseThatSaidNothingIsTheCause) {
  RanksSeen ranks("train", 3, kTerms);
  for (int rank = 0; rank < 3; ++rank) Take(ranks, Start(rank));
  Beat(ranks, 1, {.call = "reduce", .seconds = 20});
  Beat(ranks, 2, {.phase = "forward", .seconds = 21});
  const auto late = FindLate(ranks.Watched(), kTerms, Clock::now());
  ASSERT_EQ(late.size(), 1u);
  EXPECT_THAT(LateWarning(late[0], ranks.At(2), kTerms).message,
              HasSubstr("rank 2 on h2 has kept rank 1 waiting for 20.0 s (21.0 s in forward)"));
  Take(ranks, End(0, Fail({.exit = Exit::kStalled, .what = "some rank did not join"}), 5));
  const AttemptResult result = ranks.Judge(kGone, {}, {});
  EXPECT_THAT(FaultOf(result.status).what,
              HasSubstr("rank 2 kept the others waiting for 20 seconds (21.0 s in forward)"));
  EXPECT_TRUE(result.restart_may_help);
}

TEST(RanksSeen, AddUpTheRowsThatAllOfThemRead) {
  RanksSeen ranks = Started();
  Json end = End(0, Status::OK(), 4);
  end["read"] = ToJson({.rows = 30, .hashes = 5});
  Take(ranks, end);
  EXPECT_EQ(ranks.RowsRead(), std::nullopt);
  end["rank"] = 1;
  end["read"] = ToJson({.rows = 12, .hashes = 4});
  Take(ranks, end);
  EXPECT_EQ(ranks.RowsRead(), (RowSums{.rows = 42, .hashes = 9}));
}

TEST(RanksSeen, WhoEndedWellIsNotTheCause) {
  RanksSeen ranks = Started();
  Take(ranks, End(0, Status::OK(), 4));
  Take(ranks, End(1, Fail({.exit = Exit::kRemote, .what = "rank 0 is gone"}), 5));
  EXPECT_EQ(FaultOf(ranks.Judge(kGone, {}, {}).status).what, "rank 0 is gone");
}

TEST(RanksSeen, ARanksOwnErrorComesBeforeWhatOthersSayOfIt) {
  RanksSeen ranks = Started();
  Take(ranks, End(0, kGone, 5));
  Take(ranks, End(1, Fail({.exit = Exit::kInput, .what = "the loss is NaN"}), 9));
  const AttemptResult result = ranks.Judge(kSpark, {}, 1);
  EXPECT_THAT(FaultOf(result.status).what, HasSubstr("the loss is NaN"));
  EXPECT_FALSE(result.restart_may_help);
}

TEST(RanksSeen, ACrashThatAWorkerDescribedThroughSparkIsTheCause) {
  RanksSeen ranks = Started();
  Take(ranks, End(0, kGone, 5));
  EXPECT_FALSE(ranks.AnyFault());
  const RankFailure crash{.kind = RankFailure::Kind::kEnded,
                          .rank = 1,
                          .world = 2,
                          .host = "h1",
                          .status = Fail({.what = "was ended by SIGSEGV"}),
                          .last_lines = "frame one"};
  const Fault fault = FaultOf(ranks.Judge(kSpark, crash, 1).status);
  EXPECT_EQ(fault.what, "rank 1 was ended by SIGSEGV");
  EXPECT_THAT(fault.why, HasSubstr("frame one"));
}

TEST(RanksSeen, WithoutAnyWordOfTheRanksSparksOwnIsTold) {
  RanksSeen ranks("train", 2, kTerms);
  EXPECT_EQ(FaultOf(ranks.Judge(Fail({.what = "no slots"}), {}, {}).status).what, "no slots");
  EXPECT_TRUE(ranks.Judge(Status::OK(), {}, {}).status.ok());
}

TEST(FailedPartition, IsReadFromSparksText) {
  EXPECT_EQ(FailedPartition(kSpark.message()), 1);
  EXPECT_EQ(FailedPartition("something else (3, 4)"), std::nullopt);
  EXPECT_EQ(FailedPartition("barrier task ResultTask(15"), std::nullopt);
}

}  // namespace
}  // namespace protium
