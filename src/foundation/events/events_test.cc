// SPDX-License-Identifier: Apache-2.0
#include "events/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::Pair;

template <class E>
E As(const Json& json) {
  const Event event = EventFromJson(json);
  EXPECT_TRUE(std::holds_alternative<E>(event)) << Dump(json);
  return std::holds_alternative<E>(event) ? std::get<E>(event) : E();
}

TEST(Events, AreReadAsTheyAreWritten) {
  const StepDone step{.step = 7, .steps = 9, .epoch = 2, .loss = 0.5, .rows_per_second = 10};
  const Json json = EventToJson(step);
  EXPECT_EQ(json["event"], "step");
  EXPECT_TRUE(FieldsEqual(As<StepDone>(json), step));
  const GangPlaced gang{.task = "train", .attempt = 1, .ranks = {{.rank = 1, .host = "a"}}};
  EXPECT_TRUE(FieldsEqual(As<GangPlaced>(EventToJson(gang)), gang));
}

TEST(Events, OfOtherReleasesAreRead) {
  const auto gang = As<GangPlaced>(
      {{"event", "gang_start"}, {"task", 7}, {"ranks", {{{"rank", 3}, {"cores", 2}}, "x"}}});
  EXPECT_EQ(gang.task, "");
  ASSERT_EQ(gang.ranks.size(), 1u);
  EXPECT_EQ(gang.ranks[0].rank, 3);
  EXPECT_EQ(As<StepDone>({{"event", "step"}, {"step", 7.0}, {"new", true}}).step, 7);
  EXPECT_FALSE(As<EtlProgress>({{"event", "etl"}, {"percent", nullptr}}).percent);
  EXPECT_EQ(As<OtherEvent>({{"event", "sent"}, {"bytes", 1}}).name, "sent");
  EXPECT_EQ(As<OtherEvent>({{"event", 7}}).name, "");
  EXPECT_EQ(As<OtherEvent>(Json::array()).name, "");
}

TEST(Events, OfAValidationHaveItsMetricsInTheirOrder) {
  const auto event = As<Validated>({{"event", "validation"},
                                    {"epoch", 1},
                                    {"step", 9},
                                    {"rmse", 17.5},
                                    {"mae", 9},
                                    {"rank", 0},
                                    {"time", "now"}});
  EXPECT_THAT(event.metrics, ElementsAre(Pair("rmse", 17.5), Pair("mae", 9.0)));
}

// Nothing that a program's own task reports is mistaken for an event of ours.
TEST(Events, OfATasksOwnNameAreReported) {
  const Json json = EventToJson(Reported{.name = "checkpoint", .value = R"({"step":3})"});
  EXPECT_EQ(Dump(json), R"({"event":"reported","name":"checkpoint","value":{"step":3}})");
  const auto event = As<Reported>(json);
  EXPECT_EQ(event.name, "checkpoint");
  EXPECT_EQ(event.value, R"({"step":3})");
}

TEST(Events, OfAGangBeforeRolesHaveTheirs) {
  EXPECT_EQ(As<GangPlaced>({{"event", "gang_start"}, {"task", "score_torch"}}).role,
            TaskRole::kScore);
  EXPECT_EQ(As<GangPlaced>({{"event", "gang_start"}, {"task", "train_trams"}}).role,
            TaskRole::kMap);
  EXPECT_EQ(As<GangPlaced>({{"event", "gang_start"}, {"task", "mine"}, {"role", "train"}}).role,
            TaskRole::kTrain);
}

}  // namespace
}  // namespace protium
