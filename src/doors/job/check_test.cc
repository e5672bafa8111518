// SPDX-License-Identifier: Apache-2.0
#include "job/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"

namespace protium {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Checks : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("protium-check-{}", getpid());
  fs::path file_ = folder_ / "job.toml";
  void SetUp() override {
    fs::create_directories(folder_);
    // Nothing after the header is read, so a large table costs no more than this one.
    std::ofstream(folder_ / "t.csv") << "\xef\xbb\xbfid,age,y\n1,2,\"3";
  }
  void TearDown() override { fs::remove_all(folder_); }

  JobCheck Check(const std::vector<std::pair<std::string, std::string>>& replaced = {}) {
    std::string job = R"([tables]
t = { csv = "t.csv" }
[etl]
sql = "SELECT * FROM t"
[split]
by = ["id"]
[[pipeline]]
kind = "imputer"
id = "fill"
inputs = ["age"]
[[pipeline]]
kind = "torch_estimator"
label = "y"
numeric = [{ stage = "fill" }]
[train]
epochs = 2
[outputs]
scored = { parquet = "s.parquet", columns = ["prediction"] }
)";
    for (const auto& [from, to] : replaced) job.replace(job.find(from), from.size(), to);
    std::ofstream(file_) << job;
    return CheckJob(file_, {});
  }
  // Returns each mistake: "3:5 there is no ...".
  std::vector<std::string> Mistakes(
      const std::vector<std::pair<std::string, std::string>>& replaced) {
    std::vector<std::string> all;
    for (const Status& each : Check(replaced).mistakes) {
      const Fault fault = FaultOf(each);
      const std::string before = file_.string() + ":";
      EXPECT_TRUE(fault.where.starts_with(before)) << fault.where;
      all.push_back(fault.where.substr(before.size()) + " " + fault.what);
    }
    return all;
  }
};

TEST_F(Checks, KnowTheColumnsByTheHeader) {
  const JobCheck check = Check();
  EXPECT_THAT(check.mistakes, IsEmpty()) << check.mistakes.front();
  ASSERT_TRUE(check.columns.has_value());
  EXPECT_THAT(*check.columns, ElementsAre("id", "age", "y"));
}

TEST_F(Checks, TellAllMistakesThatAreIndependent) {
  EXPECT_THAT(Mistakes({{"[split]", "[splitt]"},
                        {"imputer", "imputr"},
                        {"epochs = 2", "epoch = 2\nseed = \"x\""},
                        {"t.csv", "u.csv"}}),
              ElementsAre(HasSubstr("5:2 unknown key \"splitt\""),
                          HasSubstr("8:8 unknown kind of stage \"imputr\""),
                          HasSubstr("16:1 unknown key \"epoch\" in train"),
                          HasSubstr("17:8 train.seed must be a whole number"),
                          HasSubstr("2:5 there is no file")));
}

TEST_F(Checks, TellNothingThatOnlyFollows) {
  EXPECT_THAT(Mistakes({{"label = \"y\"", "label = 3"}}),
              ElementsAre(HasSubstr("13:9 pipeline.1.label must be text")));
  EXPECT_THAT(Mistakes({{"[[pipeline]]\nkind = \"torch_estimator\"",
                         "[[pipeline]]\nkind = \"torch_estimtor\""}}),
              ElementsAre(HasSubstr("12:8 unknown kind of stage \"torch_estimtor\"")));
}

TEST_F(Checks, LookAtTheColumnsOfStagesSplitAndOutputs) {
  EXPECT_THAT(Mistakes({{"by = [\"id\"]", "by = [\"day\"]"},
                        {"inputs = [\"age\"]", "inputs = [\"agge\"]"},
                        {"[\"prediction\"]", "[\"predicted\"]"}}),
              ElementsAre("6:7 the table has no column \"day\"",
                          "10:11 there is no column \"agge\"", HasSubstr("needs column")));
  // Columns that only an engine can name are not guessed.
  EXPECT_THAT(Mistakes({{"SELECT *", "SELECT *, age + 1"}, {"by = [\"id\"]", "by = [\"day\"]"}}),
              IsEmpty());
}

TEST_F(Checks, LookAtTheColumnsThatAreKnownToLeak) {
  EXPECT_THAT(Mistakes({{"[train]", "[leaks]\nknown = [\"id\", \"ages\"]\n[train]"}}),
              ElementsAre("16:16 the table has no column \"ages\""));
}

TEST_F(Checks, LookAtTheMachineAndAtWhereOutputsGo) {
  EXPECT_THAT(Mistakes({{"[train]", "[gang]\nworkers = 2\n[train]\nshards = 2"},
                        {"[tables]", "engine = \"local[1]\"\n[tables]"}}),
              ElementsAre(HasSubstr("the gang can never fit")));
  EXPECT_THAT(Mistakes({{"[tables]", "engine = \"locl\"\n[tables]"}}),
              ElementsAre("1:10 unknown engine \"locl\""));
  EXPECT_THAT(Mistakes({{"s.parquet", "../s.parquet"}}), ElementsAre(HasSubstr("..")));
  EXPECT_THAT(Mistakes({{"s.parquet", "job.json"}}), ElementsAre(HasSubstr("job.json")));
}

}  // namespace protium
