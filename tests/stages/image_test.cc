// SPDX-License-Identifier: Apache-2.0
// Pictures of every kind are decoded in image/decode_test.cc.
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

// Red, green, blue, and (10, 20, 30): 2 x 2 pixels, made by Pillow 11.
constexpr const char* kPng =
    "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a730000001649444154789c63"
    "f8cfc0c0f09f818181e13f97881c001a58033a82e0ab530000000049454e44ae426082";

// Grey, 102: 1 x 1 pixel.
constexpr const char* kOnePixel =
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c634803"
    "0000680067d3f82bbf0000000049454e44ae426082";

class ImageStages : public StageTest {
 protected:
  static StageOptions Image(Json more = Json::object()) {
    Json options = {{"id", "i"}, {"inputs", {"p"}}, {"height", 2}, {"width", 2}};
    options.update(more);
    return {"image", options};
  }
  // Rows whose column p has the first `cut` bytes of the picture, or NULL.
  DataFrame Pictures(int64_t cut = 1000) {
    Table("n\n1\n2\n");
    return session_->Sql("SELECT CASE WHEN n = 1 THEN unhex(substr('" + std::string(kPng) +
                         "', 1, " + std::to_string(cut) + ")) END AS p FROM t ORDER BY n");
  }
  static std::string Bytes(const std::string& hex) {
    std::string bytes;
    for (size_t i = 0; i < hex.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
  }
  // A session whose relative paths begin in a folder with a table that names this picture.
  void Beside(const char* folder, const std::string& picture) {
    std::filesystem::create_directories(folder_ / folder / "pictures");
    ASSERT_TRUE(WriteFile(folder_ / folder / "t.csv", "p\na.png\n").ok());
    ASSERT_TRUE(WriteFile(folder_ / folder / "pictures/a.png", Bytes(picture)).ok());
    session_.reset();
    session_ = *OpenSession(
        {.engine = "local[2]", .folder = folder_ / "run", .base = folder_ / folder, .force = true});
  }
  std::string Of(const Json& options, const DataFrame& rows) {
    const auto model = Pipeline({Image(options)}).Fit(rows);
    if (!model.ok()) return Render(FaultOf(model.status()));
    return WithoutTypes(Text(model->Transform(rows), {"p"}));
  }
};

TEST_F(ImageStages, MakeListsOfPixels) {
  EXPECT_EQ(Of({{"channels", 1}}, Pictures()),
            "p__i: [0.29803923, 0.5882353, 0.11372549, 0.07058824] null");
  EXPECT_EQ(Of({{"height", 1}, {"width", 1}, {"fit", "area"}}, Pictures()),
            "p__i: [0.25980392, 0.26960784, 0.27941176] null");
}

TEST_F(ImageStages, AreNormalisedAsANetWantsThem) {
  const Json first = {{"mean", {0.5}}, {"deviation", {0.5}}, {"layout", "channels_first"}};
  EXPECT_EQ(Of(first, Pictures()),
            "p__i: [1, -1, -1, -0.92156863, -1, 1, -1, -0.84313726, -1, -1, 1, -0.7647059] null");
  const Json each = {
      {"mean", {0, 0, 1}}, {"deviation", {1, 2, 4}}, {"height", 1}, {"width", 1}, {"fit", "area"}};
  EXPECT_EQ(Of(each, Pictures()), "p__i: [0.25980392, 0.13480392, -0.18014705] null");
  EXPECT_THAT(Of({{"mean", {1, 2}}}, Pictures()), HasSubstr("one number, or one for each channel"));
  EXPECT_THAT(Of({{"deviation", {0}}}, Pictures()), HasSubstr("one number above 0"));
}

// What a net sees that was trained on BGR, and is given RGB, is another picture: red is blue to it.
TEST_F(ImageStages, GiveBlueFirstWhereANetWantsThat) {
  EXPECT_EQ(Of({{"channel_order", "bgr"}, {"mean", {0, 0, 1}}}, Pictures()),
            "p__i: [0, 0, 0, 0, 1, -1, 1, 0, -1, 0.11764706, 0.078431375, -0.9607843] null");
  EXPECT_EQ(Of({{"channel_order", "bgr"}, {"layout", "channels_first"}}, Pictures()),
            "p__i: [0, 0, 1, 0.11764706, 0, 1, 0, 0.078431375, 1, 0, 0, 0.039215688] null");
  EXPECT_THAT(Of({{"channel_order", "bgr"}, {"channels", 1}}, Pictures()),
              HasSubstr("a grey picture has one channel, and no order of them"));
}

TEST_F(ImageStages, FitInsideABackground) {
  const Json inside = {{"channels", 1}, {"height", 1}, {"width", 3}, {"fit", "inside"}};
  Json white = inside;
  white["background"] = "white";
  EXPECT_EQ(Of(inside, Pictures()), "p__i: [0, 0.26764706, 0] null");
  EXPECT_EQ(Of(white, Pictures()), "p__i: [1, 0.26764706, 1] null");
}

TEST_F(ImageStages, ReadPathsBelowAFolder) {
  ASSERT_TRUE(WriteFile(folder_ / "a.png", Bytes(kPng)).ok());
  const Json options = {{"channels", 1}, {"folder", folder_.string()}};
  EXPECT_THAT(Of(options, Table("p\na.png\n-\n")), HasSubstr("0.5882353"));
  EXPECT_THAT(Of(options, Table("p\nb.png\n")), HasSubstr("b.png"));
  EXPECT_THAT(Of(options, Table("p\n../a.png\n")), HasSubstr("leads out of the folder"));
}

// A model trained on tables in one folder finds the pictures next to those in another.
TEST_F(ImageStages, FindFoldersBesideTheTablesThatAreScored) {
  const Json options = {
      {"height", 1}, {"width", 1}, {"channels", 1}, {"fit", "area"}, {"folder", "pictures"}};
  Beside("old", kPng);
  const auto model = Pipeline({Image(options)}).Fit(session_->Read().Csv("t.csv"));
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  EXPECT_EQ(WithoutTypes(Text(model->Transform(session_->Read().Csv("t.csv")), {"p"})),
            "p__i: [0.26764706]");
  ASSERT_TRUE(model->Save(folder_ / "model").ok());
  Beside("new", kOnePixel);
  const auto loaded = PipelineModel::Load(*session_, folder_ / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(WithoutTypes(Text(loaded->Transform(session_->Read().Csv("t.csv")), {"p"})),
            "p__i: [0.4]");
}

TEST_F(ImageStages, RefuseOrLeaveOutWhatTheyCannotDecode) {
  EXPECT_THAT(Of(Json::object(), Pictures(60)), HasSubstr("column \"p\" has a damaged PNG"));
  EXPECT_EQ(Of({{"damaged", "null"}}, Pictures(60)), "p__i: null null");
  EXPECT_THAT(Of({{"width", 3}}, Pictures()), HasSubstr("a picture of 2 x 2 pixels"));
  EXPECT_THAT(Of({{"channels", 2}}, Pictures()), HasSubstr("1 or 3 channels"));
  EXPECT_THAT(Of({{"height", 0}}, Pictures()), HasSubstr("height and width must be set"));
  EXPECT_THAT(Of(Json::object(), Table("p\na\n")), HasSubstr("is string, not binary"));
}

TEST_F(ImageStages, FeedANetAndComeFromASavedModel) {
  const PipelineModel model = Fitted({Image({{"channels", 1}})}, Pictures());
  EXPECT_EQ(StateOf(model).chain->Find("p__i")->length, 4);
  ASSERT_TRUE(model.Save("model").ok());
  const auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(Text(loaded->Transform(Pictures())), Text(model.Transform(Pictures())));
}

}  // namespace
}  // namespace protium
