// SPDX-License-Identifier: Apache-2.0
#include "learn/catalogue.h"

#include <algorithm>

#include "learn/objective.h"
#include "learn/stages/stage_options.h"

namespace protium {

// Each is defined in the file of its stage. Declared here rather than in headers, so that the list
// below is the only other place that names a stage.
StageRow BinarizerRow();
StageRow BucketizerRow();
StageRow ClipRow();
StageRow CyclicEncoderRow();
StageRow DatetimePartsRow();
StageRow FrequencyEncoderRow();
StageRow HashedCrossRow();
StageRow HasherRow();
StageRow ImputerRow();
StageRow LogTransformRow();
StageRow MaxAbsScalerRow();
StageRow MinMaxScalerRow();
StageRow NormalizerRow();
StageRow OneHotEncoderRow();
StageRow PolynomialExpansionRow();
StageRow PowerTransformRow();
StageRow QuantileDiscretizerRow();
StageRow RobustScalerRow();
StageRow StandardScalerRow();
StageRow StringIndexerRow();
StageRow TargetEncoderRow();
StageRow VarianceSelectorRow();

namespace {

std::vector<StageRow> BuiltInStages() {
  return {
      StringIndexerRow(),
      OneHotEncoderRow(),
      FrequencyEncoderRow(),
      TargetEncoderRow(),
      HasherRow(),
      HashedCrossRow(),
      ImputerRow(),
      StandardScalerRow(),
      MinMaxScalerRow(),
      MaxAbsScalerRow(),
      RobustScalerRow(),
      NormalizerRow(),
      ClipRow(),
      LogTransformRow(),
      PowerTransformRow(),
      BinarizerRow(),
      BucketizerRow(),
      QuantileDiscretizerRow(),
      PolynomialExpansionRow(),
      VarianceSelectorRow(),
      DatetimePartsRow(),
      CyclicEncoderRow(),
      {MakeRow<TorchEstimatorOptions>(kTorchEstimator,
                                      "trains a net with a gang of workers; adds its predictions"),
       nullptr},
  };
}

std::vector<NetRow> BuiltInNets() {
  return {
      {MakeRow<TabularMlpOptions>("tabular_mlp",
                                  "an embedding per categorical column, joined with the numeric "
                                  "columns; dense layers with ReLU")},
      {MakeRow<NoOptions>("linear",
                          "a weight per number and category: the linear or logistic model")},
      {MakeRow<TorchScriptOptions>(
          "torchscript", "a file written by torch.jit.save; training starts from its parameters")},
  };
}

// What a loss learns follows from its name (objective.h), so that rooms which see only options
// agree with the catalogue.
template <class Options>
LossRow MakeLossRow(const char* name, const char* help) {
  return {MakeRow<Options>(name, help), KindOfLoss(name)};
}

std::vector<LossRow> BuiltInLosses() {
  return {
      MakeLossRow<NoOptions>("mse", "for numbers: the squared error"),
      MakeLossRow<NoOptions>("mae", "for numbers: the absolute error"),
      MakeLossRow<HuberOptions>("huber",
                                "for numbers: squared for small errors, absolute for large ones"),
      MakeLossRow<NoOptions>("poisson",
                             "for counts and amounts of 0 or more; learns their logarithm"),
      MakeLossRow<BinaryCrossEntropyOptions>("binary_cross_entropy", "for a label with two values"),
      MakeLossRow<CrossEntropyOptions>("cross_entropy", "for a label with any number of classes"),
  };
}

std::vector<MetricRow> BuiltInMetrics() {
  std::vector<MetricRow> rows;
  for (const MetricSpec& spec : Metrics()) {
    rows.push_back({MakeRow<NoOptions>(std::string(spec.name), std::string(spec.help)), spec.kinds,
                    spec.higher_is_better});
  }
  return rows;
}

std::vector<CatalogueRow> BuiltInOptimizers() {
  return {
      MakeRow<AdamOptions>("adam",
                           "steps scaled by the mean and the mean square of past gradients"),
      MakeRow<SgdOptions>("sgd", "steps along the gradient, optionally with momentum"),
  };
}

// The placer reads these two from the options of any stage (ReadHead in pipeline/placer.cc).
Status CheckStageRow(const StageRow& row) {
  for (const char* needed : {"id", "inputs"}) {
    const auto is_it = [&](const DescribedField& each) { return each.name == needed; };
    if (std::any_of(row.options.begin(), row.options.end(), is_it)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "stage \"" + row.name + "\" has no option \"" + needed + "\"",
                 .where = "the catalogue of the program"});
  }
  return Status::OK();
}

template <class Row>
Status AddRows(const char* table, const std::vector<Row>& own, std::vector<Row>& rows) {
  for (const Row& row : own) {
    const std::vector<std::string> taken = ListNames(rows);
    if (std::find(taken.begin(), taken.end(), row.name) != taken.end()) {
      return Fail(
          {.exit = Exit::kUsage,
           .what = std::string("two ") + table + " are named \"" + row.name + "\"",
           .where = "the catalogue of the program",
           .fix = "choose a name that `protium help " + std::string(table) + "` does not list"});
    }
    rows.push_back(row);
  }
  return Status::OK();
}

}  // namespace

Catalogue BuiltInCatalogue() {
  return {.stages = BuiltInStages(),
          .nets = BuiltInNets(),
          .losses = BuiltInLosses(),
          .metrics = BuiltInMetrics(),
          .optimizers = BuiltInOptimizers()};
}

Result<Catalogue> WithBuiltIns(const std::shared_ptr<const Catalogue>& own) {
  Catalogue all = BuiltInCatalogue();
  if (!own) return all;
  for (const StageRow& row : own->stages) PT_TRY(CheckStageRow(row));
  PT_TRY(AddRows("stages", own->stages, all.stages));
  PT_TRY(AddRows("nets", own->nets, all.nets));
  PT_TRY(AddRows("losses", own->losses, all.losses));
  PT_TRY(AddRows("metrics", own->metrics, all.metrics));
  PT_TRY(AddRows("optimizers", own->optimizers, all.optimizers));
  return all;
}

}  // namespace protium
