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
#include "tensor/norm_statistics.h"
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

// A batch norm below a module. `follows`: it obeys the mode, as one that was traced does not.
std::string NormFile(const std::filesystem::path& folder, const std::string& follows) {
  const auto unit = std::make_shared<torch::jit::CompilationUnit>();
  torch::jit::Module norm(c10::QualifiedName("__torch__.BatchNorm"), unit);
  norm.register_attribute("training", c10::BoolType::get(), true);
  norm.register_buffer("running_mean", torch::zeros({7}));
  norm.register_buffer("running_var", torch::ones({7}));
  norm.define(
      "def forward(self, x):\n"
      "  return torch.batch_norm(x, None, None, self.running_mean, self.running_var, " +
      follows + ", 0.1, 1e-5, False)\n");
  torch::jit::Module module(c10::QualifiedName("__torch__.Net"), unit);
  module.register_attribute("training", c10::BoolType::get(), true);
  module.register_parameter("w", torch::ones({7, 1}).requires_grad_(), false);
  module.register_module("norm", norm);
  module.define(
      "def forward(self, numeric):\n  return torch.mm(self.norm.forward(numeric), self.w)\n");
  const std::string file = folder / "norm.pt";
  module.save(file);
  return file;
}

TEST(TorchScript, LeavesFrozenStatisticsAsTheyAre) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const SyntheticRows rows({.rows = 9, .numeric = 7, .seed = 8});
  const uint64_t key = 1;
  for (const std::string follows : {"self.training", "True"}) {
    const Json options = {{"file", NormFile(folder.path(), follows)}, {"inputs", {"numeric"}}};
    const auto net = MakeTorchScript(options, TabularInputs(7, {})).ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    net->Initialise(1);
    dynamic_cast<NormalisingNet&>(*net).FreezeStatistics({true, true});
    if (follows == "True") {
      EXPECT_THROW(net->Forward(rows.batch(), &key), std::exception);
      continue;
    }
    const at::Tensor predicted = TensorOf(net->Forward(rows.batch(), nullptr)).clone();
    EXPECT_TRUE(torch::equal(TensorOf(net->Forward(rows.batch(), &key)), predicted));
    EXPECT_EQ(weights->buffers()[0], 0);
    dynamic_cast<NormalisingNet&>(*net).FreezeStatistics({false, false});
    net->Forward(rows.batch(), &key);
    EXPECT_NE(weights->buffers()[0], 0);
  }
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
