// SPDX-License-Identifier: Apache-2.0
#include "format/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

const float kA[6] = {1, 2, 3, 4, 5, 6};
const double kB[1] = {0.5};

std::vector<NamedTensor> TwoTensors() {
  return {{"b.weight", "F32", {2, 3}, std::as_bytes(std::span(kA))},
          {"a.scale", "F64", {}, std::as_bytes(std::span(kB))}};
}

std::vector<std::byte> MakeFile(std::string header, size_t data_bytes) {
  std::vector<std::byte> file(8 + header.size() + data_bytes);
  const uint64_t length = header.size();
  std::memcpy(file.data(), &length, 8);
  std::memcpy(file.data() + 8, header.data(), header.size());
  return file;
}

std::string WhyRefused(std::vector<std::byte> file) {
  const auto read = Safetensors::Parse(std::move(file), "x");
  return read.ok() ? "accepted" : FaultOf(read.status()).why;
}

TEST(Safetensors, GivesBackWhatWasWritten) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  ASSERT_TRUE(WriteSafetensors(folder.path() / "w", TwoTensors(), {{"net", "tabular_mlp"}}).ok());
  const auto file = Safetensors::Read(folder.path() / "w").ValueOrDie();
  EXPECT_EQ(file.metadata().at("net"), "tabular_mlp");
  ASSERT_EQ(file.tensors().size(), 2u);
  EXPECT_EQ(file.tensors()[0].name, "a.scale");
  const NamedTensor* b = file.Find("b.weight");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(b->data.data(), kA, sizeof kA), 0);
  EXPECT_EQ(file.Find("c"), nullptr);
}

TEST(Safetensors, HashesWeightsByNameWhateverTheirOrder) {
  auto tensors = TwoTensors();
  const std::string one = WeightsSha256(tensors);
  std::swap(tensors[0], tensors[1]);
  EXPECT_EQ(WeightsSha256(tensors), one);
  tensors[0].shape = {1};
  EXPECT_NE(WeightsSha256(tensors), one);
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  ASSERT_TRUE(WriteSafetensors(folder.path() / "w", TwoTensors(), {{"x", "y"}}).ok());
  EXPECT_EQ(WeightsSha256(folder.path() / "w").ValueOrDie(), one);
}

TEST(Safetensors, RefusesHeadersThatLie) {
  EXPECT_EQ(WhyRefused({}), "it is shorter than its own length field");
  auto file = MakeFile("{}", 0);
  file[7] = std::byte{0xff};
  EXPECT_THAT(WhyRefused(file), testing::StartsWith("its header claims"));
  EXPECT_EQ(WhyRefused(MakeFile("[]", 0)), "its header is not a JSON object");
  EXPECT_EQ(WhyRefused(MakeFile("{\"a\":", 0)), "its header is not a JSON object");
  EXPECT_EQ(WhyRefused(MakeFile("{}", 3)), "3 bytes follow the last tensor");
}

TEST(Safetensors, RefusesTensorsThatDoNotFitTheirData) {
  const auto one = [](const std::string& dtype, const std::string& shape, const std::string& at) {
    return WhyRefused(MakeFile(
        "{\"a\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + at + "}}",
        8));
  };
  EXPECT_EQ(one("F32", "[2]", "[0,8]"), "accepted");
  EXPECT_EQ(one("F31", "[2]", "[0,8]"), "tensor a: unknown dtype");
  EXPECT_EQ(one("F32", "[-2]", "[0,8]"), "tensor a: shape must hold whole numbers");
  EXPECT_EQ(one("F32", "[2.0]", "[0,8]"), "tensor a: shape must hold whole numbers");
  EXPECT_EQ(one("F32", "[3]", "[0,8]"), "tensor a: data_offsets do not fit the shape");
  EXPECT_EQ(one("F32", "[4611686018427387904,4]", "[0,0]"),
            "tensor a: data_offsets do not fit the shape");
  EXPECT_EQ(one("F32", "[2]", "[8,0]"), "tensor a: data_offsets do not fit the shape");
  EXPECT_EQ(one("F32", "[2]", "[0,18446744073709551615]"),
            "tensor a: data_offsets must be two whole numbers");
  EXPECT_THAT(one("F32", "[4]", "[0,16]"), testing::HasSubstr("of 8 bytes"));
  EXPECT_THAT(one("F32", "[1]", "[4,8]"), testing::HasSubstr("data continues at 0"));
}

TEST(Safetensors, RefusesOverlapAndRepeatedNames) {
  const std::string a = "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}";
  const std::string b = "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}";
  EXPECT_THAT(WhyRefused(MakeFile("{\"a\":" + a + ",\"b\":" + b + "}", 8)),
              testing::HasSubstr("data continues at 8"));
  EXPECT_NE(WhyRefused(MakeFile("{\"a\":" + a + ",\"a\":" + a + "}", 16)), "accepted");
}

TEST(Safetensors, EveryTruncationAndEveryFlippedHeaderByteIsHandled) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  ASSERT_TRUE(WriteSafetensors(folder.path() / "w", TwoTensors()).ok());
  std::ifstream in(folder.path() / "w", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  for (size_t n = 0; n < text.size(); ++n) {
    EXPECT_FALSE(Safetensors::Parse({bytes, bytes + n}, "x").ok()) << n;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    for (const int bit : {0, 3, 5, 7}) {
      std::vector<std::byte> file(bytes, bytes + text.size());
      file[i] ^= std::byte(1 << bit);
      const auto read = Safetensors::Parse(std::move(file), "x");
      EXPECT_TRUE(!read.ok() || read->tensors().size() <= 2u);
    }
  }
}

TEST(Safetensors, AFailedWriteNamesThePath) {
  const auto status = WriteSafetensors("/proc/w.safetensors", TwoTensors());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(FaultOf(status).what, testing::HasSubstr("/proc/w.safetensors"));
}

// Eight times the tensors take about eight times as long; if each were compared with all others, 64
// times.
TEST(Safetensors, TakesATimeThatGrowsWithItsTensors) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const auto seconds = [&](int number) {
    std::vector<NamedTensor> tensors;
    for (int i = 0; i < number; ++i) tensors.push_back({"t" + std::to_string(i), "F32", {0}, {}});
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(WriteSafetensors(folder.path() / "w", tensors).ok());
    const auto read = Safetensors::Read(folder.path() / "w").ValueOrDie();
    EXPECT_EQ(read.tensors().size(), size_t(number));
    for (const NamedTensor& each : tensors) EXPECT_NE(read.Find(each.name), nullptr);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double few = std::min(seconds(40'000), seconds(40'000));
  EXPECT_LT(seconds(320'000), 30 * few + 0.2);
}

}  // namespace
}  // namespace protium
