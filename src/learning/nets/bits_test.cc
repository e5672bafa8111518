// SPDX-License-Identifier: Apache-2.0
// The bits of weights and predictions are a promise: training a model again gives the same one.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "base/digest.h"
#include "nets/kernel_net.h"
#include "tensor/testing/synthetic_rows.h"
#include "tensor/weights.h"

namespace protium {
namespace {

struct Bits {
  const char* name;
  const char* net;
  const char* options;
  int64_t numbers;
  std::vector<int64_t> cardinalities;
  int64_t outputs;
  // The first digits of hashes: of the first weights; of outputs, gradients and running statistics
  // in training; of predictions after it.
  const char* hashes;
};
void PrintTo(const Bits& bits, std::ostream* out) { *out << bits.name; }

class NetBits : public testing::TestWithParam<Bits> {
 protected:
  std::string HashStart() {
    net_->Initialise(77);
    return Hash({weights_->parameters(), weights_->buffers()});
  }

  // Starts from other weights, none of which is 0 or 1. Two shards, whose gradients are summed.
  std::string HashTraining() {
    DrawUniform(3, -0.5f, 0.5f, weights_->parameters());
    std::vector<float> gradients(size_t(weights_->size())), defined(weights_->parts().size());
    std::vector<float> outputs;
    const auto sink = weights_->Views(gradients.data());
    for (const int64_t begin : {0, 100}) {
      const uint64_t key = 5 + uint64_t(begin);
      const FloatValues given = net_->Forward(rows_.batch(begin, begin + 97), &key);
      outputs.insert(outputs.end(), given.data, given.data + given.count());
      std::vector<float> by(size_t(given.count()));
      DrawUniform(key, -1, 1, by);
      net_->Backward({by.data(), given.shape}, {sink, begin > 0, defined});
    }
    return Hash({outputs, gradients, weights_->buffers()});
  }

  std::string HashPredictions() { return Hash({net_->Forward(rows_.batch(), nullptr).host()}); }

 private:
  static std::string Hash(std::initializer_list<std::span<const float>> all) {
    Sha256 hash;
    for (const auto& values : all) hash.Add(std::as_bytes(values));
    return hash.Hex().substr(0, 8);
  }

  NetInputs inputs_ =
      TabularInputs(GetParam().numbers, GetParam().cardinalities, GetParam().outputs);
  SyntheticRows rows_{{.rows = 203,
                       .numeric = GetParam().numbers,
                       .cardinalities = GetParam().cardinalities,
                       .seed = 9}};
  std::unique_ptr<Net> net_ =
      BuildNet(KernelNets(), GetParam().net, Json::parse(GetParam().options), inputs_).ValueOrDie();
  std::unique_ptr<Weights> weights_ = Weights::Make(*net_).ValueOrDie();
};

TEST_P(NetBits, StayTheSame) {
  std::string hashes = HashStart();
  hashes += " " + HashTraining();
  hashes += " " + HashPredictions();
  EXPECT_EQ(hashes, GetParam().hashes);
}

INSTANTIATE_TEST_SUITE_P(
    Of, NetBits,
    testing::Values(
        Bits{"Linear", "linear", R"({})", 5, {7, 300}, 3, "e4730b22 c7502196 f830a8f5"},
        Bits{"LinearOfNumbers", "linear", R"({})", 5, {}, 1, "38723a2e 979608b5 afe4fe74"},
        Bits{"LinearOfCategories", "linear", R"({})", 0, {7, 300}, 2, "8ce8ba8e 940ca65e fe47099d"},
        Bits{"Mlp",
             "tabular_mlp",
             R"({"hidden": [33, 8]})",
             5,
             {7, 300, 3, 129, 128},
             1,
             "7856aded 26faf07f 44b3b3c8"},
        Bits{"MlpWithDropout",
             "tabular_mlp",
             R"({"hidden": [33, 20], "dropout": 0.3})",
             5,
             {7, 3},
             2,
             "43dec01d 9fae44bf 833aba7c"},
        Bits{"MlpWithNorm",
             "tabular_mlp",
             R"({"hidden": [33, 20], "batch_norm": true, "initial_weights": "glorot"})",
             5,
             {7, 300},
             1,
             "627307c6 167516a0 d6bbf495"},
        Bits{"MlpWithBoth",
             "tabular_mlp",
             R"({"hidden": [16, 12, 9], "dropout": 0.25, "batch_norm": true, "embedding": 3})",
             4,
             {300, 3},
             3,
             "bb567ed7 3699374b e3ccbedc"},
        Bits{"MlpWithoutHidden",
             "tabular_mlp",
             R"({"hidden": []})",
             3,
             {300, 7},
             1,
             "f813c70f 33e09410 43581881"},
        Bits{"MlpOfNumbers",
             "tabular_mlp",
             R"({"hidden": [40]})",
             6,
             {},
             1,
             "702f8713 f47bf0f2 d819098d"},
        Bits{"MlpOfCategories",
             "tabular_mlp",
             R"({"hidden": [40]})",
             0,
             {9, 400},
             1,
             "530d9bf9 5d804ae5 81e3ee9b"},
        Bits{"Tabm",
             "tabm",
             R"({"members": 5, "hidden": [33, 20], "dropout": 0.2})",
             5,
             {7, 300},
             3,
             "92054e12 f682ddef c484ea16"},
        Bits{"TabmOfNumbersAsTheyAre",
             "tabm",
             R"({"members": 16, "hidden": [16], "pieces": 0})",
             4,
             {},
             1,
             "80087c8c 2830a83d a20222b5"},
        Bits{"Dlrm",
             "dlrm",
             R"({"bottom": [33], "top": [20, 9], "embedding": 5})",
             5,
             {7, 300, 3},
             3,
             "b4a0edc7 d9b3bb94 40e3dd27"},
        Bits{"DlrmOfCategories",
             "dlrm",
             R"({"bottom": [33], "top": [20], "embedding": 16})",
             0,
             {7, 300, 3, 129},
             1,
             "203429a0 64ff3980 761a82f3"},
        Bits{"WideAndDeep",
             "wide_and_deep",
             R"({"hidden": [16, 8], "dropout": 0.1, "batch_norm": true})",
             4,
             {7, 300},
             2,
             "f523d50b 050e01cb ba8dedf4"},
        Bits{"WideOnly",
             "wide_and_deep",
             R"({"hidden": [16], "wide_only": ["c1"]})",
             4,
             {7, 300, 20},
             1,
             "8fcd02a2 70cfcb6b 499c6635"},
        Bits{"WideAlone",
             "wide_and_deep",
             R"({"hidden": [5], "wide_only": ["c0", "c1"]})",
             2,
             {7, 300},
             1,
             "972b98cc 84bebfa7 123ece6f"}),
    [](const auto& bits) { return bits.param.name; });

}  // namespace
}  // namespace protium
