// SPDX-License-Identifier: Apache-2.0
#include "weights/weights_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/fault.h"
#include "os/file.h"
#include "weights/testing/test_archive.h"

namespace protium {
namespace {

using testing::HasSubstr;

template <class Item>
Result<std::vector<float>> Floats(const std::string& dtype, const std::vector<Item>& items,
                                  bool* rounded = nullptr) {
  PT_LET(const FloatTensors floats,
         ToFloat32({{"t", dtype, {int64_t(items.size())}, std::as_bytes(std::span(items))}}));
  if (rounded != nullptr) *rounded = !floats.rounded.empty();
  std::vector<float> values(items.size());
  std::memcpy(values.data(), floats.tensors[0].data.data(), floats.tensors[0].data.size());
  return values;
}

TEST(ToFloat32, KeepsEveryValueOfTheSmallerTypes) {
  // 1, -2, the least and the greatest of binary16, one below its normal range, infinity.
  EXPECT_EQ(*Floats<uint16_t>("F16", {0x3c00, 0xc000, 0x0001, 0x7bff, 0x8200, 0x7c00}),
            (std::vector<float>{1, -2, 0x1p-24f, 65504, -0x1p-15f, INFINITY}));
  EXPECT_TRUE(std::isnan(Floats<uint16_t>("F16", {0x7e00})->front()));
  EXPECT_EQ(*Floats<uint16_t>("BF16", {0x3f80, 0xc000}), (std::vector<float>{1, -2}));
  EXPECT_EQ(*Floats<int64_t>("I64", {3, -16777216}), (std::vector<float>{3, -16777216}));
  EXPECT_EQ(*Floats<uint8_t>("BOOL", {0, 1}), (std::vector<float>{0, 1}));
}

TEST(ToFloat32, SaysWhatItRoundsAndRefusesWhatItCannotHold) {
  bool rounded = true;
  EXPECT_EQ(*Floats<double>("F64", {0.5}, &rounded), (std::vector<float>{0.5f}));
  EXPECT_FALSE(rounded);
  EXPECT_EQ(*Floats<double>("F64", {0.1}, &rounded), (std::vector<float>{0.1f}));
  EXPECT_TRUE(rounded);
  const auto beyond = Floats<int64_t>("I64", {16777217});
  EXPECT_THAT(FaultOf(beyond.status()).why, HasSubstr("16777217, which is beyond 2^24"));
  EXPECT_FALSE(Floats<uint64_t>("U64", {1}).ok());
}

class Files : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& bytes) {
    const auto path = folder_.path() / "weights";
    EXPECT_TRUE(WriteFile(path, bytes).ok());
    return path;
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(Files, AreReadByWhatTheyHold) {
  const std::string archive =
      Zip({{"w/data.pkl", PickledState({{"w", "0", 0, {1}, {1}, "FloatStorage", 1}})},
           {"w/data/0", std::string("\0\0\x80\x3f", 4)}});
  const auto torch = WeightsFile::Read(Write(archive));
  ASSERT_TRUE(torch.ok()) << torch.status();
  EXPECT_EQ(torch->tensors().front().name, "w");
  const float one = 1;
  const std::vector<NamedTensor> tensors = {{"v", "F32", {1}, std::as_bytes(std::span(&one, 1))}};
  ASSERT_TRUE(WriteSafetensors(folder_.path() / "s", tensors).ok());
  const auto safe = WeightsFile::Read(folder_.path() / "s");
  ASSERT_TRUE(safe.ok()) << safe.status();
  EXPECT_EQ(safe->tensors().front().name, "v");
  EXPECT_EQ(FaultOf(WeightsFile::Read(folder_.path() / "s", "ema").status()).exit, Exit::kUsage);
}

TEST_F(Files, OfEarlierVersionsAndOfNothingAreRefused) {
  const Fault old = FaultOf(WeightsFile::Read(Write("\x80\2\x8a\nl\xfc\x9c")).status());
  EXPECT_THAT(old.what, HasSubstr("is a pickle"));
  EXPECT_EQ(FaultOf(WeightsFile::Read(Write("")).status()).exit, Exit::kInput);
  EXPECT_EQ(FaultOf(WeightsFile::Read(folder_.path() / "none").status()).exit, Exit::kInput);
}

}  // namespace
}  // namespace protium
