// SPDX-License-Identifier: Apache-2.0
#include "search/asked_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

AskedSearch Opened(const char* options) {
  auto opened = OpenAsked(*ParseJson(options));
  EXPECT_TRUE(opened.ok()) << opened.status();
  return *std::move(opened);
}

TEST(AskedLines, AskTellAndShowTheTable) {
  AskedSearch search = Opened(
      R"({"trials": 2, "seed": 4, "space": {"x": {"uniform": [0, 1]}}, "method": "random"})");
  const Json first = AnswerLine(search, R"({"ask": {}})");
  EXPECT_EQ(first["trial"], 1);
  EXPECT_TRUE(first["values"]["x"].is_number()) << first;
  EXPECT_EQ(Dump(AnswerLine(search, R"({"tell": {"trial": 1, "value": 0.5}})")),
            R"({"trial":1,"best":1})");
  EXPECT_EQ(AnswerLine(search, R"({"ask": {}})")["trial"], 2);
  EXPECT_EQ(Dump(AnswerLine(search, R"({"tell": {"trial": 2, "error": "it broke"}})")),
            R"({"trial":2,"best":1})");
  EXPECT_EQ(Dump(AnswerLine(search, R"({"ask": {}})")), R"({"trial":null})");
  const Json table = AnswerLine(search, R"({"table": {}})");
  EXPECT_EQ(table["trials"][1]["state"], "failed");
  EXPECT_EQ(table["trials"][1]["error"], "it broke");
}

TEST(AskedLines, SayWhetherATrialShouldBePruned) {
  AskedSearch search = Opened(R"({"trials": 2, "space": {"x": [1, 2]}, "prune": "asha"})");
  for (int i = 0; i < 2; ++i) (void)AnswerLine(search, R"({"ask": {}})");
  EXPECT_EQ(Dump(AnswerLine(search, R"({"report": {"trial": 1, "step": 1, "value": 0.1}})")),
            R"({"trial":1,"should_prune":false})");
  EXPECT_EQ(Dump(AnswerLine(search, R"({"report": {"trial": 2, "step": 1, "value": 0.9}})")),
            R"({"trial":2,"should_prune":true})");
  EXPECT_EQ(AnswerLine(search, R"({"should_prune": {"trial": 2}})")["should_prune"], true);
}

TEST(AskedLines, AnswerWhatIsNoRequestWithItsError) {
  AskedSearch search = Opened(R"({"trials": 3, "space": {"x": [1, 2, 3]}})");
  for (const char* wrong :
       {"", "{", "7", "[]", "{}", R"({"ask": {}, "tell": {}})", R"({"ask": 3})", R"({"asks": {}})",
        R"({"ask": {"n": 1}})", R"({"tell": {}})", R"({"tell": {"trial": "one", "value": 1}})",
        R"({"tell": {"trial": 1, "value": 1}})", R"({"tell": {"trial": 1e99, "value": 1}})",
        R"({"report": {"trial": 1, "step": 1}})", R"({"should_prune": {"trial": 0}})",
        "\xff\xfe"}) {
    const Json answer = AnswerLine(search, wrong);
    ASSERT_TRUE(answer.contains("error")) << wrong << answer;
    EXPECT_FALSE(TextAt(answer["error"], "what").empty()) << wrong;
  }
  EXPECT_EQ(AnswerLine(search, R"({"ask": {}})")["trial"], 1) << "nothing has changed";
}

TEST(AskedLines, TellSeveralMetricsByName) {
  AskedSearch search = Opened(R"({"trials": 4, "metric": ["auc", "cost"], "higher_is_better": "auc",
    "require": ["cost < 9"], "space": {"x": [1, 2, 3, 4]}, "method": "grid", "choose": "first"})");
  const auto tell = [&](int trial, double auc, double cost) {
    (void)AnswerLine(search, R"({"ask": {}})");
    return AnswerLine(
        search, Dump({{"tell", {{"trial", trial}, {"measured", {{"auc", auc}, {"cost", cost}}}}}}));
  };
  EXPECT_EQ(tell(1, 0.9, 12)["best"], nullptr) << "it breaks what is required";
  EXPECT_EQ(tell(2, 0.7, 2)["best"], 2);
  EXPECT_EQ(tell(3, 0.8, 5)["best"], 3);
  EXPECT_EQ(tell(4, 0.6, 6)["best"], 3);
  const Json table = AnswerLine(search, R"({"table": {}})");
  EXPECT_EQ(Dump(table["front"]), "[2,3]");
  EXPECT_NEAR(table["trials"][0]["violation"].get<double>(), 1 / 3.0, 1e-12);
  for (const char* wrong : {R"({"tell": {"trial": 1, "value": 1}})",
                            R"({"tell": {"trial": 1, "measured": {"auc": 1}}})",
                            R"({"tell": {"trial": 1, "measured": {"auc": "high", "cost": 1}}})"}) {
    EXPECT_TRUE(AnswerLine(search, wrong).contains("error")) << wrong;
  }
}

TEST(AskedLines, RefuseDirectionsOfMetricsThatAreNotCompared) {
  const auto opened =
      OpenAsked(*ParseJson(R"({"space": {"x": [1]}, "higher_is_better": ["auc"]})"));
  EXPECT_THAT(FaultOf(opened.status()).what, HasSubstr("\"auc\""));
}

}  // namespace
}  // namespace protium
