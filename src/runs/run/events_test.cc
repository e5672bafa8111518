// SPDX-License-Identifier: Apache-2.0
#include "events/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(RunView, KeepsTheLastWordOnEachStepAndEpoch) {
  const RunView view = MakeRunView({{{"event", "start"}, {"run", "a"}},
                                    {{"event", "train_start"}, {"steps", 20}, {"epochs", 2}},
                                    {{"event", "step"}, {"step", 5}, {"epoch", 1}, {"loss", 0.5}},
                                    {{"event", "validation"}, {"epoch", 1}, {"rmse", 3.0}},
                                    {{"event", "checkpoint"}, {"step", 5}},
                                    {{"event", "restart"}, {"cause", "signal 9"}},
                                    {{"event", "step"}, {"step", 5}, {"epoch", 1}, {"loss", 0.25}},
                                    {{"event", "validation"}, {"epoch", 1}, {"rmse", 2.0}},
                                    {{"event", "epoch"}, {"epoch", 1}, {"step", 10}, {"loss", 0.2}},
                                    {{"event", "end"}, {"state", "done"}}});
  EXPECT_TRUE(view.began);
  EXPECT_EQ(view.step, 10);
  EXPECT_EQ(view.steps, 20);
  EXPECT_EQ(view.checkpoint, 5);
  EXPECT_THAT(view.loss_by_step, ElementsAre(Pair(5, 0.25)));
  EXPECT_THAT(view.validation.at("rmse"), ElementsAre(Pair(1, 2.0)));
  EXPECT_THAT(view.epoch_losses, ElementsAre(0.2));
  EXPECT_THAT(view.restarts, ElementsAre(5));
  EXPECT_EQ(view.ended, "done");
}

TEST(RunView, CountsEpochsInWhichNoStepReported) {
  const RunView view =
      MakeRunView({{{"event", "step"}, {"step", 1}, {"epoch", 1}, {"loss", 0.5}},
                   {{"event", "epoch"}, {"epoch", 1}, {"step", 10}, {"loss", 0.4}},
                   {{"event", "epoch"}, {"epoch", 2}, {"step", 20}, {"loss", 0.3}}});
  EXPECT_THAT(view.epoch_losses, ElementsAre(0.4, 0.3));
}

TEST(RunView, HasNotBegunBeforeAnythingRan) {
  EXPECT_FALSE(MakeRunView({{{"event", "start"}}, {{"event", "pipeline"}}}).began);
  EXPECT_TRUE(MakeRunView({{{"event", "start"}}, {{"event", "etl"}}}).began);
}

}  // namespace
}  // namespace protium
