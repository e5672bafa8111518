// SPDX-License-Identifier: Apache-2.0
#include "deep/torch_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>
#include <torch/types.h>

#include <filesystem>

#include "base/fault.h"
#include "deep/batch.h"
#include "deep/float_tensor.h"
#include "os/file.h"
#include "tensor/testing/synthetic_rows.h"
#include "tensor/weights.h"

namespace protium {
namespace {

using testing::HasSubstr;

// A file as `torch.jit.save` writes it.
std::string ScriptFile(const std::filesystem::path& folder) {
  torch::jit::Module module("Scripted");
  module.register_parameter("w", torch::ones({7, 1}).requires_grad_(), false);
  module.register_parameter("table", torch::arange(5, torch::kFloat).requires_grad_(), false);
  module.define(R"(
    def forward(self, numeric, categories):
      return torch.mm(numeric, self.w) + self.table[categories]
  )");
  const std::string file = folder / "net.pt";
  module.save(file);
  return file;
}

TEST(TorchScript, IsANetWithItsOwnParameters) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const Json options = {{"file", ScriptFile(folder.path())}, {"inputs", {"numeric", "categories"}}};
  const auto net = MakeTorchScript(options, TabularInputs(7, {5})).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const SyntheticRows rows({.rows = 9, .numeric = 7, .cardinalities = {5}, .seed = 8});
  const Batch all(rows.batch());
  const auto expected = all["numeric"].sum(1, true) + all["categories"].to(torch::kFloat);
  EXPECT_TRUE(torch::allclose(TensorOf(net->Forward(all, nullptr)), expected));
  std::vector<float> memory(size_t(weights->size()));
  std::vector<float> defined(2);
  const uint64_t key = 1;
  net->Forward(all, &key);
  const at::Tensor ones = torch::ones({9, 1});
  net->Backward(ValuesOf(ones), {weights->Views(memory.data()), false, defined});
  EXPECT_TRUE(torch::allclose(TensorOf(weights->Views(memory.data())[0]),
                              all["numeric"].sum(0).view({7, 1})));
}

TEST(TorchScript, NamesAFieldThatRowsDoNotHave) {
  const Fault fault =
      FaultOf(MakeTorchScript({{"file", "x.pt"}, {"inputs", {"numeric", "category"}}},
                              TabularInputs(7, {5}))
                  .status());
  EXPECT_EQ(fault.where, "net.inputs.1");
  EXPECT_THAT(fault.fix, HasSubstr("categories"));
}

}  // namespace
}  // namespace protium
