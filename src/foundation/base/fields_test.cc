// SPDX-License-Identifier: Apache-2.0
#include "protium/fields.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace protium {

enum class Colour { kRed, kBlue };
inline EnumNames<Colour> Names(Colour) {
  return {{{Colour::kRed, "red"}, {Colour::kBlue, "blue"}}};
}

struct Inner {
  int32_t count = 3;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("count", count);
  }
};

struct Outer {
  double rate = 0.5;
  std::optional<std::string> name;
  std::vector<Inner> inner;
  Colour colour = Colour::kBlue;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rate", rate);
    visit("name", name);
    visit("inner", inner);
    visit("colour", colour);
  }
};

TEST(Fields, RoundTripThroughJson) {
  Outer outer{.rate = 2, .name = "n", .inner = {{.count = 7}}, .colour = Colour::kRed};
  Outer back;
  ASSERT_TRUE(FieldsFromJson(FieldsToJson(outer), "", back).ok());
  EXPECT_TRUE(FieldsEqual(outer, back));
  EXPECT_EQ(Dump(FieldsToJson(back)),
            R"({"rate":2.0,"name":"n","inner":[{"count":7}],"colour":"red"})");
}

TEST(Fields, NameThePlaceOfAnUnknownKeyAndItsNeighbour) {
  Outer out;
  const Fault fault =
      FaultOf(FieldsFromJson(*ParseJson(R"({"inner":[{"cuont":1}]})"), "train", out));
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.where, "train.inner.0.cuont");
  EXPECT_EQ(fault.fix, "did you mean \"count\"?");
}

TEST(Fields, RefuseWrongTypesAndRanges) {
  Outer out;
  EXPECT_EQ(FaultOf(FieldsFromJson(*ParseJson(R"({"rate":"fast"})"), "t", out)).what,
            "t.rate must be a number, got \"fast\"");
  EXPECT_FALSE(FieldsFromJson(*ParseJson(R"({"inner":[{"count":3000000000}]})"), "t", out).ok());
  EXPECT_FALSE(FieldsFromJson(*ParseJson(R"({"inner":[{"count":1.5}]})"), "t", out).ok());
  EXPECT_EQ(FaultOf(FieldsFromJson(*ParseJson(R"({"colour":"green"})"), "t", out)).what,
            "t.colour must be one of red, blue, got \"green\"");
}

struct Ranged {
  double share = 0;
  std::optional<int32_t> width;
  std::vector<int32_t> widths = {1};
  std::string name = "n";
  Inner inner;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("share", share, {.help = "a share", .at_least = 0, .below = 1});
    visit("width", width, {.at_least = 1, .decides_weights = false});
    visit("widths", widths, {.at_least = 1, .items = "widths"});
    visit("name", name, {.filled = "a name"});
    visit("inner", inner);
  }
};

TEST(Fields, RefuseWhatLiesOutsideTheirRange) {
  const auto what = [](const char* text) {
    Ranged out;
    return FaultOf(FieldsFromJson(*ParseJson(text), "net", out)).what;
  };
  EXPECT_EQ(what(R"({"share": 1.0})"), "net.share must be at least 0 and below 1, got 1");
  EXPECT_EQ(what(R"({"share": -0.5})"), "net.share must be at least 0 and below 1, got -0.5");
  EXPECT_EQ(what(R"({"width": 0})"), "net.width must be at least 1, got 0");
  EXPECT_EQ(what(R"({"widths": [2, 0]})"), "net.widths must be widths of at least 1, got [2,0]");
  EXPECT_EQ(what(R"({"name": ""})"), "net.name must be a name, got \"\"");
}

TEST(Fields, AreCheckedWithoutBeingRead) {
  Ranged options;
  EXPECT_TRUE(CheckFields(options, "").ok());
  options.width = 0;
  EXPECT_EQ(FaultOf(CheckFields(options, "net")).where, "net.width");
}

TEST(Fields, ThatDecideTheWeightsAreChosen) {
  EXPECT_EQ(Dump(FieldsThatDecide(Ranged{.width = 3})),
            R"({"share":0.0,"widths":[1],"name":"n","inner":{"count":3}})");
}

}  // namespace protium
