// SPDX-License-Identifier: Apache-2.0
#include "nets/kernel_net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "nets/pieces.h"
#include "tensor/norm_statistics.h"
#include "tensor/testing/synthetic_rows.h"
#include "tensor/weights.h"

namespace protium {
namespace {

using testing::ElementsAre;

struct Made {
  Made(const char* name, const Json& options, const NetInputs& inputs)
      : net(BuildNet(KernelNets(), name, options, inputs).ValueOrDie()),
        weights(Weights::Make(*net).ValueOrDie()) {
    net->Initialise(1);
  }
  std::unique_ptr<Net> net;
  std::unique_ptr<Weights> weights;
};

constexpr uint64_t kKey = 6;

std::vector<float> Copy(const FloatValues& values) {
  return {values.host().begin(), values.host().end()};
}

// Checks a net's derivatives of the sum of all outputs, each with its own factor.
class Slopes {
 public:
  Slopes(const char* name, const Json& options, const NetInputs& inputs)
      : made_(name, options, inputs),
        rows_({.rows = 33,
               .numeric = inputs.Width(kNumericField),
               .cardinalities = inputs.cardinalities,
               .seed = 3}),
        by_(size_t(33 * made_.net->members() * inputs.outputs)) {
    // Not 0, where linear starts.
    DrawUniform(4, -0.5f, 0.5f, made_.weights->parameters());
    DrawUniform(5, -1, 1, by_);
  }

  // Of all batch norms.
  Slopes&& Frozen() && {
    auto& net = dynamic_cast<NormalisingNet&>(*made_.net);
    net.FreezeStatistics(std::vector<bool>(made_.net->buffers().size(), true));
    DrawUniform(7, 0.5f, 2, made_.weights->buffers());
    return std::move(*this);
  }

  double Value() {
    const FloatValues out = made_.net->Forward(rows_.batch(), &kKey);
    double sum = 0;
    for (size_t i = 0; i < by_.size(); ++i) sum += double(out.data[i]) * double(by_[i]);
    return sum;
  }

  // Difference quotients to the left and to the right: a ReLU may have its kink between them.
  std::pair<double, double> ByDifference(float& weight) {
    constexpr float kStep = 1.0f / 512;
    const float before = weight;
    const double here = Value();
    weight = before - kStep;
    const double left = (here - Value()) / double(kStep);
    weight = before + kStep;
    const double right = (Value() - here) / double(kStep);
    weight = before;
    return std::minmax({left, right});
  }

  // Checks some elements of every parameter.
  void ExpectEqual() {
    std::vector<float> gradient(size_t(made_.weights->size()), 100.0f);
    std::vector<float> defined(made_.weights->parts().size());
    const auto sink = made_.weights->Views(gradient.data());
    for (const bool add : {false, true}) {
      const FloatValues out = made_.net->Forward(rows_.batch(), &kKey);
      made_.net->Backward({by_.data(), out.shape}, {sink, add, defined});
    }
    for (size_t p = 0; p < sink.size(); ++p) {
      const auto& [offset, count] = made_.weights->parts()[p];
      for (int64_t i = 0; i < count; i += std::max<int64_t>(1, count / 7)) {
        const auto at = size_t(offset + i);
        const auto [low, high] = ByDifference(made_.weights->parameters()[at]);
        const double apart = 0.02 * std::max(1.0, high);
        EXPECT_GE(double(gradient[at]) / 2, low - apart) << made_.net->parameters()[p].name << i;
        EXPECT_LE(double(gradient[at]) / 2, high + apart) << made_.net->parameters()[p].name << i;
      }
      EXPECT_EQ(defined[p], 2);
    }
  }

