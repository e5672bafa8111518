// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.h"

#include <gtest/gtest.h>

#include "base/unknown_name.h"

namespace protium {

TEST(Nearest, PrefersFewerEditsAndStopsAtThree) {
  const std::vector<std::string> known = {"epochs", "epsilon", "seed", "batch_size", "Epoch"};
  EXPECT_EQ(Nearest("epoch", known).front(), "Epoch");
  EXPECT_EQ(Nearest("bach_size", known), std::vector<std::string>{"batch_size"});
  EXPECT_TRUE(Nearest("quite_different", known).empty());
}

TEST(Suggest, ListsAFewWhenNothingIsNear) {
  const std::vector<std::string> known = {"a1", "b2"};
  EXPECT_EQ(Suggest("zzzzzz", known), "one of: a1, b2");
}

TEST(Suggest, CutsAListThatIsTooLongForALine) {
  const std::vector<std::string> known(9, std::string(11, 'x'));
  const std::string text = Suggest("other", known);
  EXPECT_EQ(text.size(), 8 + 5 * 11 + 4 * 2 + std::string(" and 4 more").size()) << text;
  EXPECT_TRUE(text.ends_with("x and 4 more")) << text;
  EXPECT_FALSE(Suggest("other", std::span(known).first(6)).ends_with("more"));
}

TEST(UnknownName, TellsWhatItIsAndTheNearest) {
  const std::vector<std::string> known = {"linear", "tabular_mlp"};
  const Fault fault = FaultOf(UnknownName("net", "linaer", known, "train.net"));
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "unknown net \"linaer\"");
  EXPECT_EQ(fault.where, "train.net");
  EXPECT_EQ(fault.fix, "did you mean \"linear\"?");
}

}  // namespace protium
