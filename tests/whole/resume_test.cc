// SPDX-License-Identifier: Apache-2.0
// `resume` with more epochs, and `runs compare`, which shows whether two models are equal.
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

Outcome Resume(const OwnJob& own, const std::string& run, const std::string& set) {
  return own.Protium({"resume", run, "--json", "--set", set});
}

}  // namespace

TEST(Resume, WithMoreEpochsEqualsARunThatHadThemFromTheStart) {
  const OwnJob own;
  const Outcome run = own.Run({"--json", "--set", "train.schedule=reduce_on_plateau"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string folder = run.json["folder"];
  const Outcome whole =
      own.Run({"--json", "--set", "train.schedule=reduce_on_plateau", "--set", "train.epochs=4"});
  ASSERT_EQ(whole.exit, 0) << whole.err;
  const std::string other = whole.json["folder"];
  const Outcome before = own.Protium({"runs", "compare", folder, other, "--json"});
  EXPECT_EQ(before.json["weights"]["equal"], false) << before.out;
  EXPECT_EQ(before.json["settings"][0]["key"], "train.epochs") << before.out;

  const Outcome more = Resume(own, folder, "train.epochs=4");
  ASSERT_EQ(more.exit, 0) << more.err;
  EXPECT_EQ(more.json["metrics"], whole.json["metrics"]);
  const Outcome after = own.Protium({"runs", "compare", folder, other, "--json"});
  EXPECT_EQ(after.json["weights"]["equal"], true) << after.out;
  EXPECT_TRUE(after.json["settings"].empty()) << after.out;
  const Outcome text = own.Protium({"runs", "compare", folder, other});
  EXPECT_TRUE(Has(text.out, "weights, equal bit for bit")) << text.out;
  EXPECT_TRUE(Has(text.out, "nothing differs in settings, inputs, versions")) << text.out;
  EXPECT_TRUE(Has(ReadText(fs::path(folder) / "job.json"), "--set train.epochs=4"));
}

TEST(Resume, RefusesWhatWouldNotEqualARunFromTheStart) {
  const OwnJob own;
  const Outcome run = own.Run({"--json", "--set", "train.schedule=cosine"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const fs::path folder = run.json["folder"].get<std::string>();
  for (const auto& [set, said] :
       {std::pair{"train.epochs=4", "the schedule \"cosine\" depends on the number"},
        std::pair{"train.epochs=2", "the run has 2 epochs; resume can only add more"},
        std::pair{
            "train.batch_size=4",
            "resume can set train.epochs, trees.rounds, gang.* and, of a search, trials, seconds, "
            "target and patience alone"},
        std::pair{"train.epochs=many", "must be a whole number"}}) {
    const Outcome refused = Resume(own, folder, set);
    EXPECT_EQ(refused.exit, 2) << refused.err;
    EXPECT_TRUE(Has(refused.err, said)) << refused.err;
  }
  EXPECT_TRUE(Has(ReadText(folder / "run.json"), "\"state\": \"done\""));
}

TEST(Resume, ThatCannotStartLeavesADoneRunDone) {
  const OwnJob own;
  const Outcome run = own.Run({"--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  own.Write("machines.csv", MachinesTable(500));
  const fs::path folder = run.json["folder"].get<std::string>();
  EXPECT_NE(Resume(own, folder, "train.epochs=4").exit, 0);
  EXPECT_TRUE(Has(ReadText(folder / "run.json"), "\"state\": \"done\""));
  EXPECT_FALSE(Has(ReadText(folder / "job.json"), "train.epochs=4"));
}

}  // namespace protium::whole
