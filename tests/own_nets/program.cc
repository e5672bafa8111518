// SPDX-License-Identifier: Apache-2.0
// A program with a net of its own.
#include <protium/protium.h>

#include "own_nets/wide_net.h"

namespace pt = protium;

pt::Status Run(pt::Session& session) {
  session.Table("machines", session.Read().Csv(session.Setting("data", "machines.csv")));
  const pt::Pipeline pipeline({
      pt::StringIndexer({.id = "index", .inputs = {"kind"}}),
      pt::StandardScaler({.id = "scale", .inputs = {"age"}}),
      pt::TorchEstimator({.net = {"wide", {{"width", 8}}},
                          .categorical = pt::OutputsOf("index"),
                          .numeric = pt::OutputsOf("scale"),
                          .label = "hours",
                          .train = {.epochs = 2, .batch_size = 64},
                          .gang = {.workers = 2}}),
  });
  PT_LET(const pt::PipelineModel model, pipeline.Fit(session.Sql("SELECT * FROM machines")));
  return model.Save("model");
}

int main(int argc, char** argv) {
  const auto nets =
      pt::MakeNetCatalogue({pt::MakeNetRow<WideNet, WideOptions>("wide", "a net of the tests")});
  return pt::Main(argc, argv, {.run = Run, .catalogue = nets});
}
