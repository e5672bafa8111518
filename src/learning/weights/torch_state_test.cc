// SPDX-License-Identifier: Apache-2.0
#include "weights/torch_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/fault.h"
#include "weights/testing/test_archive.h"

namespace protium {
namespace {

using testing::HasSubstr;

const float kNumbers[6] = {1, 2, 3, 4, 5, 6};

std::string Floats() { return {reinterpret_cast<const char*>(kNumbers), sizeof kNumbers}; }

std::string Archive(const std::string& pickle) {
  return Zip({{"w/data.pkl", pickle},
              {"w/byteorder", "little"},
              {"w/data/0", Floats()},
              {"w/version", "3\n"}});
}

std::vector<float> Values(const NamedTensor& tensor) {
  std::vector<float> values(tensor.data.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

Fault Refused(const std::string& archive, const std::string& key = "") {
  const auto read = ReadTorchState(archive, key, "w.pt");
  return read.ok() ? Fault{.what = "accepted", .why = "accepted"} : FaultOf(read.status());
}

std::string WhyRefused(TestTensor tensor) { return Refused(Archive(PickledState({tensor}))).why; }

TEST(TorchState, GivesTensorsInRowMajorOrder) {
  const std::string archive = Archive(PickledState({{"w", "0", 0, {2, 3}, {3, 1}},
                                                    {"turned", "0", 0, {3, 2}, {1, 3}},
                                                    {"part", "0", 4, {2}, {1}},
                                                    {"one", "0", 5, {}, {}},
                                                    {"none", "0", 0, {0, 3}, {3, 1}}}));
  const auto state = ReadTorchState(archive, "", "w.pt");
  ASSERT_TRUE(state.ok()) << state.status();
  std::vector<std::string> names;
  for (const NamedTensor& each : state->tensors) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"none", "one", "part", "turned", "w"}));
  EXPECT_TRUE(state->tensors[0].data.empty());
  EXPECT_EQ(Values(state->tensors[1]), (std::vector<float>{6}));
  EXPECT_EQ(Values(state->tensors[2]), (std::vector<float>{5, 6}));
  EXPECT_EQ(Values(state->tensors[3]), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(state->tensors[3].shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(Values(state->tensors[4]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(TorchState, ReadsProtocol4AsProtocol2) {
  const std::vector<TestTensor> tensors = {{"w", "0", 0, {2, 3}, {3, 1}},
                                           {"turned", "0", 0, {3, 2}, {1, 3}}};
  const std::string archive = Archive(PickledStateOfProtocol4(tensors));
  const auto state = ReadTorchState(archive, "", "w.pt");
  ASSERT_TRUE(state.ok()) << state.status();
  ASSERT_EQ(state->tensors.size(), 2u);
  EXPECT_EQ(Values(state->tensors[0]), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Values(state->tensors[1]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(TorchState, RefusesOneStorageNamedAgainAndAgain) {
  std::vector<TestTensor> tensors;
  for (int i = 0; i < 255; ++i) {
    tensors.push_back({std::to_string(i), "0", 0, {200, 100}, {1, 200}, "FloatStorage", 0});
  }
  // The number of elements has two bytes here: 20,000 does not fit Whole().
  std::string pickle = PickledState(tensors);
  const std::string none = Whole(0) + "tQ", all = "M" + Little(20'000, 2) + "tQ";
  for (size_t at = 0; (at = pickle.find(none, at)) != pickle.npos; at += all.size()) {
    pickle.replace(at, none.size(), all);
  }
  const Fault fault = Refused(Zip({{"w/data.pkl", pickle}, {"w/data/0", std::string(80'000, 0)}}));
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.why, HasSubstr("more than 16 times the file"));
}

TEST(TorchState, FindsTheDictAmongOtherThings) {
  const std::string tensor = PickledText("w") + PickledTensor({"w", "0", 0, {6}, {1}});
  const std::string archive =
      Archive("\x80\2}(" + PickledText("epoch") + "K\3" + PickledText("state_dict") + "}(" +
              tensor + "u" + PickledText("ema") + "}(" + tensor + "u" + "u.");
  EXPECT_TRUE(ReadTorchState(archive, "", "w.pt").ok());
  EXPECT_TRUE(ReadTorchState(archive, "ema", "w.pt").ok());
  const Fault other = Refused(archive, "epoch");
  EXPECT_EQ(other.exit, Exit::kUsage);
  EXPECT_THAT(other.why, HasSubstr("its keys are epoch, state_dict, ema"));
}

TEST(TorchState, RefusesTensorsThatTheirStorageDoesNotHold) {
  EXPECT_THAT(WhyRefused({"w", "0", 1, {2, 3}, {3, 1}}), HasSubstr("more than its storage"));
  EXPECT_THAT(WhyRefused({"w", "0", 0, {7}, {1}}), HasSubstr("more than its storage"));
  EXPECT_THAT(WhyRefused({"w",
                          "0",
                          0,
                          {200, 200, 200, 200, 200, 200, 200, 200, 200},
                          {0, 0, 0, 0, 0, 0, 0, 0, 0}}),
              HasSubstr("more than its storage"));
  EXPECT_THAT(WhyRefused({"w", "0", 0, {2, 3}, {1}}), HasSubstr("not what torch.save() writes"));
  EXPECT_THAT(WhyRefused({"w", "1", 0, {6}, {1}}), HasSubstr("holds no w/data/1"));
  EXPECT_THAT(WhyRefused({"w", "0", 0, {6}, {1}, "FloatStorage", 7}), HasSubstr("not 7 elements"));
  EXPECT_THAT(WhyRefused({"w", "0", 0, {6}, {1}, "ComplexFloatStorage"}),
              HasSubstr("names torch.ComplexFloatStorage"));
}

TEST(TorchState, RefusesArchivesOfSomethingElse) {
  const std::string pickle = PickledState({{"w", "0", 0, {6}, {1}}});
  EXPECT_THAT(Refused(Zip({{"w/data.pkl", pickle}, {"w/constants.pkl", "x"}})).what,
              HasSubstr("the TorchScript file holds no module"));
  EXPECT_THAT(Refused(Zip({{"w/data.pkl", pickle}, {"w/byteorder", "big"}})).what,
              HasSubstr("highest byte first"));
  EXPECT_THAT(Refused(Zip({{"readme", "x"}})).what, HasSubstr("holds no data.pkl"));
  EXPECT_THAT(Refused(Archive("\x80\2K\1.")).what, HasSubstr("no state dict"));
}

TEST(TorchState, OutlivesDamageAnywhere) {
  const std::string whole = Archive(PickledState({{"w", "0", 0, {3, 2}, {1, 3}}}));
  ASSERT_TRUE(ReadTorchState(whole, "", "w.pt").ok());
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff, int(whole[at]) ^ 1}) {
      std::string bytes = whole;
      bytes[at] = char(value);
      const auto read = ReadTorchState(bytes, "", "w.pt");
      if (!read.ok()) {
        ASSERT_EQ(FaultOf(read.status()).exit, Exit::kInput) << at;
      }
    }
    ASSERT_FALSE(ReadTorchState(whole.substr(0, at), "", "w.pt").ok()) << at;
  }
}

// As above, without a checksum before the pickle.
TEST(TorchState, OutlivesPicklesThatSayAnything) {
  const std::vector<TestTensor> tensors = {{"w", "0", 0, {3, 2}, {1, 3}}};
  for (const std::string& pickle : {PickledState(tensors), PickledStateOfProtocol4(tensors)}) {
    for (size_t at = 0; at < pickle.size(); ++at) {
      for (const int value :
           {0, 1, int('t'), int('u'), int('R'), int('Q'), 0x7f, 0x93, 0x94, 0xff}) {
        std::string bytes = pickle;
        bytes[at] = char(value);
        const auto read = ReadTorchState(Archive(bytes), "", "w.pt");
        if (!read.ok()) {
          ASSERT_EQ(FaultOf(read.status()).exit, Exit::kInput) << at;
        }
      }
    }
  }
}

std::string OldState(const std::vector<TestTensor>& tensors) {
  std::string state = PickledState(tensors);
  // The sixth part of a storage's name: nothing.
  for (size_t at = 0; (at = state.find("tQ", at)) != state.npos; at += 3) state.insert(at, "N");
  return state;
}

TEST(TorchState, ReadsWhatVersionsBefore16Wrote) {
  const std::string file = OldFile(OldState({{"w", "94", 0, {2, 3}, {3, 1}},
                                             {"turned", "94", 0, {3, 2}, {1, 3}},
                                             {"steps", "7", 0, {2}, {1}, "LongStorage", 2}}),
                                   {{"7", 2, Little(40, 8) + Little(41, 8)}, {"94", 6, Floats()}});
  const auto state = ReadTorchState(file, "", "w.pth");
  ASSERT_TRUE(state.ok()) << FaultOf(state.status()).why;
  ASSERT_EQ(state->tensors.size(), 3u);
  EXPECT_EQ(state->tensors[0].name, "steps");
  EXPECT_EQ(state->tensors[0].dtype, "I64");
  EXPECT_EQ(state->tensors[0].data[8], std::byte{41});
  EXPECT_EQ(Values(state->tensors[1]), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Values(state->tensors[2]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(TorchState, RefusesOldFilesThatDoNotHoldWhatTheyName) {
  const std::string state = OldState({{"w", "94", 0, {6}, {1}}});
  const auto why = [](const std::string& file) { return Refused(file).why; };
  EXPECT_THAT(why(OldFile(state, {{"94", 6, Floats()}}, false)), HasSubstr("highest byte first"));
  EXPECT_THAT(why(OldFile(state, {})), HasSubstr("it has no storage \"94\""));
  EXPECT_THAT(why(OldFile(state, {{"95", 6, Floats()}})),
              HasSubstr("what its storage \"95\" holds"));
  EXPECT_THAT(why(OldFile(state, {{"94", 7, Floats()}})), HasSubstr("it ends before"));
  EXPECT_THAT(why(OldFile(state, {{"94", ~uint64_t{0}, Floats()}})), HasSubstr("it ends before"));
  EXPECT_THAT(why(OldFile(state, {{"94", 5, Floats()}})), HasSubstr("not 6 elements"));
}

TEST(TorchState, RunsNoCodeOfAnOldFile) {
  const std::string file =
      OldFile("\x80\2cos\nsystem\n" + PickledText("touch /tmp/x") + "\x85R.", {});
  EXPECT_THAT(Refused(file).why, HasSubstr("names os.system, which is not a part of a state dict"));
}

TEST(TorchState, OutlivesDamageAnywhereInAnOldFile) {
  const std::string whole =
      OldFile(OldState({{"w", "94", 0, {3, 2}, {1, 3}}}), {{"94", 6, Floats()}});
  ASSERT_TRUE(ReadTorchState(whole, "", "w.pth").ok());
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff, int(whole[at]) ^ 1}) {
      std::string bytes = whole;
      bytes[at] = char(value);
      const auto read = ReadTorchState(bytes, "", "w.pth");
      if (!read.ok()) {
        ASSERT_EQ(FaultOf(read.status()).exit, Exit::kInput) << at;
      }
    }
    ASSERT_FALSE(ReadTorchState(whole.substr(0, at), "", "w.pth").ok()) << at;
  }
}

// A module as torch.jit.save() pickles it, with these attributes, each a name and a value.
std::string PickledModule(const std::string& type, const std::string& attributes) {
  return "c__torch__\n" + type + "\n)\x81}(" + PickledText("training") + "\x88" + attributes + "ub";
}

std::string ScriptArchive(const std::string& pickle) {
  return Zip({{"net/data.pkl", pickle},
              {"net/code/__torch__.py", "import os"},
              {"net/constants.pkl", "\x80\2)."},
              {"net/data/0", Floats()},
              {"net/data/1", Little(40, 8)}});
}

std::string Attribute(const TestTensor& tensor) {
  return PickledText(tensor.name) + PickledTensor(tensor);
}

// A module with another below it and, beside their tensors, what modules hold of other things.
std::string Modules() {
  const std::string list = "ctorch.jit._pickle\nbuild_intlist\n(](K\3K\4etR";
  const std::string below = PickledModule(
      "torch.nn.Norm", Attribute({"running_mean", "0", 0, {6}, {1}}) + PickledText("sizes") + list +
                           Attribute({"num_batches_tracked", "1", 0, {}, {}, "LongStorage", 1}));
  return "\x80\2" +
         PickledModule("Net", Attribute({"w", "0", 0, {3, 2}, {1, 3}}) + PickledText("bias") + "N" +
                                  PickledText("norm") + below) +
         ".";
}

TEST(TorchScriptState, HasTheNamesOfItsStateDict) {
  const std::string archive = ScriptArchive(Modules());
  const auto state = ReadTorchState(archive, "", "net.pt");
  ASSERT_TRUE(state.ok()) << FaultOf(state.status()).why;
  ASSERT_EQ(state->tensors.size(), 3u);
  EXPECT_EQ(state->tensors[0].name, "norm.num_batches_tracked");
  EXPECT_EQ(state->tensors[0].dtype, "I64");
  EXPECT_EQ(state->tensors[1].name, "norm.running_mean");
  EXPECT_EQ(Values(state->tensors[1]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(state->tensors[2].name, "w");
  EXPECT_EQ(Values(state->tensors[2]), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(TorchScriptState, IsRefusedWithoutTensorsAndWithAKey) {
  const std::string frozen = ScriptArchive("\x80\2" + PickledModule("Net", "") + ".");
  EXPECT_THAT(Refused(frozen).why, HasSubstr("torch.jit.freeze()"));
  const Fault keyed = Refused(ScriptArchive(Modules()), "model");
  EXPECT_EQ(keyed.exit, Exit::kUsage);
  EXPECT_THAT(keyed.what, HasSubstr("--key is for"));
}

TEST(TorchScriptState, NamesWhatItDoesNotRead) {
  const std::string call =
      PickledText("w") + "ctorch._utils\n_rebuild_qtensor\n" + PickledText("x") + "\x85R";
  EXPECT_THAT(Refused(ScriptArchive("\x80\2" + PickledModule("Net", call) + ".")).why,
              HasSubstr("names torch._utils._rebuild_qtensor"));
  EXPECT_THAT(Refused(ScriptArchive("\x80\2cos\nsystem\n)\x81.")).why, HasSubstr("os.system"));
  EXPECT_THAT(Refused(ScriptArchive("\x80\2ctorch\nFloatStorage\n)\x81.")).why,
              HasSubstr("an object of what is not a class of the file"));
}

// Each module holds the next one twice, so that the last one has 2^40 names.
TEST(TorchScriptState, DoesNotFollowModulesThatShareOthersForEver) {
  std::string module = PickledModule("Net", Attribute({"w", "0", 0, {6}, {1}}));
  for (int i = 0; i < 40; ++i) {
    const std::string again = "h" + Little(uint64_t(i), 1);
    module = PickledModule(
        "Net", PickledText("a") + module + "q" + Little(uint64_t(i), 1) + PickledText("b") + again);
  }
  EXPECT_THAT(Refused(ScriptArchive("\x80\2" + module + ".")).why, HasSubstr("over 200,000"));
  const std::string itself = "\x80\2c__torch__\nNet\n)\x81q" + Little(0, 1) + "}(" +
                             PickledText("a") + "h" + Little(0, 1) + "ub.";
  EXPECT_THAT(Refused(ScriptArchive(itself)).why, HasSubstr("more than 64 deep"));
}

TEST(TorchScriptState, OutlivesPicklesThatSayAnything) {
  const std::string pickle = Modules();
  for (size_t at = 0; at < pickle.size(); ++at) {
    for (const int value : {0, 1, int('t'), int('b'), int('R'), int('Q'), 0x7f, 0x81, 0x93, 0xff}) {
      std::string bytes = pickle;
      bytes[at] = char(value);
      const auto read = ReadTorchState(ScriptArchive(bytes), "", "net.pt");
      if (!read.ok()) {
        ASSERT_EQ(FaultOf(read.status()).exit, Exit::kInput) << at;
      }
    }
  }
}

}  // namespace
}  // namespace protium
