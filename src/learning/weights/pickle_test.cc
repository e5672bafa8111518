// SPDX-License-Identifier: Apache-2.0
#include "weights/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "weights/testing/test_archive.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr std::string_view kKnown[] = {"torch.FloatStorage", "torch._utils._rebuild_tensor_v2"};

Result<Pickle> Read(std::string_view bytes) { return ReadPickle(bytes, kKnown, "x.pt"); }

std::string WhyRefused(std::string_view bytes) {
  const auto read = Read(bytes);
  return read.ok() ? "accepted" : FaultOf(read.status()).why;
}

TEST(Pickle, HasThePlainValuesOfPython) {
  // {"a": [1, -2, 300, 70000, 2**40, 1.5, None, True], "b": ("x", 5)}, by pickle.dumps(..., 2).
  const std::string bytes = "\x80\2}q" + Little(0, 1) + "(" + PickledText("a") +
                            "](K\1J\xfe\xff\xff\xffM" + Little(300, 2) + "J" + Little(70000, 4) +
                            "\x8a\6" + Little(uint64_t{1} << 40, 6) + "G" +
                            std::string("\x3f\xf8\0\0\0\0\0\0", 8) + "N\x88" + "e" +
                            PickledText("b") + PickledText("x") + "K\5\x86" + "u.";
  const auto read = Read(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  const Pickled& list = *read->top->Find("a");
  ASSERT_EQ(list.items.size(), 8u);
  std::vector<int64_t> wholes;
  for (size_t i = 0; i < 5; ++i) wholes.push_back(list.items[i]->whole);
  EXPECT_EQ(wholes, (std::vector<int64_t>{1, -2, 300, 70000, int64_t{1} << 40}));
  EXPECT_EQ(list.items[5]->number, 1.5);
  EXPECT_EQ(list.items[6]->kind, Pickled::Kind::kNone);
  EXPECT_EQ(list.items[7]->whole, 1);
  EXPECT_EQ(read->top->Find("b")->items[0]->text, "x");
  EXPECT_EQ(read->top->Find("c"), nullptr);
}

TEST(Pickle, RepeatsValuesByTheirNumber) {
  const auto read = Read("\x80\2(" + PickledText("x") + "q\7h\7t.");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->top->items[0], read->top->items[1]);
}

TEST(Pickle, CallsNothingAndNamesWhatItWouldHaveCalled) {
  // pickle.dumps of an object whose __reduce__ returns (os.system, ("...",)).
  EXPECT_THAT(WhyRefused("\x80\2cposix\nsystem\n" + PickledText("true") + "\x85R."),
              HasSubstr("operation 0x63 (GLOBAL) names posix.system"));
  EXPECT_THAT(WhyRefused("\x80\2(i__builtin__\neval\n."), HasSubstr("0x69 (INST)"));
  EXPECT_THAT(WhyRefused("\x80\2\x82\1."), HasSubstr("0x82 (EXT1)"));
  EXPECT_THAT(WhyRefused("\x80\2)\x81."), HasSubstr("0x81 (NEWOBJ)"));
  EXPECT_THAT(WhyRefused("\x80\4\x8c\5posix\x94\x8c\6system\x94\x93\x94."),
              HasSubstr("operation 0x93 (STACK_GLOBAL) names posix.system"));
  EXPECT_THAT(WhyRefused("\x80\6N."), HasSubstr("protocol 6"));
  EXPECT_THAT(WhyRefused("\x80\5\x97."), HasSubstr("0x97 (NEXT_BUFFER)"));
}

TEST(Pickle, ReadsTheOperationsOfNewerProtocols) {
  // pickle.dumps({"a": ("x", "x")}, 4), and with the length of a text in eight bytes.
  const std::string body = "}\x94\x8c\1a\x94\x8d" + Little(1, 8) + "x\x94h\2\x86\x94s.";
  const auto read = Read("\x80\5\x95" + Little(body.size(), 8) + body);
  ASSERT_TRUE(read.ok()) << read.status();
  const Pickled& pair = *read->top->Find("a");
  ASSERT_EQ(pair.items.size(), 2u);
  EXPECT_EQ(pair.items[0]->text, "x");
  EXPECT_EQ(pair.items[0], pair.items[1]);
}

// A tuple of a thousand values as the arguments of a thousand calls would be a million values.
TEST(Pickle, DoesNotCopyLongArgumentsAgainAndAgain) {
  const std::string tuple = "(" + std::string(1000, 'N') + "tq\1";
  EXPECT_THAT(WhyRefused("\x80\2" + tuple + "ctorch\nFloatStorage\nh\1R."),
              HasSubstr("over 64 arguments"));
  EXPECT_THAT(WhyRefused("\x80\2" + tuple + "Q."), HasSubstr("over 64 parts"));
}

TEST(Pickle, RefusesWhatIsDamaged) {
  EXPECT_THAT(WhyRefused(""), HasSubstr("ends too early"));
  EXPECT_THAT(WhyRefused("\x80\2."), HasSubstr("stack is empty"));
  EXPECT_THAT(WhyRefused("\x80\2X\xff\xff\xff\xff."), HasSubstr("ends too early"));
  EXPECT_THAT(WhyRefused("\x80\4\x8d\xff\xff\xff\xff\xff\xff\xff\xff."),
              HasSubstr("ends too early"));
  EXPECT_THAT(WhyRefused("\x80\4\x95" + Little(3, 8) + "N."), HasSubstr("ends too early"));
  EXPECT_THAT(WhyRefused("\x80\4\x94."), HasSubstr("stack is empty"));
  EXPECT_THAT(WhyRefused("\x80\4K\1\x8c\1x\x93."), HasSubstr("by what is not text"));
  EXPECT_THAT(WhyRefused("\x80\2h\1."), HasSubstr("no value 1"));
  EXPECT_THAT(WhyRefused("\x80\2t."), HasSubstr("was not begun"));
  EXPECT_THAT(WhyRefused("\x80\2}(K\1u."), HasSubstr("has no value"));
  EXPECT_THAT(WhyRefused("\x80\2NK\1a."), HasSubstr("not a list or dict"));
  // Values below a mark are not those of the list that begins there.
  EXPECT_THAT(WhyRefused("\x80\2K\1(\x85."), HasSubstr("stack is empty"));
  EXPECT_THAT(WhyRefused("\x80\2" + PickledText("\xff") + "."), HasSubstr("no UTF-8"));
}

TEST(Pickle, OutlivesEveryDamageOfOneByte) {
  const std::vector<TestTensor> tensors = {{"w", "0", 0, {2, 3}, {3, 1}}, {"v", "0", 0, {6}, {1}}};
  for (const std::string& whole : {PickledState(tensors), PickledStateOfProtocol4(tensors)}) {
    ASSERT_TRUE(Read(whole).ok()) << Read(whole).status();
    for (size_t at = 0; at < whole.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        std::string bytes = whole;
        bytes[at] = char(value);
        const auto read = Read(bytes);
        if (!read.ok()) {
          ASSERT_EQ(FaultOf(read.status()).exit, Exit::kInput) << at;
        }
      }
      ASSERT_FALSE(Read(whole.substr(0, at)).ok()) << at;
    }
  }
}

}  // namespace
}  // namespace protium
