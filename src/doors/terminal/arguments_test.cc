// SPDX-License-Identifier: Apache-2.0
#include "terminal/arguments.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {

std::vector<std::string> KeysOfTraining(const std::string& end) {
  std::vector<std::string> keys = {"train.epochs", "train.batch_size"};
  std::erase_if(keys, [&](const std::string& key) { return !key.ends_with(end); });
  return keys;
}

const VerbShape kShape = {
    .name = "run",
    .operands = {"JOB", "[WHY]"},
    .flags = {{.name = "--set", .value = "KEY=VALUE", .keys_ending = KeysOfTraining},
              {"--json", "", "", "-j"}}};

TEST(Arguments, TakeFlagsAnywhereAndInBothSpellings) {
  const Arguments read =
      Arguments::Read(kShape, {"--set", "a=1", "job.toml", "--set=b=2", "-j"}).ValueOrDie();
  EXPECT_EQ(read.Values("--set"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_TRUE(read.Has("--json"));
  EXPECT_EQ(read.operand(0), "job.toml");
  EXPECT_EQ(read.operand(1), "");
}

TEST(Arguments, EndFlagsAtTwoDashes) {
  const Arguments read = Arguments::Read(kShape, {"--", "--json"}).ValueOrDie();
  EXPECT_EQ(read.operand(0), "--json");
  EXPECT_FALSE(read.Has("--json"));
}

TEST(Arguments, LeaveACommandItsOwnFlags) {
  const VerbShape shape = {.name = "gang",
                           .operands = {"PROGRAM", "[ARGS...]"},
                           .flags = {{"--json", "", "", "-j"}},
                           .runs_command = true};
  const Arguments read =
      Arguments::Read(shape, {"-j", "python3", "-c", "--json", "--", "x"}).ValueOrDie();
  EXPECT_TRUE(read.Has("--json"));
  EXPECT_EQ(read.num_operands(), 5u);
  EXPECT_EQ(read.operand(2), "--json");
}

TEST(Arguments, RefuseWhatTheVerbDoesNotKnow) {
  const auto fault = [](std::vector<std::string> words) {
    return FaultOf(Arguments::Read(kShape, words).status());
  };
  EXPECT_EQ(fault({"job", "--jsn"}).what, "run has no flag \"--jsn\"");
  EXPECT_EQ(fault({"job", "--jsn"}).fix, "did you mean \"--json\"?");
  EXPECT_EQ(fault({}).what, "run needs JOB");
  EXPECT_EQ(fault({"a", "b", "c"}).what, "run: unexpected argument \"c\"");
  EXPECT_EQ(fault({"job", "--set"}).what, "--set needs a value: --set KEY=VALUE");
  EXPECT_EQ(fault({"job", "--json=yes"}).what, "--json takes no value, got \"yes\"");
  EXPECT_EQ(fault({"job", "--jsn"}).exit, Exit::kUsage);
}

TEST(Arguments, NameTheSettingThatAFlagMeans) {
  const auto fix = [](const std::string& flag) {
    return FaultOf(Arguments::Read(kShape, {"job", flag, "3"}).status()).fix;
  };
  EXPECT_EQ(fix("--epochs"), "--set train.epochs=...");
  EXPECT_EQ(fix("--train.epochs"), "--set train.epochs=...");
  EXPECT_EQ(fix("--batch-size"), "--set train.batch_size=...");
}

TEST(Arguments, NameTheFlagsThatWordsMean) {
  const VerbShape shape = {.name = "predict", .operands_mean = {"--model", "--input"}};
  EXPECT_EQ(FaultOf(Arguments::Read(shape, {"last", "t.csv"}).status()).fix,
            "protium predict --model last --input t.csv");
}

TEST(Arguments, TakeOneNameOfOutputsEverywhere) {
  const VerbShape shape = {.name = "export", .flags = {{"--output", "PATH", "", ""}}};
  for (const char* name : {"--output", "--out"}) {
    EXPECT_EQ(Arguments::Read(shape, {name, "a.csv"})->Value("--output"), "a.csv");
  }
}

TEST(Arguments, TakeALastOperandManyTimes) {
  const VerbShape shape = {.name = "runs", .operands = {"[rm]", "[RUN...]"}};
  EXPECT_EQ(Arguments::Read(shape, {"rm", "a", "b", "c"})->num_operands(), 4u);
  EXPECT_TRUE(Arguments::Read(shape, {}).ok());
}

TEST(Arguments, ReadWholeNumbers) {
  const VerbShape shape = {.name = "example", .flags = {{"--rows", "N", "", ""}}};
  EXPECT_EQ(Arguments::Read(shape, {"--rows", "30"})->Number("--rows", 1).ValueOrDie(), 30);
  EXPECT_EQ(Arguments::Read(shape, {})->Number("--rows", 1).ValueOrDie(), 1);
  for (const char* bad : {"many", "3x", "-3", "1e4", "99999999999999999999"}) {
    EXPECT_FALSE(Arguments::Read(shape, {"--rows", bad})->Number("--rows", 1).ok()) << bad;
  }
}

}  // namespace protium
