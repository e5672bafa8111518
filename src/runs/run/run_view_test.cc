// SPDX-License-Identifier: Apache-2.0
#include "run/run_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/events.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::Pair;

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
