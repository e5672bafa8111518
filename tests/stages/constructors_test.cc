// SPDX-License-Identifier: Apache-2.0
// The constructors of protium/stages: one for each kind, with its options.
#include <gtest/gtest.h>

#include "catalogue/catalogue.h"
#include "protium/stages/categories.h"
#include "protium/stages/numbers.h"
#include "protium/stages/others.h"
#include "protium/stages/rows.h"

namespace protium {
namespace {

const std::vector<StageOptions>& OneOfEach() {
  static const std::vector<StageOptions> stages = {
      StringIndexer({.inputs = {"a"}}),
      OneHotEncoder({.inputs = {"a"}, .max_categories = 8, .drop_first = true}),
      FrequencyEncoder({.inputs = {"a"}, .how = "count"}),
      TargetEncoder({.inputs = {"a"}, .label = "y", .smoothing = 2}),
      Hasher({.inputs = {"a"}, .buckets = 16}),
      HashedCross({.inputs = {"a", "b"}, .missing = "null"}),
      Id({.inputs = {"a"}}),
      Imputer({.inputs = {"x"}}),
      StandardScaler({.inputs = {"x"}}),
      MinMaxScaler({.inputs = {"x"}, .low = -1, .clip = true}),
      MaxAbsScaler({.inputs = {"x"}}),
      RobustScaler({.inputs = {"x"}, .center = false}),
      QuantileScaler({.inputs = {"x"}}),
      Normalizer({.inputs = {"x", "z"}, .norm = "l1"}),
      Clip({.inputs = {"x"}, .low = 0}),
      LogTransform({.inputs = {"x"}, .how = "log2"}),
      PowerTransform({.inputs = {"x"}, .how = "sqrt"}),
      Binarizer({.inputs = {"x"}, .threshold = 0.5}),
      Bucketizer({.inputs = {"x"}, .splits = {{0, 10}}}),
      QuantileDiscretizer({.inputs = {"x"}, .buckets = 4}),
      PolynomialExpansion({.inputs = {"x", "z"}, .degree = 2}),
      VectorAssembler({.inputs = {"x", "v"}, .output = "both", .lengths = {{{"v", 3}}}}),
      VectorColumns({.inputs = {"v"}}),
      Pca({.inputs = {"v"}, .k = 2}),
      VarianceThresholdSelector({.inputs = {"x"}, .threshold = 0.1}),
      DatetimeParts({.inputs = {"d"}, .parts = {{"month", "hour"}}}),
      Holidays({.inputs = {"d"}, .countries = {{"DE"}}}),
      CyclicEncoder({.inputs = {"hour"}, .period = 24}),
      Lag({.inputs = {"y"}, .time = "d", .lags = {{1, 7}}}),
      Difference({.inputs = {"y"}, .time = "d", .rows = 7}),
      Rolling({.inputs = {"y"}, .time = "d", .by = {{"a"}}, .over = "7 days"}),
      Expanding({.inputs = {"y"}, .time = "d", .of = {{"mean", "max"}}}),
      Tokenizer({.inputs = {"t"}, .pattern = "\\\\W+", .min_length = 2}),
      StopWordsRemover({.inputs = {"w"}, .words = {{"the"}}}),
      NGram({.inputs = {"w"}, .n = 2}),
      CountVectorizer({.inputs = {"w"}, .vocab_size = 100, .binary = true}),
      HashingTf({.inputs = {"w"}, .num_features = 64}),
      TfIdf({.inputs = {"v"}, .min_doc_freq = 2}),
      TextIndexer({.inputs = {"w"}, .length = 8}),
      SubwordTokenizer({.inputs = {"t"}, .file = "vocab.txt", .length = 32}),
      Image({.inputs = {"p"}, .height = 8, .width = 8}),
      NetFeatures({.inputs = {"x"}, .model = "net.onnx", .values = {{"y"}}}),
      SqlTransformer({.inputs = {"x"}, .statement = "SELECT *, x + 1 AS more FROM __THIS__"}),
      TorchEstimator({.numeric = {"x"}, .label = "y"}),
      TreeEstimator({.numeric = {"x"}, .label = "y"}),
      {"average",
       {{"numeric", {"x"}}, {"label", "y"}, {"of", {"tree_estimator", "torch_estimator"}}}}};
  return stages;
}

TEST(Constructors, AreThereForEveryKindAndSayWhatItsRowTakes) {
  const Catalogue all = BuiltInCatalogue();
  ASSERT_EQ(OneOfEach().size(), all.stages.size());
  for (size_t i = 0; i < all.stages.size(); ++i) {
    const StageOptions& stage = OneOfEach()[i];
    EXPECT_EQ(stage.kind, all.stages[i].name);
    const Result<Json> complete = all.stages[i].complete(stage.options.ToJson(), stage.kind);
    EXPECT_TRUE(complete.ok()) << Render(FaultOf(complete.status()));
  }
}

TEST(Constructors, LeaveWhatIsNotSetToTheKind) {
  EXPECT_EQ(Dump(Clip({.inputs = {"x"}, .low = 0}).options.ToJson()),
            R"({"id":"","inputs":["x"],"outputs":[],"low":0.0})");
}

}  // namespace
}  // namespace protium
