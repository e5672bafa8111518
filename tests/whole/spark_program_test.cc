// SPDX-License-Identifier: Apache-2.0
// Programs as gangs on a Spark server, whose address is in PROTIUM_TEST_SPARK.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "whole/command.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SparkPrograms : public testing::Test {
 protected:
  void SetUp() override {
    const char* const address = std::getenv("PROTIUM_TEST_SPARK");
    if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
    address_ = address;
    before_ = fs::current_path();
    fs::current_path(scratch_.path());  // The files for the ranks are written here.
  }
  void TearDown() override {
    if (!address_.empty()) fs::current_path(before_);
  }
  Outcome Gang(std::vector<std::string> flags, const std::vector<std::string>& program) {
    std::vector<std::string> argv = {ProtiumCommand(), "gang", "--engine", address_};
    argv.insert(argv.end(), flags.begin(), flags.end());
    argv.push_back("--");
    argv.insert(argv.end(), program.begin(), program.end());
    Running command(argv, scratch_.path(), {{"PT_FOLDER", scratch_.path().string()}});
    return command.Wait();
  }
  void Write(const std::string& name, const std::string& text) {
    fs::create_directories((scratch_.path() / name).parent_path());
    std::ofstream(scratch_.path() / name) << text;
    fs::permissions(scratch_.path() / name, fs::perms::owner_all);
  }

  Scratch scratch_;
  std::string address_;
  fs::path before_;
};

// The script and its argument are on this machine, the ranks have copies.
TEST_F(SparkPrograms, AreShippedWithTheirFilesAndGetEachRowOnce) {
  Write("bin/copy.sh",
        "#!/bin/sh\necho \"$RANK of $WORLD_SIZE has $(cat $1), $(ls lists)\"\n"
        "cp $PROTIUM_INPUT $PROTIUM_OUTPUT\n");
  Write("words", "words");
  Write("more/lists/a", "");
  std::string table = "id\n";
  for (int i = 0; i < 1000; ++i) table += std::to_string(i) + "\n";
  Write("in.csv", table);
  const Outcome outcome =
      Gang({"--workers", "2", "--files", "more", "--input", "in.csv", "--output", "out.parquet"},
           {"./bin/copy.sh", "words"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("[0] 0 of 2 has words, a\n"));
  EXPECT_THAT(outcome.out, HasSubstr("[1] 1 of 2 has words, a\n"));
  Running count({ProtiumCommand(), "sql", "--json", "--table", "t=out.parquet",
                 "SELECT count(*), count(DISTINCT id), sum(id) FROM t"},
                scratch_.path());
  EXPECT_EQ(Dump(count.Wait().json["rows"]), "[[1000,1000,499500]]");
}

TEST_F(SparkPrograms, ThatFailAreNamedAndStartAgain) {
  const std::string script =
      "echo try $TORCHELASTIC_RESTART_COUNT; [ -e $1/half ] && exit 0; [ $RANK = 1 ] || "
      "exec sleep 60; touch $1/half; echo last words; exit 7";
  const Outcome once = Gang({"--workers", "2", "--env", "X=1"},
                            {"sh", "-c", script, "sh", scratch_.path().string()});
  EXPECT_EQ(once.exit, 1);
  EXPECT_THAT(once.err, HasSubstr("error: rank 1: sh exited with code 7\n"));
  EXPECT_THAT(once.err, HasSubstr("last words"));
  fs::remove(scratch_.path() / "half");
  const Outcome again = Gang({"--workers", "2", "--restarts", "1"},
                             {"sh", "-c", script, "sh", scratch_.path().string()});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("[1] try 1\n"));
  EXPECT_THAT(again.err, HasSubstr("restart  rank 1: sh exited with code 7"));
}

}  // namespace
}  // namespace protium::whole
