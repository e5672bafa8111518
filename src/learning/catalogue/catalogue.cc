// SPDX-License-Identifier: Apache-2.0
#include "catalogue/catalogue.h"

#include <algorithm>

#include "catalogue/built_in_nets.h"
#include "metrics/names_elsewhere.h"
#include "protium/stage_options.h"

namespace protium {

// Each is defined in the file of its stage. Declared here rather than in headers, so that only the
// list below also names a stage.
StageRow BinarizerRow();
StageRow BucketizerRow();
StageRow ClipRow();
StageRow CountVectorizerRow();
StageRow CyclicEncoderRow();
StageRow DatetimePartsRow();
StageRow DifferenceRow();
StageRow ExpandingRow();
StageRow FrequencyEncoderRow();
StageRow HashedCrossRow();
StageRow HasherRow();
StageRow HashingTfRow();
StageRow HolidaysRow();
StageRow IdRow();
StageRow ImageRow();
StageRow ImputerRow();
StageRow LagRow();
StageRow LogTransformRow();
StageRow MaxAbsScalerRow();
StageRow MinMaxScalerRow();
StageRow NGramRow();
StageRow NetFeaturesRow();
StageRow NormalizerRow();
StageRow OneHotEncoderRow();
StageRow PcaRow();
StageRow PolynomialExpansionRow();
StageRow PowerTransformRow();
StageRow QuantileDiscretizerRow();
StageRow QuantileScalerRow();
StageRow RobustScalerRow();
StageRow RollingRow();
StageRow SqlTransformerRow();
StageRow StandardScalerRow();
StageRow StopWordsRemoverRow();
StageRow StringIndexerRow();
StageRow SubwordTokenizerRow();
StageRow TargetEncoderRow();
StageRow TextIndexerRow();
StageRow TfIdfRow();
StageRow TokenizerRow();
StageRow VarianceThresholdSelectorRow();
StageRow VectorAssemblerRow();
StageRow VectorColumnsRow();
// The estimators (model/).
StageRow TorchEstimatorRow();
StageRow TreeEstimatorRow();
StageRow AverageRow();

namespace {

// Ordered by input: categories, numbers, vectors, dates, words and images; then SQL, and the
// estimators.
std::vector<StageRow> BuiltInStages() {
  return {
      StringIndexerRow(),
      OneHotEncoderRow(),
      FrequencyEncoderRow(),
      TargetEncoderRow(),
      HasherRow(),
      HashedCrossRow(),
      IdRow(),
      ImputerRow(),
      StandardScalerRow(),
      MinMaxScalerRow(),
      MaxAbsScalerRow(),
      RobustScalerRow(),
      QuantileScalerRow(),
      NormalizerRow(),
      ClipRow(),
      LogTransformRow(),
      PowerTransformRow(),
      BinarizerRow(),
      BucketizerRow(),
      QuantileDiscretizerRow(),
      PolynomialExpansionRow(),
      VectorAssemblerRow(),
      VectorColumnsRow(),
      PcaRow(),
      VarianceThresholdSelectorRow(),
      DatetimePartsRow(),
      HolidaysRow(),
      CyclicEncoderRow(),
      LagRow(),
      DifferenceRow(),
      RollingRow(),
      ExpandingRow(),
      TokenizerRow(),
      StopWordsRemoverRow(),
      NGramRow(),
      CountVectorizerRow(),
      HashingTfRow(),
      TfIdfRow(),
      TextIndexerRow(),
      SubwordTokenizerRow(),
      ImageRow(),
      NetFeaturesRow(),
      SqlTransformerRow(),
      TorchEstimatorRow(),
      TreeEstimatorRow(),
      AverageRow(),
  };
}

std::vector<LossRow> BuiltInLosses() {
  constexpr auto kValues = TargetKind::kValues;
  return {
      {MakeRow<NoOptions>("mse", "for numbers: the squared error"), kValues},
      {MakeRow<NoOptions>("mae", "for numbers: the absolute error"), kValues},
      {MakeRow<HuberOptions>("huber",
                             "for numbers: squared for small errors, absolute for large ones"),
       kValues},
      {MakeRow<NoOptions>("poisson", "for counts and amounts of 0 or more; learns their logarithm"),
       kValues, true},
      {MakeRow<TweedieOptions>("tweedie",
                               "for amounts of 0 or more, many of them 0; learns their logarithm"),
       kValues, true},
      {MakeRow<QuantileOptions>("quantile",
                                "for numbers: predicts quantiles, hence intervals, not a mean"),
       TargetKind::kQuantiles},
      {MakeRow<BinaryCrossEntropyOptions>(
           "binary_cross_entropy", "for a label with two values, or for several yes-or-no labels"),
       TargetKind::kTwoClasses},
      {MakeRow<CrossEntropyOptions>("cross_entropy", "for a label with any number of classes"),
       TargetKind::kClasses},
      {MakeRow<LambdarankOptions>(
           "lambdarank", "for trees: ranks the rows of each group by a relevance from 0 to 31"),
       TargetKind::kRelevance},
  };
}

std::vector<MetricRow> BuiltInMetrics() {
  std::vector<MetricRow> rows;
  // `make` is null for "top_k": its number is in the name that a job requests, and FindMetric()
  // (metrics/metrics.h) binds it.
  for (const MetricSpec& spec : Metrics()) {
    rows.push_back(
        {MakeRow<NoOptions>(spec.name, spec.help), spec.kinds, spec.higher_is_better, spec.make});
  }
  return rows;
}

std::vector<CatalogueRow> BuiltInOptimizers() {
  return {
      MakeRow<AdamOptions>("adam",
                           "steps scaled by the mean and the mean square of past gradients"),
      MakeRow<AdamWOptions>("adamw", "adam with decoupled weight decay"),
      MakeRow<SgdOptions>("sgd", "steps along the gradient, optionally with momentum"),
      MakeRow<AdagradOptions>("adagrad",
                              "steps that shrink with the sum of squared gradients so far"),
      MakeRow<RowwiseAdagradOptions>(
          "rowwise_adagrad", "adagrad with one sum per row; updates only rows that are read"),
      MakeRow<LazyAdamOptions>("lazy_adam", "adam that updates only rows of tables that are read"),
      MakeRow<RmspropOptions>("rmsprop", "steps scaled by a moving mean of squared gradients"),
  };
}

std::vector<CatalogueRow> BuiltInSchedules() {
  return {
      MakeRow<NoOptions>("constant", "the learning rate stays as it is"),
      MakeRow<StepScheduleOptions>("step", "drops by a factor at regular intervals"),
      MakeRow<CosineOptions>("cosine", "falls along half a cosine wave"),
      MakeRow<OneCycleOptions>("one_cycle", "rises to the learning rate, then falls far below it"),
      MakeRow<ReduceOnPlateauOptions>("reduce_on_plateau",
                                      "drops by a factor when training stops improving"),
  };
}

// The placer reads these two from the options of any stage (ReadHead in pipeline/placer.cc).
Status CheckStageRow(const StageRow& row) {
  if (row.estimator != nullptr) return Status::OK();
  for (const char* needed : {"id", "inputs"}) {
    const auto is_it = [&](const DescribedField& each) { return each.name == needed; };
    if (std::any_of(row.options.begin(), row.options.end(), is_it)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "stage \"" + row.name + "\" has no option \"" + needed + "\"",
                 .where = "the catalogue of the program"});
  }
  return Status::OK();
}

Status Lacks(const std::string& what, const std::string& fix) {
  return Fail(
      {.exit = Exit::kUsage, .what = what, .where = "the catalogue of the program", .fix = fix});
}

// Refuses a name such as "top_7", which is that of a built-in metric although no row has it.
Status CheckUnnumbered(const MetricRow& row) {
  const Result<std::string> asked = RowOfMetric(row.name);
  if (asked.ok() && *asked == row.name) return Status::OK();
  return Lacks("two metrics are named \"" + row.name + "\"",
               "choose another name: that one is built in");
}

// Refuses rows without an implementation before a job can name them. Rows of optimizers and
// schedules cannot have one: train/update_rule.cc and train/schedule.cc find theirs by name.
Status CheckComputed(const Catalogue& own) {
  for (const LossRow& row : own.losses) {
    if (row.builder != nullptr) continue;
    return Lacks("loss \"" + row.name + "\" has no function that computes it",
                 "make the row with LossOf() of protium/torch.h");
  }
  for (const MetricRow& row : own.metrics) {
    PT_TRY(CheckUnnumbered(row));
    if (row.make != nullptr) continue;
    return Lacks("metric \"" + row.name + "\" has no function that computes it",
                 "make the row with MetricOf() of protium/torch.h");
  }
  for (const auto& [rows, what] :
       {std::pair{&own.optimizers, "optimizer"}, std::pair{&own.schedules, "schedule"}}) {
    if (rows->empty()) continue;
    return Lacks(std::string(what) + " \"" + rows->front().name + "\" cannot be added by a program",
                 std::string("choose one that `protium help ") + what + "s` lists");
  }
  return Status::OK();
}

template <class Row>
Status AddRows(const char* table, const std::vector<Row>& own, std::vector<Row>& rows) {
  for (const Row& row : own) {
    // Listed again for each row: two rows of `own` may also have the same name.
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
          .optimizers = BuiltInOptimizers(),
          .schedules = BuiltInSchedules()};
}

Result<Catalogue> WithBuiltIns(const std::shared_ptr<const Catalogue>& own) {
  Catalogue all = BuiltInCatalogue();
  if (!own) return all;
  for (const StageRow& row : own->stages) PT_TRY(CheckStageRow(row));
  PT_TRY(CheckComputed(*own));
  PT_TRY(AddRows("stages", own->stages, all.stages));
  PT_TRY(AddRows("nets", own->nets, all.nets));
  PT_TRY(AddRows("losses", own->losses, all.losses));
  PT_TRY(AddRows("metrics", own->metrics, all.metrics));
  return all;
}

Result<const MetricRow*> FindMetricRow(const std::vector<MetricRow>& rows, const std::string& name,
                                       const std::string& where) {
  const auto is_row = [&](const std::string& wanted) {
    return std::ranges::find(rows, wanted, &MetricRow::name) != rows.end();
  };
  // "mase" lacks its number as "mase@k" does.
  const std::string numbered = name + "@k";
  const bool lacks = !is_row(name) && is_row(numbered);
  PT_LET(const std::string row, RowOfMetric(lacks ? numbered : name, where));
  if (!is_row(row)) PT_TRY(RefuseNameElsewhere(row, where));
  return FindRow(rows, "metric", row, where);
}

std::vector<MetricSpec> OwnMetrics(const Catalogue& own) {
  std::vector<MetricSpec> metrics;
  for (const MetricRow& row : own.metrics) {
    metrics.push_back({row.name, row.help, row.kinds, row.higher_is_better, row.make});
  }
  return metrics;
}

}  // namespace protium
