// SPDX-License-Identifier: Apache-2.0
#include "page/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "model/testing/forest_folder.h"
#include "page/api.h"
#include "page/assets.h"
#include "page/testing/test_runs.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

// Returns the text between two others.
std::string Between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t begin = text.find(before);
  if (begin == text.npos) return "nothing begins with " + before;
  const size_t end = text.find(after, begin + before.size());
  return text.substr(begin + before.size(), end - begin - before.size());
}

Json DataIn(const std::string& report) {
  return ParseJson(Between(report, "id=\"report\">", "</script>")).ValueOrDie();
}

struct Report : testing::Test {
  TestRuns runs;

  Json Asked(const fs::path& run, const std::string& what) {
    PageApi api({.runs = runs.path()});
    return ParseJson(api.Respond({.method = "GET",
                                  .path = "/api/v1/runs/" + run.filename().string() + what})
                         .body)
        .ValueOrDie();
  }
};

TEST_F(Report, HoldsThePageAndWhatTheApiAnswers) {
  const fs::path run = runs.Done(4);
  const std::string report = MakeReport(run).ValueOrDie();
  const Json data = DataIn(report);
  EXPECT_EQ(data["run"], run.filename().string());
  EXPECT_EQ(data["left_out"], Json::array());
  for (const char* what : {"settings", "plan", "operators", "profile", "model", "trials", "gang"}) {
    EXPECT_EQ(data["answers"][what], Asked(run, std::string("/") + what)) << what;
  }
  EXPECT_EQ(data["answers"][""]["result"], Asked(run, "")["result"]);
  EXPECT_EQ(data["answers"]["metrics"]["series"], Asked(run, "/metrics")["series"]);
}

TEST_F(Report, HoldsTheForestAndItsFirstTree) {
  const fs::path run = runs.Done(1);
  ASSERT_TRUE(WriteForestModel(run / "model", TwoColumnForest(), TwoColumnFiles()).ok());
  const Json answers = DataIn(MakeReport(run).ValueOrDie())["answers"];
  EXPECT_EQ(answers["forest"], Asked(run, "/forest"));
  EXPECT_EQ(answers["forest/0"], Asked(run, "/forest/0"));
  EXPECT_EQ(answers["forest/0"]["leaves"], 3);
}

TEST_F(Report, RunsNothingButThePagesOwnScript) {
  const std::string report = MakeReport(runs.Done(1)).ValueOrDie();
  const std::string policy = Between(report, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  size_t named = 0;
  for (const PageAsset& asset : PageAssets()) named += policy.find(asset.hash) != policy.npos;
  EXPECT_EQ(named, 2u);
  for (const char* outside : {"src=\"", "href=\"http", "@import", "url("}) {
    EXPECT_THAT(report, Not(HasSubstr(outside)));
  }
}

TEST_F(Report, NamesAndMessagesAreOnlyText) {
  const fs::path made = runs.Done(1), run = made.parent_path() / "<script>alert(1)<";
  fs::rename(made, run);
  const std::string hostile = "</script><script>alert(1)</script><!--";
  std::ofstream(run / "labels.json") << Dump({{"tags", {hostile}}, {"note", hostile}});
  std::ofstream(run / "events.jsonl", std::ios::app)
      << Dump({{"event", "note"}, {"message", hostile}}) << "\n";
  const std::string report = MakeReport(run).ValueOrDie();
  EXPECT_THAT(report, Not(HasSubstr("alert(1)<")));
  EXPECT_THAT(report, Not(HasSubstr("<script>")));
  EXPECT_EQ(DataIn(report)["answers"][""]["note"], hostile);
  EXPECT_EQ(DataIn(report)["answers"][""]["messages"].back()["text"], hostile);
  EXPECT_EQ(DataIn(report)["run"], "<script>alert(1)<");
}

TEST_F(Report, SaysWhatItLeavesOut) {
  const fs::path run = runs.Done(1);
  std::ofstream(run / "trials.json") << Dump({{"trials", {std::string(2'000'000, 'x')}}});
  const std::string report = MakeReport(run).ValueOrDie();
  EXPECT_LT(report.size(), 400'000u);
  EXPECT_EQ(DataIn(report)["left_out"],
            Json::parse(R"([{"what":"trials","why":"it has 1.9 MiB"}])"));
  EXPECT_FALSE(MakeReport(runs.path() / "none").ok());
}

}  // namespace
}  // namespace protium
