// SPDX-License-Identifier: Apache-2.0
#include "nets/id_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/fault.h"
#include "nets/kernel_net.h"
#include "tensor/philox.h"
#include "tensor/weights.h"

namespace protium {
namespace {

using testing::ElementsAre;

constexpr uint64_t kMinusOne = ~uint64_t{0}, kHalf = uint64_t{1} << 63;

struct Cells {
  float number;
  int32_t category;
  uint64_t first, second;
};

// Rows with a number, a category of 3 and two columns of ids.
struct SomeRows {
  explicit SomeRows(const std::vector<Cells>& rows) : bytes(rows.size() * size_t(schema.width())) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto put = [&](std::string_view field, const void* from, size_t count) {
        std::memcpy(&bytes[i * size_t(schema.width()) + size_t(schema.Find(field)->offset)], from,
                    count);
      };
      put(kNumericField, &rows[i].number, sizeof(float));
      put(kCategoriesField, &rows[i].category, sizeof(int32_t));
      put(kIdsField, &rows[i].first, 2 * sizeof(uint64_t));
    }
  }
  BatchRows batch() const { return {schema, bytes.data(), int64_t(bytes.size()) / schema.width()}; }
  RowSchema schema =
      MakeRowSchema({.numeric = {"x"}, .categories = {"a"}, .ids = {"first", "second"}});
  std::vector<std::byte> bytes;
};

const std::vector<Cells>& AllCells() {
  static const std::vector<Cells> cells = {
      {0.5f, 0, 0, 9}, {-1, 2, kMinusOne, 7}, {2, 1, kHalf, 9}, {1, 0, kMinusOne, 8}};
  return cells;
}

struct Made {
  Made(const std::string& name, const std::vector<std::vector<uint64_t>>& ids,
       const Json& options = Json::object()) {
    const SomeRows rows(AllCells());
    NetInputs inputs{.rows = rows.schema, .cardinalities = {3}};
    inputs.ids = IdTables::Make(ids, 5).ValueOrDie();
    net = BuildNet(KernelNets(), name, options, inputs).ValueOrDie();
    weights = Weights::Make(*net).ValueOrDie();
    // The net's key in a training with this seed.
    net->Initialise(DrawKey(DrawTag::kInitialise, {5}));
  }
  std::vector<float> Predict(const SomeRows& rows) const {
    const FloatValues out = net->Forward(rows.batch(), nullptr);
    return {out.host().begin(), out.host().end()};
  }
  std::unique_ptr<Net> net;
  std::unique_ptr<Weights> weights;
};

const std::vector<std::vector<uint64_t>> kAll = {{0, kHalf, kMinusOne}, {7, 8, 9}};

}  // namespace

TEST(IdRows, HaveThePositionsOfIdsBehindTheirCategories) {
  const IdRows ids(1, 1, IdTables::Make({{0, kMinusOne}, {7, 9}}, 5).ValueOrDie());
  const SomeRows rows(AllCells());
  std::vector<std::byte> memory;
  const PackedRows resolved = ids.Resolve(rows.batch(), memory);
  const auto row = [&](int64_t i) {
    const int32_t* const from = resolved.ints(kCategoriesField).at(i);
    return std::vector<int32_t>(from, from + 3);
  };
  EXPECT_THAT(row(0), ElementsAre(0, 0, 1));
  EXPECT_THAT(row(1), ElementsAre(2, 1, 0));
  EXPECT_THAT(row(2), ElementsAre(1, kUnseenId, 1));
  EXPECT_THAT(row(3), ElementsAre(0, 1, kUnseenId));
  EXPECT_EQ(*resolved.floats(kNumericField).at(2), 2);
}

// An untrained net has for each id the row that it begins with, stored or not.
TEST(IdRows, OfIdsThatAreNotStoredAreThoseThatTheyBeginWith) {
  const SomeRows rows(AllCells());
  for (const std::string& name : LayeredNetNames()) {
    SCOPED_TRACE(name);
    const Made all(name, kAll), some(name, {{0}, {9}});
    EXPECT_EQ(some.Predict(rows), all.Predict(rows));
  }
}

TEST(IdRows, AreLearnedByTheirIds) {
  const SomeRows rows(AllCells());
  const Made made("linear", kAll);
  constexpr uint64_t kKey = 3;
  const FloatValues out = made.net->Forward(rows.batch(), &kKey);
  std::vector<float> by = {1, 2, 4, 8}, defined(made.weights->parts().size());
  std::vector<float> gradient(size_t(made.weights->size()));
  const auto sink = made.weights->Views(gradient.data());
  made.net->Backward({by.data(), out.shape}, {sink, false, defined});
  const auto table = [&](size_t parameter) {
    const auto values = sink[parameter].host();
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_THAT(table(1), ElementsAre(1, 4, 2 + 8));  // 0, 2^63, -1
  EXPECT_THAT(table(2), ElementsAre(2, 8, 1 + 4));  // 7, 8, 9
}

TEST(IdRows, AreStoredWithTheirIds) {
  const Made made("tabular_mlp", kAll, {{"embedding", 2}});
  std::vector<std::string> names;
  for (const NamedTensor& each : made.weights->Tensors()) names.push_back(each.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"embedding.1.weight", "ids.0", "ids.1", "ids.seed"}));
  const std::string bytes = SafetensorsBytes(made.weights->Tensors());
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  const Safetensors file = Safetensors::Parse({data, data + bytes.size()}, "a file").ValueOrDie();
  EXPECT_TRUE(made.weights->Load(file, "a file").ok());
  const Made other("tabular_mlp", {{1, kHalf, kMinusOne}, {7, 8, 9}}, {{"embedding", 2}});
  const Status refused = other.weights->Load(file, "a file");
  EXPECT_THAT(FaultOf(refused).why, testing::HasSubstr("its ids.0 are others than the net's"));
}

}  // namespace protium