 private:
  Made made_;
  SyntheticRows rows_;
  std::vector<float> by_;
};

TEST(KernelNet, GivesTheSlopesOfTheLinearModel) {
  for (const int64_t outputs : {1, 3}) {
    Slopes("linear", {}, TabularInputs(4, {}, outputs)).ExpectEqual();
    Slopes("linear", {}, TabularInputs(0, {5, 300}, outputs)).ExpectEqual();
    Slopes("linear", {}, TabularInputs(4, {5, 300}, outputs)).ExpectEqual();
  }
}

TEST(KernelNet, GivesTheSlopesOfFactorizationMachines) {
  for (const int64_t outputs : {1, 3}) {
    const Json options = {{"factors", 3}};
    Slopes("factorization_machine", options, TabularInputs(4, {}, outputs)).ExpectEqual();
    Slopes("factorization_machine", options, TabularInputs(0, {5, 300}, outputs)).ExpectEqual();
    Slopes("factorization_machine", options, TabularInputs(2, {5, 300}, outputs)).ExpectEqual();
  }
}

// The formula over pairs, in double.
TEST(KernelNet, AddsAProductForEveryPairOfColumns) {
  const NetInputs inputs = TabularInputs(2, {5, 300}, 2);
  const Made made("factorization_machine", {{"factors", 3}}, inputs);
  DrawUniform(4, -1, 1, made.weights->parameters());
  const SyntheticRows rows({.rows = 9, .numeric = 2, .cardinalities = {5, 300}, .seed = 3});
  const std::vector<float> out = Copy(made.net->Forward(rows.batch(), nullptr));
  const auto trained = Copy(made.net->Forward(rows.batch(), &kKey));
  const auto weight = [&](const char* name) {
    const auto& all = made.net->parameters();
    const size_t at = size_t(std::ranges::find(all, name, &Variable::name) - all.begin());
    return made.weights->parameters().data() + made.weights->parts()[at].offset;
  };
  for (int64_t i = 0; i < 9; ++i) {
    const int32_t* const categories = rows.batch().ints(kCategoriesField).at(i);
    const float* const x = rows.batch().floats(kNumericField).at(i);
    for (int64_t o = 0; o < 2; ++o) {
      std::vector<std::vector<double>> vectors(4);
      for (int64_t f = 0; f < 3; ++f) {
        const int64_t k = o * 3 + f;
        vectors[0].push_back(double(weight("embedding.0.weight")[categories[0] * 6 + k]));
        vectors[1].push_back(double(weight("embedding.1.weight")[categories[1] * 6 + k]));
        for (int64_t n = 0; n < 2; ++n) {
          vectors[size_t(2 + n)].push_back(double(x[n]) * double(weight("weight")[n * 6 + k]));
        }
      }
      double sum = double(weight("linear.bias")[o]) +
                   double(weight("linear.category.0.weight")[categories[0] * 2 + o]) +
                   double(weight("linear.category.1.weight")[categories[1] * 2 + o]);
      for (int64_t n = 0; n < 2; ++n) {
        sum += double(x[n]) * double(weight("linear.weight")[o * 2 + n]);
      }
      for (size_t a = 0; a < 4; ++a) {
        for (size_t b = a + 1; b < 4; ++b) {
          for (size_t f = 0; f < 3; ++f) sum += vectors[a][f] * vectors[b][f];
        }
      }
      EXPECT_NEAR(double(out[size_t(i * 2 + o)]), sum, 1e-4);
      EXPECT_NEAR(double(trained[size_t(i * 2 + o)]), sum, 1e-4);
    }
  }
}

const Json& SmallDlrm() {
  static const Json options = {{"bottom", {6}}, {"top", {7, 5}}, {"embedding", 3}};
  return options;
}

TEST(KernelNet, GivesTheSlopesOfDlrm) {
  for (const int64_t outputs : {1, 3}) {
    Slopes("dlrm", SmallDlrm(), TabularInputs(2, {5, 300}, outputs)).ExpectEqual();
    Slopes("dlrm", SmallDlrm(), TabularInputs(0, {5, 300, 4}, outputs)).ExpectEqual();
    Slopes("dlrm", SmallDlrm(), TabularInputs(4, {300}, outputs)).ExpectEqual();
    const Json shallow = {{"bottom", Json::array()}, {"top", Json::array()}, {"embedding", 4}};
    Slopes("dlrm", shallow, TabularInputs(2, {5, 300, 129}, outputs)).ExpectEqual();
  }
}

// The formulas of the paper, in double: x, then the products of each vector with those before it.
TEST(KernelNet, MultipliesEveryTwoVectorsOfDlrmBehindTheFirst) {
  const Json options = {{"bottom", Json::array()}, {"top", Json::array()}, {"embedding", 3}};
  const Made made("dlrm", options, TabularInputs(2, {5, 300}, 2));
  DrawUniform(4, -1, 1, made.weights->parameters());
  const SyntheticRows rows({.rows = 9, .numeric = 2, .cardinalities = {5, 300}, .seed = 3});
  const std::vector<float> out = Copy(made.net->Forward(rows.batch(), nullptr));
  const auto trained = Copy(made.net->Forward(rows.batch(), &kKey));
  const auto weight = [&](const char* name, int64_t i) {
    const auto& all = made.net->parameters();
    const size_t at = size_t(std::ranges::find(all, name, &Variable::name) - all.begin());
    EXPECT_LT(at, all.size()) << name;
    return double(made.weights->parameters()[size_t(made.weights->parts()[at].offset + i)]);
  };
  for (int64_t i = 0; i < 9; ++i) {
    const int32_t* const categories = rows.batch().ints(kCategoriesField).at(i);
    const float* const numbers = rows.batch().floats(kNumericField).at(i);
    std::vector<std::vector<double>> vectors(3);
    for (int64_t f = 0; f < 3; ++f) {
      double x = weight("bottom.0.bias", f);
      for (int64_t n = 0; n < 2; ++n)
        x += double(numbers[n]) * weight("bottom.0.weight", f * 2 + n);
      vectors[0].push_back(std::max(x, 0.0));
      vectors[1].push_back(weight("embedding.0.weight", categories[0] * 3 + f));
      vectors[2].push_back(weight("embedding.1.weight", categories[1] * 3 + f));
    }
    std::vector<double> features = vectors[0];
    for (const auto& [a, b] : {std::pair(1, 0), std::pair(2, 0), std::pair(2, 1)}) {
      double product = 0;
      for (size_t f = 0; f < 3; ++f) product += vectors[size_t(a)][f] * vectors[size_t(b)][f];
      features.push_back(product);
    }
    for (int64_t o = 0; o < 2; ++o) {
      double sum = weight("output.bias", o);
      for (int64_t k = 0; k < 6; ++k)
        sum += weight("output.weight", o * 6 + k) * features[size_t(k)];
      EXPECT_NEAR(double(out[size_t(i * 2 + o)]), sum, 1e-5);
      EXPECT_NEAR(double(trained[size_t(i * 2 + o)]), sum, 1e-5);
    }
  }
}

// Columns of few and of many categories are computed in different ways.
TEST(KernelNet, GivesTheSlopesOfDenseLayersOverAnyColumns) {
  const std::vector<std::vector<int64_t>> columns = {
      {}, {300}, {3}, {300, 7}, {7, 300, 3}, {300, 400, 3, 500, 128, 129}};
  for (const auto& cardinalities : columns) {
    for (const int64_t numeric : {0, 4}) {
      if (cardinalities.empty() && numeric == 0) continue;
      SCOPED_TRACE(testing::PrintToString(cardinalities) + " " + std::to_string(numeric));
      const NetInputs inputs = TabularInputs(numeric, cardinalities);
      Slopes("tabular_mlp", {{"hidden", Json::array()}}, inputs).ExpectEqual();
      Slopes("tabular_mlp", {{"hidden", {6}}}, inputs).ExpectEqual();
    }
  }
}

TEST(KernelNet, GivesTheSlopesOfDropoutAndBatchNorm) {
  const NetInputs inputs = TabularInputs(5, {7, 3}, 2);
  Slopes("tabular_mlp", {{"hidden", {12, 8}}, {"dropout", 0.25}}, inputs).ExpectEqual();
  Slopes("tabular_mlp", {{"hidden", {12}}, {"batch_norm", true}}, inputs).ExpectEqual();
}

TEST(KernelNet, GivesTheSlopesOfFrozenBatchNorm) {
  const NetInputs inputs = TabularInputs(5, {7, 3}, 2);
  Slopes("tabular_mlp", {{"hidden", {12}}, {"batch_norm", true}}, inputs).Frozen().ExpectEqual();
}

// And so it computes for a row what it predicts for it.
TEST(KernelNet, UsesFrozenStatisticsAndLeavesThem) {
  const Made made("tabular_mlp", {{"hidden", {6, 4}}, {"batch_norm", true}}, TabularInputs(3, {}));
  DrawUniform(6, 0.5f, 2, made.weights->buffers());
  const std::vector<float> before(made.weights->buffers().begin(), made.weights->buffers().end());
  const SyntheticRows rows({.rows = 9, .numeric = 3, .seed = 3});
  const auto predicted = Copy(made.net->Forward(rows.batch(), nullptr));
  auto& norms = dynamic_cast<NormalisingNet&>(*made.net);
  norms.FreezeStatistics({true, true, true, true});
  const auto trained = Copy(made.net->Forward(rows.batch(), &kKey));
  for (size_t i = 0; i < predicted.size(); ++i) EXPECT_NEAR(trained[i], predicted[i], 1e-5);
  EXPECT_TRUE(std::ranges::equal(made.weights->buffers(), before));
  norms.FreezeStatistics({false, false, true, true});
  made.net->Forward(rows.batch(), &kKey);
  const std::span<const float> now = made.weights->buffers();
  EXPECT_FALSE(std::ranges::equal(now.first(12), std::span(before).first(12)));
  EXPECT_TRUE(std::ranges::equal(now.last(8), std::span(before).last(8)));
}

TEST(KernelNet, GivesTheSlopesOfASumOfNets) {
  const NetInputs inputs = TabularInputs(4, {7, 300}, 2);
  for (const Json& wide_only : {Json::array(), Json{"c0"}, Json{"c1", "c0"}}) {
    Slopes("wide_and_deep", {{"hidden", {5}}, {"wide_only", wide_only}}, inputs).ExpectEqual();
  }
}

TEST(KernelNet, GivesTheSlopesOfMembers) {
  for (const int64_t numeric : {0, 4}) {
    const NetInputs inputs = TabularInputs(numeric, {7, 300}, 2);
    Slopes("tabm", {{"members", 3}, {"hidden", {5}}, {"pieces", 0}}, inputs).ExpectEqual();
    Slopes("tabm", {{"members", 4}, {"hidden", {6, 5}}, {"pieces", 3}}, inputs).ExpectEqual();
  }
  Slopes("tabm", {{"members", 1}, {"hidden", {6, 5}}, {"pieces", 1}, {"dropout", 0.25}},
         TabularInputs(3, {}))
      .ExpectEqual();
}

std::vector<std::string> NamesOf(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& each : variables) names.push_back(each.name);
  return names;
}

// Names and shapes are those of model folders.
TEST(KernelNet, NamesItsTensors) {
  const Made made("tabular_mlp", {{"hidden", {4}}, {"batch_norm", true}}, TabularInputs(5, {7, 3}));
  EXPECT_THAT(
      NamesOf(made.net->parameters()),
      ElementsAre("embedding.0.weight", "embedding.1.weight", "dense.0.weight", "dense.0.bias",
                  "norm.0.weight", "norm.0.bias", "output.weight", "output.bias"));
  EXPECT_THAT(NamesOf(made.net->buffers()),
              ElementsAre("norm.0.running_mean", "norm.0.running_var"));
  EXPECT_THAT(made.net->parameters()[0].shape, ElementsAre(7, 4));
  EXPECT_THAT(made.net->parameters()[2].shape, ElementsAre(4, 4 + 2 + 5));
  EXPECT_EQ(made.net->least_rows(), 2);
}

TEST(KernelNet, NamesTheTensorsOfBothParts) {
  const Made made("wide_and_deep", {{"hidden", {4}}, {"batch_norm", true}, {"wide_only", {"c0"}}},
                  TabularInputs(2, {7, 3}));
  EXPECT_THAT(NamesOf(made.net->parameters()),
              ElementsAre("wide.category.0.weight", "wide.category.1.weight", "wide.weight",
                          "wide.bias", "deep.embedding.0.weight", "deep.dense.0.weight",
                          "deep.dense.0.bias", "deep.norm.0.weight", "deep.norm.0.bias",
                          "deep.output.weight", "deep.output.bias"));
  EXPECT_EQ(made.net->buffers()[0].name, "deep.norm.0.running_mean");
}

TEST(KernelNet, NamesTheTensorsOfMembers) {
  const Made made("tabm", {{"members", 3}, {"hidden", {4, 6}}, {"pieces", 8}},
                  TabularInputs(5, {7}, 2));
  EXPECT_THAT(
      NamesOf(made.net->parameters()),
      ElementsAre("linear.category.0.weight", "linear.weight", "linear.bias", "embedding.0.weight",
                  "dense.0.weight", "dense.0.bias", "members.scale", "members.bias",
                  "dense.1.weight", "dense.1.bias", "output.weight", "output.bias"));
  EXPECT_THAT(made.net->parameters()[4].shape, ElementsAre(4, 4 + 5 * 8));
  EXPECT_THAT(made.net->parameters()[6].shape, ElementsAre(3, 4));
  EXPECT_THAT(made.net->parameters()[8].shape, ElementsAre(6, 4));
  EXPECT_THAT(made.net->parameters()[10].shape, ElementsAre(2, 3 * 6));
  EXPECT_THAT(made.net->parameters()[11].shape, ElementsAre(2, 3));
}

TEST(KernelNet, NamesTheTensorsOfDlrm) {
  const Made made("dlrm", SmallDlrm(), TabularInputs(4, {7, 300}, 2));
  EXPECT_THAT(NamesOf(made.net->parameters()),
              ElementsAre("bottom.0.weight", "bottom.0.bias", "bottom.1.weight", "bottom.1.bias",
                          "embedding.0.weight", "embedding.1.weight", "top.0.weight", "top.0.bias",
                          "top.1.weight", "top.1.bias", "output.weight", "output.bias"));
  EXPECT_THAT(made.net->parameters()[2].shape, ElementsAre(3, 6));
  EXPECT_THAT(made.net->parameters()[6].shape, ElementsAre(7, 3 + 3));
  EXPECT_TRUE(made.net->parameters()[5].table);
  EXPECT_FALSE(made.net->parameters()[4].table);
}

// In training the members' outputs follow one another; a prediction is their mean. Widths are not
// those of the kernels' panels, and there are more rows than in a block.
TEST(KernelNet, PredictsTheMeanOfItsMembers) {
  const SyntheticRows rows({.rows = 100, .numeric = 5, .cardinalities = {7, 300, 3}, .seed = 3});
  for (const int64_t members : {1, 3, 40}) {
    const Made made("tabm", {{"members", members}, {"hidden", {40, 9}}, {"dropout", 0}},
                    TabularInputs(5, {7, 300, 3}, 2));
    DrawUniform(8, -1, 1, made.weights->parameters());
    const auto predicted = Copy(made.net->Forward(rows.batch(), nullptr));
    const FloatValues trained = made.net->Forward(rows.batch(), &kKey);
    EXPECT_THAT(trained.shape, ElementsAre(100 * members, 2));
    ASSERT_EQ(predicted.size(), 200u);
    for (size_t i = 0; i < predicted.size(); ++i) {
      double sum = 0;
      for (size_t m = 0; m < size_t(members); ++m) sum += double(trained.data[m * 200 + i]);
      EXPECT_NEAR(predicted[i], sum / double(members), 2e-5) << i;
    }
    const auto one = Copy(made.net->Forward(rows.batch(61, 62), nullptr));
    EXPECT_TRUE(std::ranges::equal(one, std::span(predicted).subspan(122, 2)));
  }
}

TEST(KernelNet, CutsNumbersIntoPieces) {
  float pieces[4];
  const auto of = [&](float x) {
    Pieces(x, 4, pieces);
    return std::vector<float>(pieces, pieces + 4);
  };
  EXPECT_THAT(of(0), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(of(0.25f), ElementsAre(1, 1, 0.25f, 0));
  EXPECT_THAT(of(-1.5f), ElementsAre(0.5f, 0, 0, 0));
  EXPECT_THAT(of(-3), ElementsAre(-1, 0, 0, 0));
  EXPECT_THAT(of(3.5f), ElementsAre(1, 1, 1, 2.5f));
  EXPECT_TRUE(std::isnan(of(std::nanf(""))[2]));
  Pieces(-5, 1, pieces);
  EXPECT_EQ(pieces[0], -0.75f);
}

TEST(KernelNet, PredictsWhatItTrains) {
  const NetInputs inputs = TabularInputs(5, {7, 300, 3}, 3);
  const SyntheticRows rows({.rows = 100, .numeric = 5, .cardinalities = {7, 300, 3}, .seed = 3});
  for (const char* name : {"linear", "tabular_mlp", "wide_and_deep", "dlrm"}) {
    const bool products = name == std::string("dlrm");
    const Made made(name, products ? SmallDlrm() : Json{{"hidden", {40, 8}}}, inputs);
    DrawUniform(8, -1, 1, made.weights->parameters());
    const auto predicted = Copy(made.net->Forward(rows.batch(), nullptr));
    const auto trained = Copy(made.net->Forward(rows.batch(), &kKey));
    EXPECT_EQ(trained, predicted) << name;
    for (const int64_t i : {0, 6, 99}) {
      const auto one = Copy(made.net->Forward(rows.batch(i, i + 1), nullptr));
      EXPECT_TRUE(std::ranges::equal(one, std::span(predicted).subspan(size_t(3 * i), 3))) << i;
    }
  }
}

TEST(KernelNet, GivesTheSameBitsForAnyNumberOfThreads) {
  std::vector<std::vector<float>> outputs;
  const SyntheticRows rows({.rows = 300, .numeric = 40, .seed = 3});
  for (const int32_t threads : {1, 3}) {
    NetInputs inputs = TabularInputs(40, {});
    inputs.threads = threads;
    const Made made("tabular_mlp", {{"hidden", {700, 300}}}, inputs);
    outputs.push_back(Copy(made.net->Forward(rows.batch(), &kKey)));
  }
  EXPECT_EQ(outputs[0], outputs[1]);
}

TEST(KernelNet, DropsByItsKeyAlone) {
  const Made made("tabular_mlp", {{"hidden", {64}}, {"dropout", 0.5}}, TabularInputs(5, {7, 3}));
  const SyntheticRows rows({.rows = 40, .numeric = 5, .cardinalities = {7, 3}, .seed = 3});
  const uint64_t other = 7;
  const auto one = Copy(made.net->Forward(rows.batch(), &kKey));
  EXPECT_NE(Copy(made.net->Forward(rows.batch(), &other)), one);
  EXPECT_EQ(Copy(made.net->Forward(rows.batch(), &kKey)), one);
}

// Weights reach the bound but do not exceed it, by the formulas of protium/nets.h.
TEST(KernelNet, BeginsWithWeightsWithinTheBoundThatWasChosen) {
  const auto largest = [](const char* initial_weights) {
    const Made made("tabular_mlp", {{"hidden", {400}}, {"initial_weights", initial_weights}},
                    TabularInputs(100, {}));
    // Those of the first layer, [400, 100], come first.
    return std::ranges::max(made.weights->parameters().first(40'000));
  };
  EXPECT_NEAR(largest("pytorch"), 0.1, 1e-4);              // 1 / sqrt(100)
  EXPECT_NEAR(largest("glorot"), std::sqrt(0.012), 1e-4);  // sqrt(6 / (100 + 400))
}

std::string WhyNot(const char* name, const Json& options, const NetInputs& inputs) {
  const auto made = BuildNet(KernelNets(), name, options, inputs);
  return made.ok() ? "" : FaultOf(made.status()).what;
}

TEST(KernelNet, RefusesOptionsAndColumnsThatMakeNoNet) {
  const NetInputs mixed = TabularInputs(5, {7, 3}), none = TabularInputs(0, {});
  EXPECT_EQ(WhyNot("tabular_mlp", {{"dropout", 1.0}}, mixed),
            "net.dropout must be at least 0 and below 1, got 1");
  EXPECT_EQ(WhyNot("tabular_mlp", {{"hidden", {2000000}}}, mixed),
            "net.hidden must be from 1 to 1000000, got 2000000");
  EXPECT_EQ(WhyNot("tabular_mlp", {{"width", 3}}, mixed), "unknown key \"width\" in net");
  EXPECT_EQ(WhyNot("tabm", {{"hidden", Json::array()}}, mixed),
            "net.hidden must be a list of at least one width, got []");
  EXPECT_EQ(WhyNot("tabm", Json::object(), none), "the net tabm has no inputs");
  EXPECT_EQ(WhyNot("tabular_mlp", Json::object(), none), "the net tabular_mlp has no inputs");
  EXPECT_EQ(WhyNot("linear", Json::object(), none), "the net linear has no inputs");
  EXPECT_EQ(WhyNot("wide_and_deep", Json::object(), none), "the net wide_and_deep has no inputs");
  EXPECT_EQ(WhyNot("wide_and_deep", {{"wide_only", {"c7"}}}, mixed),
            "\"c7\" is not among the categorical columns");
  EXPECT_EQ(WhyNot("wide_and_deep", {{"wide_only", {"c0"}}}, TabularInputs(0, {7})),
            "the dense layers have no inputs");
  EXPECT_EQ(WhyNot("dlrm", Json::object(), TabularInputs(5, {})),
            "the net dlrm multiplies pairs of vectors, and numbers alone are one");
  EXPECT_EQ(WhyNot("dlrm", Json::object(), TabularInputs(0, {7})),
            "the net dlrm multiplies pairs of vectors, and there is one category alone");
  EXPECT_EQ(WhyNot("dlrm", {{"embedding_dim", 8}}, mixed), "unknown key \"embedding_dim\" in net");
}

}  // namespace
}  // namespace protium
