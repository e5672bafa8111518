// SPDX-License-Identifier: Apache-2.0
// A program with its own net, loss and metric.
#include <protium/protium.h>

#include "own_nets/log_cosh.h"
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
                          .loss = {"log_cosh", {{"scale", 0.5}}},
                          .train = {.epochs = 2,
                                    .batch_size = 64,
                                    .validation = {.share = 0.1},
                                    .metrics = {"near", "rmse"}},
                          .gang = {.workers = 2}}),
  });
  PT_LET(const pt::PipelineModel model, pipeline.Fit(session.Sql("SELECT * FROM machines")));
  return model.Save("model");
}

int main(int argc, char** argv) {
  pt::Catalogue own;
  own.nets.push_back(pt::MakeNetRow<WideNet, WideOptions>("wide", "a net of the tests"));
  own.losses.push_back(LogCoshRow());
  own.metrics.push_back(NearRow());
  return pt::Main(argc, argv,
                  {.run = Run, .catalogue = std::make_shared<const pt::Catalogue>(own)});
}
