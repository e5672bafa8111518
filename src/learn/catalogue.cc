// SPDX-License-Identifier: Apache-2.0
#include "learn/catalogue.h"

#include <algorithm>

#include "learn/stages.h"

namespace protium {

// Each stands in the file of its stage.
StageRow ImputerRow();
StageRow MinMaxScalerRow();
StageRow OneHotEncoderRow();
StageRow StandardScalerRow();
StageRow StringIndexerRow();

namespace {

std::vector<StageRow> BuiltInStages() {
  return {
      StringIndexerRow(),
      OneHotEncoderRow(),
      ImputerRow(),
      StandardScalerRow(),
      MinMaxScalerRow(),
      {RowOf<TorchEstimatorOptions>(
           kTorchEstimator, "trains a net by a gang of workers; adds the column `prediction`"),
       nullptr},
  };
}

std::vector<CatalogueRow> BuiltInNets() {
  return {
      RowOf<TabularMlpOptions>("tabular_mlp",
                               "an embedding per categorical column, joined with the numeric "
                               "columns; dense layers with ReLU; one output"),
  };
}

std::vector<LossRow> BuiltInLosses() {
  return {
      {RowOf<NoOptions>("mse", "the squared error"), false},
      {RowOf<NoOptions>("mae", "the absolute error"), false},
      {RowOf<HuberOptions>("huber",
                           "the squared error of small errors, the absolute of large ones"),
       false},
      {RowOf<NoOptions>("binary_cross_entropy",
                        "of labels 0 and 1; the prediction is the logit, above 0: rather 1"),
       true},
  };
}

std::vector<MetricRow> BuiltInMetrics() {
  return {
      {RowOf<NoOptions>("rmse", "the root of the mean squared error"), false, false},
      {RowOf<NoOptions>("mse", "the mean squared error"), false, false},
      {RowOf<NoOptions>("mae", "the mean absolute error"), false, false},
      {RowOf<NoOptions>("bias", "the mean of prediction minus label"), false, false},
      {RowOf<NoOptions>("logloss", "of labels 0 and 1: the mean logarithmic loss"), true, false},
      {RowOf<NoOptions>("accuracy", "of labels 0 and 1: the share on the right side of 0"), true,
       true},
  };
}

std::vector<CatalogueRow> BuiltInOptimizers() {
  return {
      RowOf<AdamOptions>("adam", "steps scaled by the mean and the mean square of past gradients"),
      RowOf<SgdOptions>("sgd", "steps along the gradient, with momentum on request"),
  };
}

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
    const std::vector<std::string> taken = NamesOf(rows);
    if (std::find(taken.begin(), taken.end(), row.name) != taken.end()) {
      return Fail(
          {.exit = Exit::kUsage,
           .what = std::string("two ") + table + " have the name \"" + row.name + "\"",
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
