// SPDX-License-Identifier: Apache-2.0
// Everything that a job chooses by name: stages, nets, losses, metrics, optimizers and
// schedules. A catalogue is a plain value, passed along; nothing registers itself. Its rows are the
// one source for reading and checking options, for suggesting the nearest name, for `protium help`,
// the pages in docs/reference and the JSON schema of job files. Public API.
//
// A program's or an extension's own rows travel in Program::catalogue and
// SessionOptions::catalogue; every room that looks a name up asks WithBuiltIns().
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

// Built-in nets and losses are made by name in the rooms nets, deep and train. A row of a program
// or of an extension carries its own builder, typeless here because losses lie above this room;
// only workers cast it back (tasks/tasks.cc).
struct NetRow : CatalogueRow {
  std::shared_ptr<const void> builder;  // A NetBuilder (tensor/net.h); null for the built-in ones.
  // A fault of Exit::kUsage whose `where` starts with `path` where the columns are not what the
  // net reads. Takes complete options. Null: the net looks at them when it is made, in workers.
  std::function<Status(const Json& options, const NetColumns& columns, const std::string& path)>
      check = {};
  // Its kernels compute in float32; train.precision = "bfloat16" is refused.
  bool float32_only = false;
};

struct LossRow : CatalogueRow {
  TargetKind kind = TargetKind::kValues;  // What it learns.
  bool logarithmic = false;  // For values of 0 or more: the net outputs their logarithm.
  std::shared_ptr<const void> builder =
      {};  // A LossBuilder (train/loss.h); null for built-in ones.
};

struct MetricRow : CatalogueRow {
  std::vector<TargetKind> kinds;  // What it can measure.
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
// name that is taken, for a stage whose options lack `id` or `inputs`, for a loss or metric without
// a function that computes it, and for optimizers and schedules, which programs cannot add.
Result<Catalogue> WithBuiltIns(const std::shared_ptr<const Catalogue>& own);

// The row of the metric that a job names, such as "top_k" for "top_5", valid as long as `rows`;
// else a fault of Exit::kUsage at `where`.
Result<const MetricRow*> FindMetricRow(const std::vector<MetricRow>& rows, const std::string& name,
                                       const std::string& where);

// The metrics among the rows of a program or an extension, as the room metrics takes them (`own`).
std::vector<MetricSpec> OwnMetrics(const Catalogue& own);
inline std::vector<MetricSpec> OwnMetrics(const std::shared_ptr<const Catalogue>& own) {
  return own ? OwnMetrics(*own) : std::vector<MetricSpec>();
}

// The row of a metric that is the weighted mean of `term` over rows, turned into the metric by
// `finish`. Exact: the same for any number of workers and order of rows. For a metric that is no
// such mean, set MetricRow::make to a Metric of your own.
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
