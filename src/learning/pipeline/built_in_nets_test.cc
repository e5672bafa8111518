// SPDX-License-Identifier: Apache-2.0
#include "catalogue/built_in_nets.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "pipeline/chain.h"

namespace protium {
namespace {

using testing::HasSubstr;

std::string WhyNoImage(const CnnOptions& options, const NetColumns& columns) {
  const auto found = FindImage(options, columns, "net");
  return found.ok() ? "" : FaultOf(found.status()).what;
}

TEST(BuiltInNets, FindTheSizeOfImagesInTheLengthOfLists) {
  const auto size = [](const CnnOptions& options, int64_t length) {
    const auto image = FindImage(options, {.vectors = {{"pixels", length}}}, "net");
    return image.ok() ? std::pair{image->height, image->width} : std::pair{int64_t{0}, int64_t{0}};
  };
  EXPECT_EQ(size({}, 64), (std::pair<int64_t, int64_t>{8, 8}));
  EXPECT_EQ(size({.channels = 3}, 3072), (std::pair<int64_t, int64_t>{32, 32}));
  EXPECT_EQ(size({.height = 4}, 40), (std::pair<int64_t, int64_t>{4, 10}));
  EXPECT_EQ(size({.width = 4}, 40), (std::pair<int64_t, int64_t>{10, 4}));
  EXPECT_EQ(size({.height = 4, .width = 5, .channels = 2}, 40),
            (std::pair<int64_t, int64_t>{4, 5}));
}

TEST(BuiltInNets, RefuseListsThatAreNoImages) {
  EXPECT_EQ(WhyNoImage({}, {.vectors = {{"pixels", 65}}}),
            "lists of 65 numbers in \"pixels\" are not images of 8 x 8 pixels with 1 channel");
  EXPECT_THAT(WhyNoImage({.height = 200}, {.vectors = {{"pixels", 65}}}),
              HasSubstr("not images of 200 x 1"));
  EXPECT_THAT(WhyNoImage({.channels = 70}, {.vectors = {{"pixels", 65}}}),
              HasSubstr("with 70 channels"));
  EXPECT_EQ(WhyNoImage({.filters = {1, 1, 1, 1}}, {.vectors = {{"pixels", 64}}}),
            "images of 8 x 8 are too small for 4 blocks that each make them smaller by 2");
  EXPECT_EQ(WhyNoImage({.filters = {1, 1, 1, 1}, .pool = 1}, {.vectors = {{"pixels", 64}}}), "");
}

TEST(BuiltInNets, ReadOneColumnOfVectorsThatIsNamedWhereThereAreSeveral) {
  const std::vector<VectorColumn> two = {{"small", 64}, {"large", 256}};
  EXPECT_THAT(WhyNoImage({}, {.vectors = two}), HasSubstr("and there are 2"));
  EXPECT_THAT(WhyNoImage({.image = "larg"}, {.vectors = two}),
              HasSubstr("\"larg\" is not among the columns of vectors"));
  EXPECT_THAT(WhyNoImage({.image = "large"}, {.vectors = two}), HasSubstr("not 2"));
  EXPECT_THAT(WhyNoImage({}, {.numeric = {"x"}}), HasSubstr("there is none"));
  EXPECT_EQ(FindTokens({}, {.vectors = {two[0]}}, "net")->column, "small");
  EXPECT_EQ(FindTokens({.tokens = "small"}, {.vectors = {two[0]}}, "net")->length, 64);
}

TEST(BuiltInNets, RefuseColumnsThatTheyWouldNotLookAt) {
  EXPECT_EQ(WhyNoImage({}, {.categorical = {"kind"}, .vectors = {{"pixels", 64}}}),
            "the net cnn does not read categorical columns");
  for (const char* net : {"tabular_mlp", "tabm", "linear", "factorization_machine", "wide_and_deep",
                          "ft_transformer"}) {
    const Catalogue all = BuiltInCatalogue();
    const NetRow& row = **FindRow(all.nets, "net", net, "net");
    const Json options = *row.complete(Json::object(), "net");
    const NetColumns vectors{.numeric = {"x"}, .vectors = {{"pixels", 64}}};
    EXPECT_EQ(FaultOf(row.check(options, vectors, "net")).what,
              std::string("the net ") + net + " does not read vectors");
    EXPECT_FALSE(row.check(options, {}, "net").ok());
    EXPECT_TRUE(row.check(options, {.numeric = {"x"}}, "net").ok());
    EXPECT_TRUE(row.check(options, {.more = true}, "net").ok());
  }
}

TEST(BuiltInNets, RefuseProductsOfOneVectorAlone) {
  const auto check = [](const NetColumns& columns) { return CheckDlrm({}, columns, "net"); };
  EXPECT_TRUE(check({.categorical = {"kind"}, .numeric = {"x"}}).ok());
  EXPECT_TRUE(check({.categorical = {"kind", "place"}}).ok());
  EXPECT_TRUE(check({.more = true}).ok());
  EXPECT_EQ(FaultOf(check({.numeric = {"x", "y"}})).fix,
            "name columns in `categorical`, or choose tabular_mlp");
  EXPECT_EQ(FaultOf(check({.categorical = {"kind"}})).fix,
            "name columns in `numeric`, or more in `categorical`");
  EXPECT_EQ(FaultOf(check({.vectors = {{"pixels", 64}}})).what,
            "the net dlrm does not read vectors");
}

TEST(BuiltInNets, KnowTheColumnsThatAreWideOnly) {
  const NetColumns columns{.categorical = {"kind", "cross"}};
  EXPECT_TRUE(CheckWideAndDeep({.wide_only = {"cross"}}, columns, "net").ok());
  const Fault fault = FaultOf(CheckWideAndDeep({.wide_only = {"kind", "cros"}}, columns, "net"));
  EXPECT_EQ(fault.where, "net.wide_only.1");
  EXPECT_THAT(fault.fix, HasSubstr("\"cross\""));
}

// The check runs before anything starts.
TEST(BuiltInNets, AreAskedWhenAPipelineIsPlaced) {
  const auto table =
      arrow::schema({arrow::field("pixels", arrow::fixed_size_list(arrow::int64(), 60)),
                     arrow::field("x", arrow::float64()), arrow::field("y", arrow::float64())});
  TorchEstimatorOptions options{.net = Cnn(), .vectors = {{"pixels"}}, .label = "y"};
  const auto fault = [&] {
    return FaultOf(PlaceStages({TorchEstimator(options)}, *table).status());
  };
  EXPECT_EQ(fault().where, "pipeline.0.net.height");
  EXPECT_EQ(fault().exit, Exit::kUsage);
  options.net = Cnn({.height = 6});
  EXPECT_TRUE(PlaceStages({TorchEstimator(options)}, *table).ok());
}

TEST(BuiltInNets, WithKernelsOfTheirOwnAreFloat32Only) {
  const auto table =
      arrow::schema({arrow::field("x", arrow::float64()), arrow::field("y", arrow::float64())});
  const auto place = [&](const Choice& net) {
    TorchEstimatorOptions options{.net = net, .numeric = {"x"}, .label = "y"};
    options.train.precision = Precision::kBfloat16;
    return PlaceStages({TorchEstimator(options)}, *table).status();
  };
  for (const Choice& net : {TabularMlp(), Linear(), WideAndDeep(), Tabm()}) {
    const Fault fault = FaultOf(place(net));
    EXPECT_EQ(fault.what, "the net " + net.name + " computes in float32 only");
    EXPECT_EQ(fault.where, "pipeline.0.train.precision");
    EXPECT_THAT(fault.fix, HasSubstr("\"ft_transformer\""));
  }
  EXPECT_TRUE(place(FtTransformer()).ok());
}

}  // namespace
}  // namespace protium
