// SPDX-License-Identifier: Apache-2.0
// The bits of a forest are a promise, on every processor: these were computed on x86-64.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "format/file.h"
#include "protium/losses.h"
#include "tensor/philox.h"
#include "trees/testing/forest_world.h"

namespace protium {
namespace {

struct Grown {
  const char* name;
  Choice loss;
  int64_t classes;    // 0: the label is a number,
  float least, most;  // from here to there.
  const char* hash;   // The first digits of the weights' file's.
};
void PrintTo(const Grown& grown, std::ostream* out) { *out << grown.name; }

// Labels that numbers and a category explain in part; every fifth number is missing.
TreeTable MakeTable(const Grown& grown) {
  constexpr size_t kRows = 900;
  TreeTable table{.columns = {{"a"}, {"b"}, {"k", 12}}};
  table.features.assign(3, std::vector<float>(kRows));
  for (size_t c = 0; c < 3; ++c) DrawUniform(c + 1, 0, 1, table.features[c]);
  table.weights.assign(kRows, 1);
  for (size_t i = 0; i < kRows; ++i) {
    table.features[2][i] = float(int(table.features[2][i] * 12));
    const float a = table.features[0][i], b = table.features[1][i];
    const float score = (a + b * b + (table.features[2][i] > 7 ? 1 : 0)) / 3;  // 0 to 1.
    table.labels.push_back(grown.least + (grown.most - grown.least) * score);
    if (grown.classes > 0) table.labels.back() = float(int(score * 0.999f * float(grown.classes)));
    if (i % 5 == 0) table.features[1][i] = kMissing;
  }
  return table;
}

class ForestBits : public testing::TestWithParam<Grown> {};

TEST_P(ForestBits, StayTheSame) {
  BoostSpec spec = SpecFor(GetParam().loss, GetParam().classes);
  spec.trees = {.rounds = 8, .learning_rate = 0.3, .leaves = 15};
  spec.trees.rows = 0.7;
  spec.folder = testing::TempDir() + "forest-bits-" + GetParam().name;
  const auto trained = ForestWorld{.spec = spec, .world = 2}.Train(MakeTable(GetParam()));
  ASSERT_TRUE(trained.status().ok()) << trained.status();
  EXPECT_EQ(FileSha256(trained.outcome.weights)->substr(0, 12), GetParam().hash);
  std::filesystem::remove_all(spec.folder);
}

INSTANTIATE_TEST_SUITE_P(
    Of, ForestBits,
    testing::Values(Grown{"Squared", MeanSquaredError(), 0, -3, 5, "c502a5f21b85"},
                    Grown{"Poisson", Poisson(), 0, 0, 6, "81728ebb8740"},
                    Grown{"Tweedie", Tweedie(), 0, 0, 6, "9262c88e5f35"},
                    Grown{"YesOrNo", BinaryCrossEntropy(), 2, 0, 1, "071c768d8cd2"},
                    Grown{"Classes", CrossEntropy(), 4, 0, 1, "1d9929406e21"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace protium
