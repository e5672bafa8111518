// SPDX-License-Identifier: Apache-2.0
// Trainings whose rows of ids servers hold, of which a server or a worker dies at each of its
// collective calls and another thread takes its rank.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <thread>

#include "tasks/rank_ids.h"
#include "tasks/testing/fixed_gang.h"
#include "tasks/testing/train_task.h"

namespace protium {
namespace {

constexpr int32_t kWorkers = 2, kServers = 2, kRanks = kWorkers + kServers;

class TakesOver : public TrainTaskTest {
 protected:
  struct Ended {
    std::string weights;    // Empty: the attempt failed.
    int begun_at = 0;       // Calls of rank 0 before its first step.
    bool finished = false;  // Some rank's task had.
    int taken = 0;
    int calls = 0;  // Of rank 0.
  };

  TakesOver() {
    config_.net.net = {"wide_and_deep", {{"hidden", {8}}, {"dropout", 0.2}, {"embedding", 2}}};
    config_.net.categorical = {{.column = "c", .cardinality = 5},
                               {.column = "b", .cardinality = kAnyId}};
    config_.net.numeric = {"a"};
    config_.train.optimizer = Choice{"rowwise_adagrad", {{"learning_rate", 0.05}}};
    config_.train.epochs = 2;
    config_.train.checkpoint.every_steps = 3;
    config_.servers = kServers;
  }

  // `fates` by member; `spares` further threads wait to take ranks.
  Ended Train(const std::map<int32_t, Fate>& fates, int32_t spares = 1) {
    Fresh("run" + std::to_string(++runs_));
    reports_.emplace();
    const std::vector<Batches> input = Deal(300, kRanks, 0);
    FixedGang gang(kRanks, kRanks + spares);
    std::atomic<int> calls = 0;
    std::atomic<bool> finished = false;
    std::atomic<const FixedMember*> leader = nullptr;
    int begun_at = 0;
    reports_->on_event = [&](const Json& event) {
      if (event["event"] == "train_start") begun_at = leader.load()->calls().made;
    };
    std::vector<std::jthread> threads;
    for (int32_t m = 0; m < kRanks + spares; ++m) {
      threads.emplace_back([&, m] {
        const auto fate = fates.find(m);
        FixedMember member(gang, m, m >= kRanks, fate == fates.end() ? Fate{} : fate->second);
        if (m == 0) leader = &member;
        if (m < kRanks && !member.Enter(Status::OK()).ok()) return member.Leave();
        {
          MemberContext context(member, m, kRanks, Dump(FieldsToJson(config_)), TableSchema(),
                                m < kRanks ? input[size_t(m)] : Batches(), *reports_);
          if (RunTrainTask(context, rows_).ok()) finished = true;
        }
        if (m == 0) calls = member.calls().made;
        member.Leave();
      });
    }
    threads.clear();
    Ended ended{.begun_at = begun_at, .finished = finished, .taken = gang.taken(), .calls = calls};
    if (reports_->emitted.empty()) return ended;
    TrainResult result;
    const auto& column =
        static_cast<const arrow::StringArray&>(*reports_->emitted.at(0)->column(0));
    EXPECT_TRUE(FieldsFromJson(*ParseJson(column.GetView(0)), "", result).ok());
    ended.weights = result.weights_sha256;
    return ended;
  }

 private:
  int runs_ = 0;
};

constexpr Fate::Kind kBefore = Fate::Kind::kDiesBefore, kAfter = Fate::Kind::kDiesAfter,
                     kCut = Fate::Kind::kIsCut;

// What happens at each call: who dies how, and who hears of it before the call's result.
std::vector<std::map<int32_t, Fate::Kind>> AllFates() {
  return {{{1, kBefore}},
          {{3, kBefore}},
          {{2, kAfter}},
          {{2, kAfter}, {0, kCut}},
          {{3, kAfter}, {1, kCut}, {2, kCut}},
          {{1, kAfter}, {0, kCut}, {2, kCut}, {3, kCut}},
          {{2, kAfter}, {0, kCut}, {1, kCut}, {3, kCut}}};
}

TEST_F(TakesOver, AtEachCallToTheSameWeights) {
  const Ended alone = Train({});
  ASSERT_FALSE(alone.weights.empty());
  EXPECT_EQ(alone.taken, 0);
  int taken = 0, again = 0;
  const auto fates = AllFates();
  for (int at = alone.begun_at - 2; at < alone.calls; ++at) {
    // Each call meets two of them; the same call of another step meets others.
    for (const size_t i : {size_t(at) * 2 % fates.size(), (size_t(at) * 2 + 1) % fates.size()}) {
      std::map<int32_t, Fate> now;
      std::string who;
      for (const auto& [member, kind] : fates[i]) {
        now[member] = {kind, at};
        who += fmt::format(" {}:{}", member, int(kind));
      }
      const Ended ended = Train(now);
      taken += ended.taken;
      again += ended.weights.empty() ? 1 : 0;
      if (ended.weights.empty()) {
        EXPECT_TRUE(at < alone.begun_at || ended.finished) << "call " << at << who;
      } else {
        EXPECT_EQ(ended.weights, alone.weights) << "call " << at << who;
      }
    }
  }
  fmt::print("{} calls in training, {} ranks taken, {} begun again\n", alone.calls - alone.begun_at,
             taken, again);
  EXPECT_GT(taken, 4 * again);
}

// The second one takes the rank of the one that took it, or another's.
TEST_F(TakesOver, WhereThoseThatTookARankDieToo) {
  const Ended alone = Train({});
  for (int at = 0; at < 24; at += 2) {
    const int first = alone.begun_at + 3 + at;
    // Its first calls catch up with the others.
    const Ended ended = Train({{3, {kBefore, first}}, {kRanks, {kBefore, at}}}, 2);
    EXPECT_EQ(ended.weights, alone.weights) << at;
    EXPECT_EQ(ended.taken, 2) << at;
  }
}

TEST(SharedIds, AreTheSameWhereTheyAreTaken) {
  for (const bool unread : {false, true}) {
    std::vector<std::vector<int64_t>> epochs;
    if (unread) epochs = {{0, 3, 1}, {}, {7}};
    const auto ids =
        IdTables::Make({{1, 5, ~uint64_t{0}}, {}, {9}}, ~uint64_t{2}, epochs).ValueOrDie();
    const auto taken = TakeIds(ShareIds(*ids).ValueOrDie()).ValueOrDie();
    ASSERT_EQ(taken->columns.size(), 3u);
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_THAT(taken->columns[c].ids(), testing::ElementsAreArray(ids->columns[c].ids()));
    }
    EXPECT_EQ(taken->seed, ids->seed);
    EXPECT_EQ(taken->unread, epochs);
    EXPECT_EQ(taken->columns[0].Find(5), 1);
  }
}

}  // namespace
}  // namespace protium
