// SPDX-License-Identifier: Apache-2.0
#include "page/story.h"

#include <gtest/gtest.h>

#include "run/event_log.h"

namespace protium {
namespace {

Json At(const char* clock, Json event) {
  event["time"] = std::string("2026-01-31T08:") + clock + "Z";
  return event;
}

TEST(StoryOfARun, WhatGoesOnHasNoEndAndGrows) {
  RunStory story;
  story.On(At("00:00.000", {{"event", "start"}, {"run", "a"}}));
  const double now = *ReadTimeText("2026-01-31T08:01:00.000Z");
  const Json overview = story.Overview(now);
  EXPECT_FALSE(overview["parts"][0].contains("ended"));
  EXPECT_DOUBLE_EQ(overview["parts"][0]["seconds"].get<double>(), 60);
  EXPECT_NE(overview["now"].get<std::string>().find("etl"), std::string::npos);
}

TEST(StoryOfARun, EventsOfAnyShapeAreTaken) {
  RunStory story;
  for (const char* event :
       {R"({})", R"({"event":7})", R"({"event":"step","step":"x","loss":[]})",
        R"({"event":"gang_start","ranks":{"a":1}})",
        R"({"event":"gang_start","ranks":[1,{"rank":"x"}],"attempt":[]})",
        R"({"event":"note","message":3})", R"({"event":"unknown","deep":{"er":[1]}})",
        R"({"event":"output"})", R"({"event":"restart","cause":null})",
        R"({"event":"step","time":"soon"})"}) {
    story.On(*ParseJson(event));
  }
  EXPECT_EQ(story.Overview(0)["counts"]["events"], 10);
}

TEST(StoryOfARun, AForestIsToldByRounds) {
  RunStory nets, trees;
  Json started = {{"event", "train_start"}, {"rows", 9}, {"steps", 3}, {"epochs", 3}, {"step", 0}};
  nets.On(started);
  started["trees"] = true;
  trees.On(started);
  EXPECT_EQ(nets.Curves(10)["x"], "step");
  EXPECT_EQ(trees.Curves(10)["x"], "round");
  EXPECT_FALSE(nets.Overview(0)["progress"].contains("trees"));
  EXPECT_EQ(trees.Overview(0)["progress"]["trees"], true);
}

TEST(StoryOfARun, ManyMessagesAreCountedBeyondWhatIsKept) {
  RunStory story;
  for (int i = 0; i < 2500; ++i) story.On({{"event", "note"}, {"message", "again"}});
  const Json overview = story.Overview(0);
  EXPECT_EQ(overview["messages"].size(), 2000u);
  EXPECT_EQ(overview["counts"]["left_out"], 500);
}

}  // namespace
}  // namespace protium
