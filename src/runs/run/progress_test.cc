// SPDX-License-Identifier: Apache-2.0
#include "run/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/progress_state.h"

namespace protium {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

class ProgressText : public testing::Test {
 protected:
  std::string text_;
  Deadline now_ = Deadline{} + seconds(1000);
  TextOut Out() {
    return [this](std::string_view text) { text_ += text; };
  }
  static Json Step(int step, int epoch, double loss) {
    return {{"event", "step"},    {"step", step}, {"steps", 100},
            {"epoch", epoch},     {"loss", loss}, {"rows_per_second", 410000.0},
            {"wait_share", 0.031}};
  }
};

TEST_F(ProgressText, TheEtlSaysWhatItWaitsFor) {
  ProgressState state;
  const auto line = [&](int64_t held, int64_t spilled, double percent) {
    state.On(
        {{"event", "etl"}, {"rows", 0}, {"percent", percent}, {"held", held}, {"spilled", spilled}},
        now_ += seconds(1));
    return state.Line(now_, false);
  };
  EXPECT_EQ(line(0, 0, 0), "etl      reading tables  0.00 s");
  EXPECT_EQ(line(300'000'000, 0, 20), "etl      reading tables  20%  300MB held  1.0 s");
  EXPECT_EQ(line(800'000'000, 0, 38), "etl      reading tables  38%  800MB held  2.0 s");
  line(800'000'000, 0, 38);
  line(900'000'000, 0, 38);
  EXPECT_EQ(line(1'200'000'000, 0, 38), "etl      sorting and joining  1200MB held  5.0 s");
  EXPECT_EQ(line(1'300'000'000, 400'000'000, 38),
            "etl      sorting and joining  1300MB held, 400MB of it on disk  6.0 s");
  EXPECT_EQ(line(500'000'000, 0, 60), "etl      reading tables  60%  500MB held  7.0 s");
}

TEST_F(ProgressText, TellsEachStepWhereDetailsAreWanted) {
  ProgressState state(true);
  const auto told = [&](const Json& event) {
    const auto lines = state.On(event, now_ += seconds(2));
    return lines.empty() ? std::string() : lines.back();
  };
  EXPECT_EQ(told({{"event", "start"}}), "");
  EXPECT_EQ(told({{"event", "etl_done"}, {"rows", 30000}}),
            "rows     30,000 rows to learn from are kept  +2.0 s");
  EXPECT_EQ(told({{"event", "gang_start"},
                  {"task", "train"},
                  {"ranks", {{{"host", "a"}}, {{"host", "a"}}, {{"host", "b"}}}}}),
            "gang     train: 3 workers on a, b  +2.0 s");
  EXPECT_EQ(told({{"event", "epoch"}, {"epoch", 2}, {"loss", 0.5}}),
            "epoch    2  loss 0.5  +2.0 s");
  EXPECT_EQ(told({{"event", "checkpoint"}, {"step", 1100}}),
            "saved    a checkpoint at step 1,100  +2.0 s");
  told({{"event", "train_start"}, {"rows", 9}, {"steps", 4}, {"epochs", 4}, {"trees", true}});
  EXPECT_EQ(told({{"event", "epoch"}, {"epoch", 2}, {"loss", 0.5}}),
            "round    2  loss 0.5  +2.0 s");
  told(Step(7, 1, 0.5));  // Ends the phase before, and has no line of its own.
  EXPECT_EQ(told({{"event", "checkpoint"}, {"step", 1200}}),
            "saved    a checkpoint at round 1,200  +4.0 s");
}

// A part's time counts only where it belongs: reading the job not to ETL, starting ranks not to the
// fit, scoring not to training.
TEST_F(ProgressText, TellsOfEachPhaseTheTimeOfItsParts) {
  ProgressState state;
  std::vector<std::string> told;
  const auto after = [&](double passed, const Json& event) {
    now_ += milliseconds(int(passed * 1000));
    for (const std::string& line : state.On(event, now_)) told.push_back(line);
  };
  after(0, {{"event", "start"}, {"run", "a"}});
  after(0.5, {{"event", "pipeline"}, {"pipeline", Json::array()}});
  after(1, {{"event", "etl_done"}, {"rows", 4000}});
  after(0, {{"event", "fit"}, {"stage", "scale"}, {"level", 1}});
  after(0.25,
        {{"event", "gang_start"}, {"task", "train"}, {"role", "train"}, {"ranks", Json::array()}});
  EXPECT_EQ(state.Line(now_, false), "train    starting workers  0.00 s");
  after(3, {{"event", "train_start"}, {"rows", 100}, {"steps", 20}, {"epochs", 2}});
  after(2, Step(20, 2, 0.5));
  after(0, {{"event", "score_start"}});
  after(0.75, {{"event", "score_metrics"}, {"rows", 50}});
  for (const std::string& line : state.Finish(now_)) told.push_back(line);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0], "etl      4,000 rows  1.0 s");
  EXPECT_EQ(told[1], "fit      scale  0.25 s");
  EXPECT_THAT(told[2], HasSubstr("  5.0 s"));
  EXPECT_EQ(told[3], "score    50 rows  0.75 s");
}

TEST_F(ProgressText, TakesNoTaskOfAProgramForTraining) {
  ProgressState state;
  state.On({{"event", "etl"}, {"rows", 7}}, now_);
  state.On({{"event", "gang_start"}, {"task", "train_trams"}, {"role", "map"}}, now_);
  state.On({{"event", "reported"}, {"name", "step"}, {"value", {{"step", 7}}}}, now_);
  EXPECT_THAT(state.Line(now_, false), testing::StartsWith("etl      7 rows"));
}

TEST_F(ProgressText, HasOneLineATrialWithTheBestSoFar) {
  ProgressState state;
  const auto start = [&](int trial) {
    const Json event = {{"event", "trial_start"}, {"trial", trial}, {"trials", 12}};
    EXPECT_TRUE(state.On(event, now_).empty());
  };
  const auto end = [&](Json event) {
    event["event"] = "trial";
    event["trials"] = 12;
    event["metric"] = "rmse";
    event["seconds"] = 2.0;
    event["values"] = "rate 0.01";
    return state.On(event, now_ += seconds(4)).back();
  };
  start(1);
  start(2);
  EXPECT_EQ(state.Line(now_, false), "search   0/12 trials  2 running  0.00 s");
  EXPECT_EQ(end({{"trial", 2}, {"value", 14.125}, {"best", 2}, {"best_value", 14.125}}),
            "trial     2/12  rmse 14.125  rate 0.01  2.0 s  the best so far");
  EXPECT_EQ(end({{"trial", 1},
                 {"value", 15.0},
                 {"deviation", 0.25},
                 {"best", 2},
                 {"best_value", 14.125}}),
            "trial     1/12  rmse 15 +- 0.25  rate 0.01  2.0 s  best: rmse 14.125 in trial 2");
  EXPECT_EQ(end({{"trial", 3}, {"error", "it broke"}, {"best", 2}, {"best_value", 14.125}}),
            "trial     3/12  failed: it broke  rate 0.01  2.0 s  best: rmse 14.125 in trial 2");
  EXPECT_EQ(state.Line(now_, false),
            "search   3/12 trials  best: rmse 14.125 in trial 2  12 s  about 45 s left");
  EXPECT_EQ(state.percent(), 25);
}

TEST_F(ProgressText, ShowsControlSequencesOfOthersInsteadOfSendingThem) {
  for (const bool live : {false, true}) {
    text_.clear();
    ProgressLines lines({.live = live, .width = 80}, Out());
    lines.On({{"event", "warning"}, {"message", "column \"\x1b]0;owned\x07\""}}, now_);
    lines.On({{"event", "fit"}, {"stage", "a\x1b[2J"}}, now_);
    lines.Tick(now_);
    lines.Close(now_);
    EXPECT_THAT(text_, HasSubstr("column \"\\u001b]0;owned\\u0007\""));
    EXPECT_THAT(text_, HasSubstr("a\\u001b[2J"));
    EXPECT_THAT(text_, Not(HasSubstr("\x1b]")));
    EXPECT_THAT(text_, Not(HasSubstr("\x1b[2J")));
  }
}

TEST_F(ProgressText, ThroughAPipeIsALineForEveryTenPercentWithoutEscapes) {
  ProgressLines lines({}, Out());
  lines.On({{"event", "etl"}, {"rows", 32735}, {"percent", 100}}, now_);
  lines.On({{"event", "train_start"}, {"rows", 20000}, {"steps", 100}}, now_ += seconds(1));
  for (int step = 1; step <= 100; ++step) {
    lines.On(Step(step, 1 + step / 10, 1.0 / step), now_ += milliseconds(10));
  }
  lines.Close(now_);
  EXPECT_EQ(std::count(text_.begin(), text_.end(), '\n'), 11) << text_;
  EXPECT_THAT(text_, HasSubstr("etl      32,735 rows  1.0 s\n"));
  EXPECT_THAT(text_, HasSubstr("step 30/100  loss 0.03333  410k rows/s  waiting 3%"));
  EXPECT_THAT(text_, Not(HasSubstr("\r")));
  EXPECT_THAT(text_, Not(HasSubstr("\x1b")));
}

TEST_F(ProgressText, ThroughAPipeIsNotRepeatedBehindANote) {
  ProgressLines lines({}, Out());
  lines.On({{"event", "train_start"}, {"rows", 20000}, {"steps", 100}}, now_);
  lines.On(Step(40, 1, 0.5), now_ += seconds(1));
  EXPECT_THAT(text_, HasSubstr("step 40/100"));
  lines.On({{"event", "note"}, {"message", "training ends early"}}, now_);
  EXPECT_THAT(text_, testing::EndsWith("training ends early\n"));
}

TEST_F(ProgressText, ThroughAPipeSpeaksEveryThirtySecondsWhenSlow) {
  ProgressLines lines({}, Out());
  lines.On({{"event", "train_start"}, {"rows", 10}, {"steps", 1000000}}, now_);
  for (int i = 0; i < 100; ++i) lines.Tick(now_ += seconds(1));
  EXPECT_EQ(std::count(text_.begin(), text_.end(), '\n'), 3) << text_;
}

TEST_F(ProgressText, OnATerminalRedrawsOneLineThatFits) {
  ProgressLines lines({.live = true, .color = false, .unicode = true, .width = 40}, Out());
  lines.On({{"event", "train_start"}, {"rows", 10}, {"steps", 100}}, now_);
  lines.On(Step(1, 1, 0.5), now_);
  lines.On(Step(50, 2, 0.25), now_ += seconds(5));
  lines.Tick(now_);
  EXPECT_EQ(text_, "\rtrain    epoch 2  step 50/100  loss ...\x1b[K");
  EXPECT_EQ(text_.find('\n'), std::string::npos);
  text_.clear();
  lines.Tick(now_);
  EXPECT_EQ(text_, "");
  lines.Close(now_);
  EXPECT_THAT(text_, testing::StartsWith("\r\x1b[Ktrain    50 steps"));
  EXPECT_THAT(text_, testing::EndsWith("\n"));
}

TEST_F(ProgressText, SaysHowLongItMayStillTake) {
  ProgressState state;
  state.On({{"event", "train_start"}, {"rows", 10}, {"steps", 100}, {"epochs", 4}}, now_);
  state.On(Step(1, 1, 0.5), now_);
  state.On({{"event", "validation"}, {"epoch", 1}, {"step", 9}, {"rmse", 17.123}, {"rank", 0}},
           now_);
  state.On(Step(51, 2, 0.25), now_ += seconds(10));
  const std::string line = state.Line(now_, true);
  EXPECT_THAT(line, HasSubstr("epoch 2/4"));
  EXPECT_THAT(line, HasSubstr("rmse 17.12"));
  EXPECT_THAT(line, Not(HasSubstr("rank")));
  EXPECT_THAT(line, HasSubstr("█▁"));
  EXPECT_THAT(line, HasSubstr("about 10 s left"));
}

TEST_F(ProgressText, ShowsTheLossOfEachEpochThatEnded) {
  ProgressLines lines({}, Out());
  lines.On({{"event", "train_start"}, {"rows", 9}, {"steps", 100}, {"epochs", 4}}, now_);
  lines.On(Step(1, 1, 0.9), now_);
  for (int epoch = 1; epoch <= 4; ++epoch) {
    lines.On({{"event", "validation"}, {"epoch", epoch}, {"step", 25 * epoch}, {"rmse", 9 - epoch}},
             now_);
    lines.On({{"event", "epoch"}, {"epoch", epoch}, {"step", 25 * epoch}, {"loss", 0.5 / epoch}},
             now_);
  }
  lines.Close(now_);
  EXPECT_THAT(text_, HasSubstr("epoch 1/4  step 25/100  loss 0.5  rmse 8"));
  EXPECT_THAT(text_, HasSubstr("epoch 2/4  step 50/100  loss 0.25  rmse 7"));
  EXPECT_THAT(text_, HasSubstr("100 steps on 9 rows  last epoch: loss 0.125 validation rmse 5"));
}

TEST_F(ProgressText, CountsRoundsOfTrees) {
  ProgressLines lines({}, Out());
  lines.On({{"event", "train_start"}, {"rows", 9}, {"steps", 4}, {"epochs", 4}, {"trees", true}},
           now_);
  for (int round = 1; round <= 4; ++round) {
    lines.On({{"event", "epoch"}, {"epoch", round}, {"step", round}, {"loss", 0.5 / round}}, now_);
  }
  lines.Close(now_);
  EXPECT_THAT(text_, HasSubstr("train    round 2/4  loss 0.25"));
  EXPECT_THAT(text_, HasSubstr("4 rounds on 9 rows  loss 0.125"));
  EXPECT_THAT(text_, Not(HasSubstr("epoch")));
}

TEST_F(ProgressText, CallsNoEpochWhatBrokeOff) {
  ProgressLines lines({}, Out());
  lines.On({{"event", "train_start"}, {"rows", 9}, {"steps", 100}, {"epochs", 4}}, now_);
  lines.On(Step(1, 1, 0.5), now_);
  lines.Close(now_);
  EXPECT_THAT(text_, HasSubstr("train    1 step on 9 rows  loss 0.5"));
}

TEST_F(ProgressText, LeavesOutTheLesserPartsOnANarrowTerminal) {
  ProgressState state;
  state.On({{"event", "train_start"}, {"rows", 10}, {"steps", 100}, {"epochs", 4}}, now_);
  state.On(Step(1, 1, 0.5), now_);
  state.On({{"event", "validation"}, {"epoch", 1}, {"step", 9}, {"rmse", 17.1}, {"mae", 9.1}},
           now_);
  state.On(Step(51, 2, 0.25), now_ += seconds(10));
  EXPECT_EQ(state.Line(now_, true),
            "train    epoch 2/4  step 51/100  loss 0.25 █▁  rmse 17.1 mae 9.1  410k rows/s"
            "  waiting 3%  about 10 s left");
  EXPECT_EQ(state.Line(now_, true, 84),
            "train    epoch 2/4  step 51/100  loss 0.25  rmse 17.1  410k rows/s  about 10 s left");
  EXPECT_EQ(state.Line(now_, true, 62),
            "train    epoch 2/4  step 51/100  loss 0.25  about 10 s left");
}

TEST_F(ProgressText, CountsTheEtlFromTheStartAndIsSilentWhenNothingCameOfIt) {
  ProgressLines lines({}, Out());
  lines.On({{"event", "start"}}, now_);
  lines.Close(now_ += seconds(1));
  EXPECT_EQ(text_, "");
  lines.On({{"event", "start"}}, now_);
  lines.On({{"event", "etl_done"}, {"rows", 1000}}, now_ += seconds(2));
  lines.Close(now_);
  EXPECT_EQ(text_, "etl      1,000 rows  2.0 s\n");
}

TEST_F(ProgressText, SaysWhichRunMadeTheRowsIfThisOneTookThem) {
  ProgressLines lines({}, Out());
  lines.On({{"event", "start"}}, now_);
  lines.On({{"event", "table_taken"}, {"name", "sample"}, {"run", "other"}}, now_);
  lines.On({{"event", "table_taken"}, {"name", "etl"}, {"run", "flights-1"}}, now_);
  lines.On({{"event", "etl_done"}, {"rows", 1000}}, now_ += milliseconds(20));
  lines.Close(now_);
  EXPECT_EQ(text_, "etl      kept from flights-1, 1,000 rows  0.02 s\n");
}

TEST_F(ProgressText, ShowsRestartsForGood) {
  ProgressLines lines({.live = true, .width = 80}, Out());
  lines.On({{"event", "restart"}, {"attempt", 1}, {"cause", "rank 1: signal 9"}}, now_);
  EXPECT_EQ(text_, "restart  rank 1: signal 9\n");
}

TEST(Numbers, AreShortAndGrouped) {
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(Grouped(-123), "-123");
  EXPECT_EQ(Figure(60770.4, 4), "60,770");
  EXPECT_EQ(Figure(-9999.6, 4), "-10,000");
  EXPECT_EQ(Figure(9999.4, 4), "9999");
  EXPECT_EQ(Figure(40.1578, 4), "40.16");
  EXPECT_EQ(Figure(0.000012, 4), "1.2e-05");
  EXPECT_EQ(Figure(1e300, 4), "1e+300");
  EXPECT_EQ(Figure(std::nan(""), 4), "nan");
  EXPECT_EQ(Short(410321), "410k");
  EXPECT_EQ(Short(12.3e6), "12M");
  EXPECT_EQ(Seconds(0.414), "0.41 s");
  EXPECT_EQ(Seconds(200), "3 min 20 s");
  EXPECT_EQ(RoughSeconds(3.2), "about 5 s");
  EXPECT_EQ(CutToWidth("▁▂▃▄▅", 4), "▁...");
}

}  // namespace protium
