// SPDX-License-Identifier: Apache-2.0
// With the real runtime; without it, what needs it is skipped.
#include "onnx_runtime/net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/fault.h"
#include "onnx_runtime/testing/tiny_net.h"
#include "os/file.h"

namespace protium {
namespace {

using namespace testing_onnx;  // NOLINT: the words of this file.
using testing::ElementsAre;
using testing::HasSubstr;

class Net : public testing::Test {
 protected:
  void SetUp() override {
    const auto numerics = NumericsOfOnnx();
    if (!numerics.ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  }
  Result<OnnxNet> Opened(const std::string& bytes, std::vector<std::string> outputs = {}) {
    PT_TRY(WriteFile(folder_.path() / "net.onnx", bytes));
    return OnnxNet::Open(folder_.path() / "net.onnx", outputs);
  }
  std::string Refusal(const std::string& bytes, std::vector<std::string> outputs = {}) {
    const auto net = Opened(bytes, std::move(outputs));
    return net.ok() ? "" : Render(FaultOf(net.status()));
  }
  static NetTensor Floats(std::vector<int64_t> shape, const std::vector<float>& numbers) {
    NetTensor tensor{.element = NetElement::kFloat, .shape = std::move(shape)};
    tensor.numbers.resize(numbers.size() * sizeof(float));
    std::memcpy(tensor.numbers.data(), numbers.data(), tensor.numbers.size());
    return tensor;
  }
  static std::vector<float> Run(const OnnxNet& net, int64_t rows, const std::vector<float>& x) {
    const auto made = net.Run({Floats({rows, int64_t(x.size()) / rows}, x)});
    EXPECT_TRUE(made.ok()) << made.status();
    const auto numbers = made->at(0).As<float>();
    return {numbers.begin(), numbers.end()};
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(Net, ComputesAsManyRowsAsItIsGiven) {
  const OnnxNet net = Opened(Product()).ValueOrDie();
  EXPECT_THAT(Run(net, 2, {1, 1, 2, -1}), ElementsAre(3, 2, 0, 0));
  EXPECT_THAT(Run(net, 1, {1, 1}), ElementsAre(3, 2));
}

TEST_F(Net, GivesAnyValueThatANodeMakes) {
  const OnnxNet net = Opened(Product(), {"sum"}).ValueOrDie();
  EXPECT_THAT(Run(net, 1, {2, -1}), ElementsAre(0, -5));
  EXPECT_EQ(net.outputs().at(0).name, "sum");
  EXPECT_THAT(Refusal(Product(), {"summ"}), HasSubstr("unknown output \"summ\""));
}

TEST_F(Net, HasTheSameBitsBesideAnyRows) {
  const OnnxNet net = Opened(Product()).ValueOrDie();
  const std::vector<float> alone = Run(net, 1, {0.1F, 0.7F});
  std::vector<float> many;
  for (int64_t i = 0; i < net.height(); ++i) many.insert(many.end(), {0.1F, 0.7F});
  const std::vector<float> beside = Run(net, net.height(), many);
  for (size_t i = 0; i < beside.size(); ++i) EXPECT_EQ(beside[i], alone[i % 2]);
}

TEST_F(Net, KeepsWhatIsNotFiniteToItsRow) {
  constexpr float kEndless = std::numeric_limits<float>::infinity();
  const OnnxNet net = Opened(Product(), {"sum"}).ValueOrDie();
  const std::vector<float> made = Run(net, 3, {1, 1, kEndless, std::nanf(""), 1, 1});
  EXPECT_THAT(std::vector(made.begin(), made.begin() + 2), Run(net, 1, {1, 1}));
  EXPECT_TRUE(std::isnan(made[2]));
  EXPECT_THAT(std::vector(made.begin() + 4, made.end()), Run(net, 1, {1, 1}));
  EXPECT_TRUE(std::isinf(Run(net, 1, {kEndless, 0})[0]));
}

TEST_F(Net, RefusesFilesLargerThanProtocolBuffersCanBe) {
  ASSERT_TRUE(WriteFile(folder_.path() / "net.onnx", Product()).ok());
  std::filesystem::resize_file(folder_.path() / "net.onnx", uintmax_t{1} << 31);
  EXPECT_THAT(Render(FaultOf(OnnxNet::Open(folder_.path() / "net.onnx").status())),
              HasSubstr("has 2147483648 bytes; the limit is 2147483647"));
}

TEST_F(Net, RefusesOperatorsAndOperatorSetsOfTheFuture) {
  EXPECT_THAT(Refusal(Product("Frobnicate")), HasSubstr("Frobnicate"));
  EXPECT_THAT(Refusal(Product("Relu", 99)), HasSubstr("99"));
}

TEST_F(Net, FindsOutGraphsThatMixRows) {
  const std::vector<NetTensor> zeros = {Floats({1, 2}, {0, 0})};
  const OnnxNet apart = Opened(Product()).ValueOrDie();
  EXPECT_TRUE(apart.CheckRowsApart(zeros, apart.Run(zeros).ValueOrDie()).ok());
  const std::string file =
      Model(Part(1, Node("ReduceMean", {"x"}, "mean")) + Part(1, Node("Sub", {"x", "mean"}, "y")) +
            Part(11, Value("x", {-1, 2})) + Part(12, Value("y", {-1, 2})));
  const OnnxNet mixing = Opened(file).ValueOrDie();
  const Status mixed = mixing.CheckRowsApart(zeros, mixing.Run(zeros).ValueOrDie());
  EXPECT_THAT(Render(FaultOf(mixed)), HasSubstr("depends on the rows beside it"));
}

TEST_F(Net, RefusesOutputsThatDoNotHaveARowForEach) {
  const std::string file = Model(Part(1, Node("Shape", {"x"}, "y")) +
                                 Part(11, Value("x", {-1, 2})) + Part(12, Value("y", {2}, 7)));
  const OnnxNet net = Opened(file).ValueOrDie();
  const auto made = net.Run({Floats({1, 2}, {1, 2})});
  EXPECT_THAT(Render(FaultOf(made.status())), HasSubstr("does not have a value for each row"));
}

}  // namespace
}  // namespace protium
