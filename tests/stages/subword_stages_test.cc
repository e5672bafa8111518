// SPDX-License-Identifier: Apache-2.0
// How texts are cut is tested in subwords/tokenizer_test.cc.
#include <gmock/gmock.h>

#include "onnx_runtime/net.h"
#include "onnx_runtime/testing/tiny_net.h"
#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr const char* kTexts = "text\nplane the late\n-\nthe\n";
const std::vector<std::string> kFed = {"ids", "mask", "types"};

class SubwordStages : public StageTest {
 protected:
  void SetUp() override {
    StageTest::SetUp();
    ASSERT_TRUE(
        WriteFile(folder_ / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nplane\nlate\n")
            .ok());
  }
  static StageOptions Pieces(Json more = Json::object()) {
    Json options = {{"id", "p"}, {"inputs", {"text"}}, {"file", "vocab.txt"}, {"length", 6}};
    options.update(more);
    return {"subword_tokenizer", options};
  }
  // A net that has for piece i the numbers i and 10 i, at each place.
  void WriteNet() {
    std::vector<float> rows;
    for (int i = 0; i < 8; ++i) rows.insert(rows.end(), {float(i), float(10 * i)});
    const auto part = [](uint32_t field, const std::string& bytes) {
      return testing_onnx::Part(field, bytes);
    };
    const std::string graph = part(1, testing_onnx::Node("Gather", {"w", "ids"}, "found")) +
                              part(5, testing_onnx::Weights("w", {8, 2}, rows)) +
                              part(11, testing_onnx::Value("ids", {-1, -1}, 7)) +
                              part(12, testing_onnx::Value("found", {-1, -1, 2}));
    ASSERT_TRUE(WriteFile(folder_ / "net.onnx", testing_onnx::Model(graph)).ok());
  }
  static StageOptions Net(Json more) {
    Json options = {{"id", "net"}, {"inputs", {"ids"}}, {"model", "net.onnx"}};
    options.update(more);
    return {"net_features", options};
  }
  std::string Features(const Json& net) {
    const auto model = Pipeline({Pieces({{"columns", kFed}}), Net(net)}).Fit(Table(kTexts));
    if (!model.ok()) return Render(FaultOf(model.status()));
    return WithoutTypes(Text(model->Transform(Table(kTexts)), {"text", "ids", "mask", "types"}));
  }
  static bool HasOnnx() { return NumericsOfOnnx().ok(); }
};

TEST_F(SubwordStages, MakeListsOfPiecesAndWhichOfThemAreNoPadding) {
  const auto model = Pipeline({Pieces()}).Fit(Table(kTexts));
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  EXPECT_EQ(WithoutTypes(Text(model->Transform(Table(kTexts)), {"text"})),
            "p__ids: [2, 6, 5, 7, 3, 0] null [2, 5, 3, 0, 0, 0]; "
            "p__mask: [1, 1, 1, 1, 1, 0] null [1, 1, 1, 0, 0, 0]; "
            "p__types: [0, 0, 0, 0, 0, 0] null [0, 0, 0, 0, 0, 0]");
}

TEST_F(SubwordStages, TakeTheirFileWithTheModel) {
  const auto model = Pipeline({Pieces()}).Fit(Table(kTexts));
  ASSERT_TRUE(model.ok());
  const std::string before = Text(model->Transform(Table(kTexts)), {"text"});
  ASSERT_TRUE(model->Save(folder_ / "model").ok());
  std::filesystem::remove(folder_ / "vocab.txt");
  const auto again = PipelineModel::Load(*session_, folder_ / "model");
  ASSERT_TRUE(again.ok()) << Render(FaultOf(again.status()));
  EXPECT_EQ(Text(again->Transform(Table(kTexts)), {"text"}), before);
}

TEST_F(SubwordStages, RefuseWhatDoesNotFit) {
  const auto refused = [&](Json more, const std::string& csv = kTexts) {
    return Render(FaultOfFitting({Pieces(more)}, csv));
  };
  EXPECT_THAT(refused({{"length", 2}}), HasSubstr("2 pieces leave no room for the text"));
  EXPECT_THAT(refused({{"file", ""}}), HasSubstr("file must be a file"));
  EXPECT_THAT(refused({{"file", "none.txt"}}), HasSubstr("none.txt"));
  EXPECT_THAT(refused({{"columns", {"ids"}}}), HasSubstr("1 columns are named, and there are 3"));
  EXPECT_THAT(refused({{"inputs", {"a", "b"}}}, "a,b\nx,y\n"), HasSubstr("has 2 texts"));
  EXPECT_THAT(refused({{"inputs", {"a"}}}, "a\n1\n"), HasSubstr("text"));
}

TEST_F(SubwordStages, FeedANetWhosePlacesArePooledWithoutPadding) {
  if (!HasOnnx()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  WriteNet();
  EXPECT_EQ(Features({{"pool", "mean"}, {"inputs", {"ids"}}}),
            "net__found: [3.8333333, 38.333332] null [1.6666666, 16.666666]");
  EXPECT_EQ(Features({{"pool", "first"}}), "net__found: [2, 20] null [2, 20]");
  EXPECT_THAT(Features({{"pool", "mean"}, {"mask", "other"}}),
              HasSubstr("\"other\" is no input with lists of numbers"));
  EXPECT_THAT(Features({{"mask", "ids"}}), HasSubstr("a mask is for pooled values"));
  // The ids are 0 where there is padding, so they are a mask.
  EXPECT_EQ(Features({{"pool", "mean"}, {"mask", "ids"}}),
            "net__found: [4.6, 46] null [3.3333333, 33.333332]");
  EXPECT_EQ(Features({{"pool", "mean"}, {"mask", "ids"}, {"alone", true}}),
            "net__found: [4.6, 46] null [3.3333333, 33.333332]");
}

}  // namespace
}  // namespace protium
