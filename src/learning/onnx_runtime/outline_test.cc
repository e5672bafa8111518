// SPDX-License-Identifier: Apache-2.0
#include "onnx_runtime/outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "onnx_runtime/testing/tiny_net.h"

namespace protium {
namespace {

using namespace testing_onnx;  // NOLINT: the words of this file.
using testing::ElementsAre;
using testing::HasSubstr;

std::string WhatOf(const std::string& file) {
  const auto outline = ReadNetOutline(file, "net.onnx");
  return outline.ok() ? "" : Render(FaultOf(outline.status()));
}

TEST(NetOutline, NamesWhatGoesInAndComesOut) {
  const NetOutline outline = ReadNetOutline(Product(), "").ValueOrDie();
  ASSERT_EQ(outline.inputs.size(), 1);
  EXPECT_EQ(outline.inputs[0].name, "x");
  EXPECT_EQ(Describe(outline.inputs[0]), "float32 [any, 2]");
  EXPECT_EQ(outline.outputs.at(0).name, "y");
  EXPECT_THAT(outline.operators, ElementsAre("MatMul", "Relu"));
  EXPECT_THAT(outline.values, ElementsAre("sum", "y"));
  EXPECT_EQ(outline.weights, 4);
  EXPECT_EQ(outline.opsets.at(0).second, 17);
}

TEST(NetOutline, LeavesOutInputsThatHaveAValue) {
  const std::string file = Model(Part(5, Weights("w", {1}, {1})) + Part(11, Value("w", {1})) +
                                 Part(11, Value("x", {-1})) + Part(12, Value("y", {-1})));
  const NetOutline outline = ReadNetOutline(file, "").ValueOrDie();
  ASSERT_EQ(outline.inputs.size(), 1);
  EXPECT_EQ(outline.inputs[0].name, "x");
}

TEST(NetOutline, RefusesWeightsInOtherFilesAlsoDeepInside) {
  const std::string away =
      Part(8, "w") + Number(14, 1) + Part(13, Part(1, "location") + Part(2, "../secret"));
  const std::string output = Part(12, Value("y", {-1}));
  EXPECT_THAT(WhatOf(Model(Part(5, away) + output)), HasSubstr("the weights of w lie in another"));
  EXPECT_THAT(WhatOf(Model(Part(5, away) + output)), HasSubstr("net.onnx: ../secret"));
  const std::string constant = Node("Constant", {}, "c") + Part(5, Part(5, away));
  EXPECT_THAT(WhatOf(Model(Part(1, constant) + output)), HasSubstr("lie in another file"));
  const std::string inner = Node("If", {}, "c") + Part(5, Part(6, Part(1, constant)));
  EXPECT_THAT(WhatOf(Model(Part(1, inner) + output)), HasSubstr("lie in another file"));
  EXPECT_THAT(WhatOf(Model(output) + Part(25, Part(7, constant))), HasSubstr("in another file"));
}

TEST(NetOutline, RefusesTwoOutputsOfOneName) {
  const std::string output = Part(12, Value("y", {-1}));
  EXPECT_THAT(WhatOf(Model(output + output)), HasSubstr("two outputs named \"y\""));
}

TEST(NetOutline, RefusesWhatIsNoNet) {
  EXPECT_THAT(WhatOf(""), HasSubstr("not an ONNX file"));
  EXPECT_THAT(WhatOf("PAR1 and so on"), HasSubstr("damaged"));
  EXPECT_THAT(WhatOf(Model("")), HasSubstr("no outputs"));
  const std::string whole = Product();
  // Cut anywhere it is refused: its fields are in each other.
  for (size_t i = 6; i < whole.size(); ++i) EXPECT_NE(WhatOf(whole.substr(0, i)), "") << i;
}

TEST(NetOutline, CapsNamesAndNesting) {
  const std::string output = Part(12, Value("y", {-1}));
  EXPECT_THAT(WhatOf(Model(Part(12, Value(std::string(5000, 'n'), {-1})))),
              HasSubstr("a name of 5000 bytes"));
  std::string graph = Part(1, Node("Add", {}, "c"));
  for (int i = 0; i < 20; ++i) graph = Part(1, Node("If", {}, "c") + Part(5, Part(6, graph)));
  EXPECT_THAT(WhatOf(Model(graph + output)), HasSubstr("graphs within graphs"));
}

}  // namespace
}  // namespace protium
