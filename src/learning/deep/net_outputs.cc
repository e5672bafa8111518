// SPDX-License-Identifier: Apache-2.0
#include "pipeline/net_outputs.h"

#include "deep/torch_numerics.h"
#include "deep/torch_tasks.h"
#include "format/safetensors.h"
#include "pipeline/torch_library.h"
#include "tasks/net_scorer.h"
#include "tasks/tasks.h"
#include "tensor/guard.h"
#include "tensor/weights.h"

namespace protium {
namespace {

// As the task "score".
Result<std::vector<float>> ComputeOutputs(const NetOutputsOptions& options) {
  const NetInputs inputs = MakeNetInputs(ScoreConfig{.net = options.config});
  PT_TRY(PrepareTorch(inputs.threads));
  const Choice& chosen = options.config.net;
  PT_LET(const auto net, BuildNet(TorchRows().nets, chosen.name, chosen.options, inputs));
  PT_LET(const auto weights, Weights::Make(*net, inputs.device));
  PT_LET(const Safetensors file, Safetensors::Read(options.weights));
  PT_TRY(weights->Load(file, options.weights.string()));
  PT_TRY(Guard("sending weights", [&] { weights->Upload(); }));
  NetScorer scorer(*net, inputs);
  PT_LET(const auto outputs, scorer.Predict(*options.rows));
  return std::vector<float>(outputs.begin(), outputs.end());
}

}  // namespace
}  // namespace protium

extern "C" __attribute__((visibility("default"))) bool protium_net_outputs(
    int32_t version, const protium::NetOutputsOptions& options,
    protium::Result<std::vector<float>>& outputs) {
  if (version != protium::kTorchLibraryVersion) return false;
  outputs = protium::ComputeOutputs(options);
  return true;
}
