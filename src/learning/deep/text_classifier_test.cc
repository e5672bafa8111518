// SPDX-License-Identifier: Apache-2.0
#include "deep/text_classifier.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/fault.h"
#include "deep/testing/gradients_test.h"
#include "deep/testing/test_worlds.h"

namespace protium {
namespace {

constexpr int64_t kLength = 7, kVocabulary = 9;

NetInputs TokenInputs(int64_t numeric = 0, int64_t outputs = 1, int64_t length = kLength) {
  return TabularInputs(numeric, {}, outputs, {{"words", length}});
}

Json TextJson(int layers) {
  return {{"vocabulary", kVocabulary},
          {"embedding", 4},
          {"layers", layers},
          {"heads", 2},
          {"hidden", {5}},
          {"dropout", 0.0}};
}

// The mean of the embeddings of words, row by row.
at::Tensor TextOutputs(const std::vector<at::Tensor>& p, const Batch& rows) {
  std::vector<at::Tensor> means;
  for (int64_t i = 0; i < rows.size(); ++i) {
    at::Tensor sum = torch::zeros({4});
    int64_t count = 0;
    for (int64_t j = 0; j < kLength; ++j) {
      const auto word = int64_t(rows.floats("words").at(i)[j]);
      if (word == 0) continue;
      sum = sum + p[0][word < kVocabulary ? word : 1];
      ++count;
    }
    means.push_back(sum / std::max<int64_t>(count, 1));
  }
  at::Tensor x = torch::stack(means);
  if (rows.has(kNumericField)) x = torch::cat({x, rows[kNumericField]}, 1);
  return torch::linear(torch::relu(torch::linear(x, p[1], p[2])), p[3], p[4]);
}

TEST(TextClassifier, HasTheGradientOfTheMeanOfItsWords) {
  for (const NetInputs& inputs : {TokenInputs(), TokenInputs(2, 3)}) {
    const auto net = MakeTextClassifier(TextJson(0), inputs).ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    net->Initialise(1);
    // Numbers beyond the vocabulary are among them.
    ExpectSameGradients(TextOutputs, *net, *weights, inputs, kVocabulary + 2);
  }
}

// The outputs for these texts from a net whose weights depend only on the options; `padding`
// overwrites the embedding of padding.
at::Tensor OutputsOf(const std::vector<std::vector<float>>& texts, int layers, float padding = 0) {
  const NetInputs inputs = TokenInputs(0, 3, int64_t(texts[0].size()));
  const auto net = MakeTextClassifier(TextJson(layers), inputs).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  TensorsOf(weights->Views(weights->parameters().data()))[0][0].fill_(padding);
  std::vector<float> rows;
  for (const auto& text : texts) {
    rows.insert(rows.end(), {0, 1});  // Label and weight.
    rows.insert(rows.end(), text.begin(), text.end());
  }
  return TensorOf(net->Forward({inputs.rows, rows.data(), int64_t(texts.size())}, nullptr)).clone();
}

TEST(TextClassifier, DoesNotLookAtPadding) {
  const std::vector<std::vector<float>> texts = {{5, 6, 7, 0}, {5, 0, 0, 0}, {0, 0, 0, 0}};
  for (const int layers : {0, 2}) {
    EXPECT_TRUE(torch::allclose(OutputsOf(texts, layers), OutputsOf(texts, layers, 1), 1e-5, 1e-6))
        << layers;
    EXPECT_TRUE(OutputsOf(texts, layers).isfinite().all().item<bool>()) << layers;
  }
}

TEST(TextClassifier, CountsTheOrderOfWordsInBlocksAlone) {
  const std::vector<std::vector<float>> texts = {{5, 6, 7}, {7, 5, 6}};
  const at::Tensor mean = OutputsOf(texts, 0), blocks = OutputsOf(texts, 1);
  EXPECT_TRUE(torch::allclose(mean[0], mean[1], 1e-5, 1e-6));
  EXPECT_FALSE(torch::allclose(blocks[0], blocks[1], 1e-5, 1e-6));
}

TEST(TextClassifier, TakesNumbersOutsideItsVocabularyForUnknownWords) {
  const at::Tensor outputs = OutputsOf({{5, 1, 7}, {5, 9, 7}, {5, -3, 7}, {5, 2, 7}}, 0);
  EXPECT_TRUE(torch::equal(outputs[0], outputs[1]));
  EXPECT_TRUE(torch::equal(outputs[0], outputs[2]));
  EXPECT_FALSE(torch::equal(outputs[0], outputs[3]));
}

TEST(TextClassifier, GivesTheSameBitsForAnyNumberOfWorkers) {
  const SyntheticRows rows(
      {.rows = 300, .numeric = 2, .seed = 8, .lists = {{"words", kLength}}, .tokens = kVocabulary});
  const auto blocks = MakeSteps(rows, {16, 15, 16, 17, 14, 16, 15, 16, 2, 0, 3, 2});
  for (const bool bfloat16 : {false, true}) {
    NetInputs inputs = TokenInputs(2);
    inputs.bfloat16 = bfloat16;
    for (const int layers : {0, 2}) {
      const NetMaker make = WithTorch([&] { return MakeTextClassifier(TextJson(layers), inputs); });
      ExpectSameBitsInEveryWorld(blocks, make);
      ExpectSameBitsInEveryWorld(blocks, make, {.train = {.micro_batches = 3}});
    }
  }
}

TEST(TextClassifier, RefusesOptionsAndColumnsThatMakeNoNet) {
  Json options = TextJson(1);
  options["heads"] = 3;
  EXPECT_EQ(FaultOf(MakeTextClassifier(options, TokenInputs()).status()).what,
            "net.heads must be a divisor of 4, got 3");
  EXPECT_EQ(FaultOf(MakeTextClassifier(TextJson(0), TabularInputs(3, {})).status()).what,
            "the net text_classifier reads a column of vectors, and there is none");
}

}  // namespace
}  // namespace protium
