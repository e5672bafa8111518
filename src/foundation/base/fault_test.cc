// SPDX-License-Identifier: Apache-2.0
#include "base/fault.h"

#include <gtest/gtest.h>

namespace protium {

TEST(Fault, TravelsThroughAStatusAndThroughJson) {
  const Status status = Fail(
      {.exit = Exit::kInput, .what = "no such file \"a\"", .where = "x:1:2", .fix = "make it"});
  const Fault back = FaultOf(StatusFromJson(StatusToJson(Annotate(status, "reading"))));
  EXPECT_EQ(back.exit, Exit::kInput);
  EXPECT_EQ(back.what, "reading: no such file \"a\"");
  EXPECT_EQ(back.where, "x:1:2");
  EXPECT_EQ(back.fix, "make it");
  EXPECT_TRUE(StatusFromJson(StatusToJson(Status::OK())).ok());
}

TEST(Fault, OfAPlainStatusExitsByItsCode) {
  EXPECT_EQ(FaultOf(Status::Invalid("x")).exit, Exit::kBug);
  EXPECT_EQ(FaultOf(Status::OutOfMemory("x")).exit, Exit::kNoRoom);
  EXPECT_EQ(FaultOf(Status::IOError("x")).exit, Exit::kInput);
  EXPECT_EQ(FaultOf(Status::UnknownError("x")).exit, Exit::kFailed);
}

TEST(Fault, OfAMistakeOfOursAsksForAReport) {
  for (const Status& status : {Status::TypeError("x"), Fail({.exit = Exit::kBug, .what = "x"}),
                               Annotate(Status::KeyError("x"), "doing")}) {
    EXPECT_NE(FaultOf(status).fix.find("please report it"), std::string::npos);
  }
  EXPECT_EQ(FaultOf(Fail({.exit = Exit::kBug, .what = "x", .fix = "y"})).fix, "y");
}

TEST(Fault, RendersOneBlockWithoutEmptyLines) {
  EXPECT_EQ(Render({.what = "it broke", .fix = "fix it"}), "error: it broke\n  fix: fix it\n");
}

TEST(ParseJson, SaysThatItsInputIsWrong) {
  EXPECT_EQ(FaultOf(ParseJson("{").status()).exit, Exit::kInput);
}

TEST(Fault, KeepsTheEndsOfTextThatIsTooLong) {
  std::string cell;
  for (int i = 0; i < 100000; ++i) cell += "\u00e9";
  const Fault fault =
      FaultOf(Fail({.what = "column \"x\" holds \"" + cell + "\", which is not a date"}));
  EXPECT_LT(fault.what.size(), 1600u);
  EXPECT_TRUE(fault.what.starts_with("column \"x\" holds"));
  EXPECT_TRUE(fault.what.ends_with("which is not a date"));
  EXPECT_TRUE(ParseJson(Dump(Json(fault.what))).ok());
  EXPECT_EQ(Dump(Json(fault.what)).find("\ufffd"), std::string::npos);
}

TEST(ParseJson, RefusesTrailingTextAndDepth) {
  EXPECT_FALSE(ParseJson("{} x").ok());
  EXPECT_FALSE(ParseJson(std::string(300, '[') + std::string(300, ']')).ok());
  EXPECT_TRUE(ParseJson("{\"b\":1,\"a\":[2]}").ok());
}

}  // namespace protium
