// SPDX-License-Identifier: Apache-2.0
// Everything that a job chooses by name: stages, nets, losses, metrics, optimizers and schedules. A
// catalogue is a plain value, passed along; nothing registers itself. Its rows are the only source
// for reading and checking options, suggesting the nearest name, `protium help`, the pages in
// docs/reference and the JSON schema of job files. Public API.
//
// A program's or an extension's own rows are passed in Program::catalogue and
// SessionOptions::catalogue; code that looks up a name calls WithBuiltIns().
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "metrics/metrics.h"
#include "protium/net_columns.h"
#include "stages/catalogue_row.h"

namespace protium {

// The folders nets, deep and train build the built-in nets and losses by name. A row that a program
// or an extension adds carries its own builder, without a type because losses are declared above
// this folder; only workers cast it back (tasks/tasks.cc).
struct NetRow : CatalogueRow {
  std::shared_ptr<const void> builder;  // A NetBuilder (tensor/net.h); null for the built-in ones.
  // Fails with Exit::kUsage and a `where` that starts with `path` if the net cannot read these
  // columns. Takes complete options. Null: workers check the columns when they build the net.
  std::function<Status(const Json& options, const NetColumns& columns, const std::string& path)>
      check = {};
  // Its kernels compute in float32; train.precision = "bfloat16" is refused.
  bool float32_only = false;
};

struct LossRow : CatalogueRow {
  TargetKind kind = TargetKind::kValues;  // The kind of label that it learns.
  bool logarithmic = false;  // For values of 0 or more: the net outputs their logarithm.
  std::shared_ptr<const void> builder =
      {};  // A LossBuilder (train/loss.h); null for built-in ones.
};

struct MetricRow : CatalogueRow {
  std::vector<TargetKind> kinds;  // The kinds of labels that it can measure.
  bool higher_is_better = false;
  std::function<std::unique_ptr<Metric>(TargetKind kind)> make;
};

struct Catalogue {
  std::vector<StageRow> stages;
  std::vector<NetRow> nets;
  std::vector<LossRow> losses;
  std::vector<MetricRow> metrics;
  std::vector<CatalogueRow> optimizers;
  std::vector<CatalogueRow> schedules;
};

Catalogue BuiltInCatalogue();

// The built-in rows, followed by those of `own`, which may be null. Fails with Exit::kUsage for a
// name that is already taken, a stage whose options lack `id` or `inputs`, a loss or metric without
// a function that computes it, and optimizers and schedules, which programs cannot add.
Result<Catalogue> WithBuiltIns(const std::shared_ptr<const Catalogue>& own);

// Returns the row of the metric that a job names, such as "top_k" for "top_5", valid as long as
// `rows`. Fails with Exit::kUsage at `where` for an unknown name.
Result<const MetricRow*> FindMetricRow(const std::vector<MetricRow>& rows, const std::string& name,
                                       const std::string& where);

// The metrics that a program or an extension adds, in the form that metrics/metrics.h takes
// (`own`).
std::vector<MetricSpec> OwnMetrics(const Catalogue& own);
inline std::vector<MetricSpec> OwnMetrics(const std::shared_ptr<const Catalogue>& own) {
  return own ? OwnMetrics(*own) : std::vector<MetricSpec>();
}

// Makes the row of a metric that is `finish` of the weighted mean of `term` over rows. Exact: the
// same for any number of workers and any order of rows. For a metric that is not such a mean, set
// MetricRow::make to a Metric of your own.
inline MetricRow MetricOf(std::string name, std::string help, std::vector<TargetKind> kinds,
                          bool higher_is_better, std::function<double(const Judged&)> term,
                          std::function<double(double)> finish = nullptr) {
  const auto make = [term = std::move(term), finish = std::move(finish)](TargetKind) {
    return MakeMeanOf(term, finish);
  };
  return {MakeRow<NoOptions>(std::move(name), std::move(help)), std::move(kinds), higher_is_better,
          make};
}

}  // namespace protium
