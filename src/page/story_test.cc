// SPDX-License-Identifier: Apache-2.0
#include "page/story.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

Json At(const char* clock, Json event) {
  event["time"] = std::string("2026-01-31T08:") + clock + "Z";
  return event;
}

TEST(StoryOfARun, PartsHaveTheirTimesAndRows) {
  RunStory story;
  story.On(At("00:00.000", {{"event", "start"}, {"run", "a"}}));
  story.On(At("00:00.500", {{"event", "pipeline"}, {"pipeline", Json::array()}}));
  story.On(At("00:02.000", {{"event", "etl_done"}, {"rows", 4000}}));
  story.On(At("00:02.500", {{"event", "fit"}, {"stage", "scale"}, {"level", 1}}));
  story.On(At("00:03.000", {{"event", "gang_start"}, {"task", "train"}, {"ranks", Json::array()}}));
  story.On(
      At("00:05.000", {{"event", "train_start"}, {"rows", 100}, {"steps", 20}, {"epochs", 2}}));
  story.On(
      At("00:06.000", {{"event", "step"}, {"step", 20}, {"steps", 20}, {"epoch", 2}, {"loss", 1}}));
  story.On(At("00:08.000", {{"event", "score_metrics"}, {"rows", 50}}));
  story.On(At("00:09.000", {{"event", "end"}, {"state", "done"}}));
  const Json parts = story.Overview(0)["parts"];
  ASSERT_EQ(parts.size(), 6u);
  const std::vector<std::tuple<std::string, double, Json>> expected = {
      {"prepare", 0.5, {}},   {"etl", 2, 4000},  {"fit", 0.5, {}},
      {"start ranks", 2, {}}, {"train", 1, 200}, {"score", 3, 50}};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(parts[i]["name"], std::get<0>(expected[i]));
    EXPECT_DOUBLE_EQ(parts[i]["seconds"].get<double>(), std::get<1>(expected[i])) << parts[i];
    EXPECT_EQ(parts[i].value("rows", Json()), std::get<2>(expected[i])) << parts[i];
  }
}

TEST(StoryOfARun, WhatGoesOnHasNoEndAndGrows) {
  RunStory story;
  story.On(At("00:00.000", {{"event", "start"}, {"run", "a"}}));
  const double now = *ReadTime("2026-01-31T08:01:00.000Z");
  const Json overview = story.Overview(now);
  EXPECT_FALSE(overview["parts"][0].contains("ended"));
  EXPECT_DOUBLE_EQ(overview["parts"][0]["seconds"].get<double>(), 60);
  EXPECT_NE(overview["now"].get<std::string>().find("etl"), std::string::npos);
}

TEST(StoryOfARun, TimeBetweenTwoCommandsIsNobodys) {
  RunStory story;
  story.On(At("00:00.000", {{"event", "start"}, {"run", "a"}}));
  story.On(At("00:01.000", {{"event", "etl_done"}, {"rows", 1}}));
  story.On(At("30:00.000", {{"event", "start"}, {"run", "a"}, {"resumed", true}}));
  story.On(At("30:02.000", {{"event", "end"}, {"state", "stopped"}}));
  const Json parts = story.Overview(0)["parts"];
  ASSERT_EQ(parts.size(), 3u);  // The first command's preparing and etl, the second's preparing.
  EXPECT_DOUBLE_EQ(parts[1]["ended"].get<double>() - parts[0]["began"].get<double>(), 1000);
  EXPECT_DOUBLE_EQ(parts[2]["seconds"].get<double>(), 2);
}

TEST(StoryOfARun, EventsOfAnyShapeAreTaken) {
  RunStory story;
  for (const char* event :
       {R"({})", R"({"event":7})", R"({"event":"step","step":"x","loss":[]})",
        R"({"event":"gang_start","ranks":{"a":1}})", R"({"event":"note","message":3})",
        R"({"event":"unknown","deep":{"er":[1]}})", R"({"event":"output"})",
        R"({"event":"restart","cause":null})", R"({"event":"step","time":"soon"})"}) {
    story.On(*ParseJson(event));
  }
  EXPECT_EQ(story.Overview(0)["counts"]["events"], 9);
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
