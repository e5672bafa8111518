// SPDX-License-Identifier: Apache-2.0
// Forests that travel: trained by XGBoost and LightGBM and imported, trained here and exported. All
// predict the same, and decide the same beside every threshold. Without those packages
// (bench/peers/setup.sh) only files and messages are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;

TEST(ForeignForest, PredictsTheSameInAllPrograms) {
  const std::string python = (Repository() / ".deps/peers/bin/python3").string();
  if (!std::filesystem::exists(python)) {
    GTEST_SKIP() << "no XGBoost, LightGBM and Treelite: bench/peers/setup.sh sets them up";
  }
  if (RealTables().empty()) GTEST_SKIP() << "no table of real flights";
  const Scratch scratch;
  Running check({python, (Repository() / "tests/whole/forest_check.py").string(), ProtiumCommand(),
                 RealTables() + "/flights.csv", scratch.path().string()},
                scratch.path());
  const Outcome checked = check.Wait(std::chrono::seconds(800));
  if (checked.exit == 77) GTEST_SKIP() << checked.out;
  EXPECT_EQ(checked.exit, 0) << checked.out << checked.err;
}

// A tree over one number and one category, as LightGBM writes it.
constexpr const char* kTree = R"(tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=age kind
feature_infos=[0:9] 0:1:2
tree_sizes=300

Tree=0
num_leaves=3
num_cat=1
split_feature=0 1
split_gain=2 1
threshold=20 0
decision_type=10 1
left_child=1 -1
right_child=-2 -3
leaf_value=2 -3 0.5
cat_boundaries=0 1
cat_threshold=1
is_linear=0
shrinkage=1


end of trees

pandas_categorical:[["press", "drill", "saw"]]
)";

TEST(ForeignForest, IsAModelOnceItIsImported) {
  const OwnJob own("age,kind\n7,press\n7,saw\n,press\n90,saw\n7,\n", kTree);
  const std::string file = (own / "job.toml").string(), out = (own / "model").string();
  const Outcome made =
      own.Protium({"import", file, "--label", "broken", "--classes", "no,yes", "--output", out});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(made.out, out + "\n");
  EXPECT_THAT(made.err, HasSubstr("1 trees; a table to score has the columns age, kind"));
  const Outcome scored =
      own.Protium({"predict", "--model", out, "--input", (own / "machines.csv").string(),
                   "--output", (own / "scored.csv").string()});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  const std::string text = own.Text("scored.csv");
  EXPECT_THAT(text, HasSubstr("7,\"press\",\"yes\",0.88"));
  EXPECT_THAT(text, HasSubstr("7,\"saw\",\"yes\",0.62"));
  EXPECT_THAT(text, HasSubstr("90,\"saw\",\"no\",0.04"));
  const Outcome again = own.Protium({"import", file, "--output", out});
  EXPECT_EQ(again.exit, 2);
  EXPECT_THAT(again.err, HasSubstr("already exists"));
  // A forest comes back as it went.
  const std::string json = (own / "m.json").string(), back = (own / "back").string();
  const Outcome written = own.Protium({"export", out, "--to", "xgboost", "--output", json});
  ASSERT_EQ(written.exit, 0) << written.err;
  EXPECT_THAT(written.err, HasSubstr("classes are numbered from 0: no, yes"));
  EXPECT_EQ(own.Protium({"import", json, "--output", back}).exit, 0);
}

TEST(ForeignForest, SaysWhatItDoesNotTake) {
  const OwnJob own("a\n1\n", kTree);
  const std::string file = (own / "job.toml").string(), out = (own / "model").string();
  const auto refusal = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"import", file, "--output", out};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome made = own.Protium(std::move(words));
    EXPECT_EQ(made.exit, 2) << made.err;
    return made.err;
  };
  EXPECT_THAT(refusal({"--model", "last"}), HasSubstr("--model is for weights of a net"));
  EXPECT_THAT(refusal({"--classes", "a,b,c"}), HasSubstr("has 2 classes, and 3 are named"));
  EXPECT_THAT(refusal({"--label", "a,b"}), HasSubstr("predicts 1 column"));
  own.Write("job.toml", With(kTree, "is_linear=0", "is_linear=1"));
  EXPECT_THAT(refusal({}), HasSubstr("linear trees cannot be imported"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace protium::whole
