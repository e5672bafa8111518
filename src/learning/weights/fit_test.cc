// SPDX-License-Identifier: Apache-2.0
#include "weights/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<NamedTensor> Tensors(const std::vector<std::pair<std::string, int64_t>>& given) {
  std::vector<NamedTensor> tensors;
  for (const auto& [name, length] : given) tensors.push_back({name, "F32", {length}, {}});
  return tensors;
}

std::vector<std::string> Names(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string> names;
  for (const NamedTensor& each : tensors) names.push_back(each.name);
  return names;
}

std::vector<std::string> RenamedBy(const std::vector<std::string>& texts) {
  std::vector<Rename> renames;
  for (const std::string& each : texts) renames.push_back(ParseRename(each).ValueOrDie());
  return Names(
      Renamed(Tensors({{"module.0.weight", 1}, {"module.0.bias", 1}}), renames).ValueOrDie());
}

TEST(Rename, TurnsNamesIntoThoseOfTheNet) {
  EXPECT_THAT(RenamedBy({"^module\\.="}), ElementsAre("0.weight", "0.bias"));
  EXPECT_THAT(RenamedBy({"module\\.(\\d+)=dense.$1"}),
              ElementsAre("dense.0.weight", "dense.0.bias"));
  EXPECT_THAT(RenamedBy({"^.*bias$="}), ElementsAre("module.0.weight"));
}

TEST(Rename, RefusesWhatIsNoneAndNamesThatMeet) {
  EXPECT_EQ(FaultOf(ParseRename("module").status()).exit, Exit::kUsage);
  EXPECT_THAT(FaultOf(ParseRename("(=x").status()).what, HasSubstr("not a regular expression"));
  const std::vector<Rename> all = {{"^.*$", "x"}};
  EXPECT_THAT(FaultOf(Renamed(Tensors({{"a", 1}, {"b", 1}}), all).status()).what,
              HasSubstr("a and b both become x"));
}

TEST(FitTensors, NamesAllThatDiffersAtOnce) {
  std::vector<std::string> passed_over;
  const auto fitted = FitTensors(Tensors({{"a", 1}, {"c", 2}, {"d", 1}}),
                                 Tensors({{"a", 1}, {"b", 1}, {"c", 3}}), passed_over);
  const Fault fault = FaultOf(fitted.status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.why, HasSubstr("it has no b"));
  EXPECT_THAT(fault.why, HasSubstr("its c is [2], the net's [3]"));
  EXPECT_THAT(fault.why, HasSubstr("the net has no d"));
}

TEST(FitTensors, SaysWhichPrefixIsTheDifference) {
  std::vector<std::string> passed_over;
  const auto fitted =
      FitTensors(Tensors({{"m.a", 1}, {"m.b", 1}}), Tensors({{"a", 1}, {"b", 1}}), passed_over);
  EXPECT_EQ(FaultOf(fitted.status()).fix, "--rename '^m\\.='");
}

TEST(FitTensors, GivesTheOrderOfTheNetAndPassesCountersOver) {
  std::vector<std::string> passed_over;
  const auto fitted = FitTensors(Tensors({{"a", 1}, {"b", 2}, {"n.num_batches_tracked", 1}}),
                                 Tensors({{"b", 2}, {"a", 1}}), passed_over);
  ASSERT_TRUE(fitted.ok()) << fitted.status();
  EXPECT_THAT(Names(*fitted), ElementsAre("b", "a"));
  EXPECT_THAT(passed_over, ElementsAre("n.num_batches_tracked"));
}

}  // namespace
}  // namespace protium
