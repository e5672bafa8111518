// SPDX-License-Identifier: Apache-2.0
// Everything that a job chooses by name: stages, nets, losses, metrics, optimizers and
// schedules. A catalogue is a plain value, passed along; nothing registers itself. Its rows are the
// one source for reading and checking options, for suggesting the nearest name, for `protium help`,
// the pages in docs/reference and the JSON schema of job files. Public API.
//
// A program's or an extension's own rows travel in Program::catalogue and
// SessionOptions::catalogue; every room that looks a name up asks WithBuiltIns().
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/fault.h"
#include "base/unknown_name.h"
#include "learn/stages/stage.h"
#include "metrics/metrics.h"
#include "recipe/net_columns.h"

namespace protium {

// What all rows have: the name that jobs use, its help, and its options.
struct CatalogueRow {
  std::string name;
  std::string help;  // One line.
  std::vector<DescribedField> options;
  // Returns `given` with every default filled in. Unknown keys and values out of range are faults
  // of Exit::kUsage whose `where` starts with `path`. Idempotent.
  std::function<Result<Json>(const Json& given, const std::string& path)> complete;
  // The library that the row comes from; empty: built in, or the program's own.
  std::filesystem::path extension = {};
};

// A kind of stage. Its options include `id` and `inputs`, and `outputs` unless the stage learns
// from the data which columns it makes (Stage::learns_outputs).
struct StageRow : CatalogueRow {
  // Makes the stage from complete options. Null for the estimator alone: it comes last and is not a
  // Stage.
  std::function<Result<std::unique_ptr<Stage>>(const Json& options, StageNames names)> make;
};

// Built-in nets and losses are made by name in the rooms deep and train. A row of a program or of
// an extension carries its own builder, typeless here because this room must not see LibTorch; only
// workers cast it back.
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

struct NoOptions {
  template <class Visit>
  void Fields(Visit&) {}
};

// A row whose options are an aggregate with Fields(). Conditions that involve more than one field
// go into an optional member `Status Check(const std::string& path) const`.
template <class Options>
CatalogueRow MakeRow(std::string name, std::string help) {
  const auto complete = [](const Json& given, const std::string& path) -> Result<Json> {
    Options options;
    PT_TRY(FieldsFromJson(given, path, options));
    if constexpr (requires { options.Check(path); }) PT_TRY(options.Check(path));
    return FieldsToJson(options);
  };
  return {std::move(name), std::move(help), Describe(Options()), complete};
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

// A row whose stage is constructed as `S(const Options&, StageNames)`.
template <class S, class Options>
StageRow MakeStageRow(std::string name, std::string help) {
  const auto make = [](const Json& json, StageNames names) -> Result<std::unique_ptr<Stage>> {
    Options options;
    PT_TRY(FieldsFromJson(json, names.id, options));
    return std::make_unique<S>(options, std::move(names));
  };
  return {MakeRow<Options>(std::move(name), std::move(help)), make};
}

template <class Row>
std::vector<std::string> ListNames(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

// The row of that name, valid as long as `rows`; else a fault of Exit::kUsage such as
// `unknown net "mpl"`, with the nearest name as its fix.
template <class Row>
Result<const Row*> FindRow(const std::vector<Row>& rows, const char* what, const std::string& name,
                           const std::string& where) {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return UnknownName(what, name, ListNames(rows), where);
}

}  // namespace protium
