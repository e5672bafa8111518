// SPDX-License-Identifier: Apache-2.0
#include "run/phases.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

Json At(const char* clock, Json event) {
  event["time"] = std::string("2026-01-31T08:") + clock + "Z";
  return event;
}

double SecondsIn(const RunPart& part) { return (part.ended - part.began) / 1000; }

TEST(PartsOfARun, HaveTheirTimesAndRows) {
  RunPhases parts;
  for (const Json& event :
       {At("00:00.000", {{"event", "start"}, {"run", "a"}}),
        At("00:00.500", {{"event", "pipeline"}, {"pipeline", Json::array()}}),
        At("00:02.000", {{"event", "etl_done"}, {"rows", 4000}}),
        At("00:02.500", {{"event", "fit"}, {"stage", "scale"}, {"level", 1}}),
        At("00:03.000", {{"event", "gang_start"}, {"task", "train"}, {"ranks", Json::array()}}),
        At("00:05.000", {{"event", "train_start"}, {"rows", 100}, {"steps", 20}, {"epochs", 2}}),
        At("00:06.000", {{"event", "step"}, {"step", 20}, {"steps", 20}, {"epoch", 2}}),
        At("00:06.500", {{"event", "lanes"}, {"step", 20}}),
        At("00:07.500", {{"event", "score_start"}}),
        At("00:08.000", {{"event", "score_metrics"}, {"rows", 50}}),
        At("00:09.000", {{"event", "end"}, {"state", "done"}})}) {
    parts.On(event);
  }
  const std::vector<std::tuple<std::string, double, int64_t>> expected = {
      {"prepare", 0.5, 0},   {"etl", 2, 4000},    {"fit", 0.5, 0},
      {"start ranks", 2, 0}, {"train", 2.5, 200}, {"score", 1.5, 50}};
  ASSERT_EQ(parts.parts().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const RunPart& part = parts.parts()[i];
    EXPECT_EQ(std::tuple(std::string(part.name()), SecondsIn(part), part.rows), expected[i]);
    EXPECT_TRUE(part.over);
  }
}

// On GPUs a gang does the scoring, and its ranks start for it.
TEST(PartsOfARun, AGangThatScoresBelongsToScoring) {
  RunPhases parts;
  parts.On(At("00:00.000", {{"event", "start"}, {"run", "a"}}));
  parts.On(At("00:01.000", {{"event", "gang_start"}, {"task", "score"}, {"role", "score"}}));
  parts.On(At("00:02.000", {{"event", "gang_start"}, {"task", "score_cards"}, {"role", "map"}}));
  parts.On(At("00:03.000", {{"event", "gang_start"}, {"task", "train_trams"}, {"role", "map"}}));
  ASSERT_EQ(parts.parts().size(), 2u);
  EXPECT_EQ(parts.parts()[1].phase, Phase::kScore);
}

// A gang of a release without roles.
TEST(PartsOfARun, OldFilesTellAGangByItsName) {
  RunPhases parts;
  parts.On(At("00:00.000", {{"event", "gang_start"}, {"task", "train_torch"}}));
  parts.On(At("00:01.000", {{"event", "gang_start"}, {"task", "score_torch"}}));
  ASSERT_EQ(parts.parts().size(), 2u);
  EXPECT_EQ(parts.parts()[0].phase, Phase::kStart);
  EXPECT_EQ(parts.parts()[1].phase, Phase::kScore);
}

TEST(PartsOfARun, AQueryThatIsWrittenIsNoScoring) {
  RunPhases parts;
  parts.On(At("00:00.000", {{"event", "etl"}, {"rows", 5}}));
  parts.On(At("00:01.000", {{"event", "output"}, {"path", "a.csv"}, {"rows", 5}}));
  ASSERT_EQ(parts.parts().size(), 1u);
  EXPECT_EQ(parts.parts()[0].phase, Phase::kEtl);
}

TEST(PartsOfARun, TimeBetweenTwoCommandsIsNobodys) {
  RunPhases parts;
  parts.On(At("00:00.000", {{"event", "start"}, {"run", "a"}}));
  parts.On(At("00:01.000", {{"event", "note"}, {"message", "last sign of life"}}));
  parts.On(At("30:00.000", {{"event", "start"}, {"run", "a"}, {"resumed", true}}));
  parts.On(At("30:02.000", {{"event", "end"}, {"state", "stopped"}}));
  ASSERT_EQ(parts.parts().size(), 2u);
  EXPECT_DOUBLE_EQ(SecondsIn(parts.parts()[0]), 1);
  EXPECT_DOUBLE_EQ(SecondsIn(parts.parts()[1]), 2);
}

}  // namespace
}  // namespace protium
