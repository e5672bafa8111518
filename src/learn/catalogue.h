// SPDX-License-Identifier: Apache-2.0
// What a job chooses by name: stages, nets, losses, metrics and optimizers. A catalogue is a value;
// nothing registers itself. From its rows follow how options are read and checked, the nearest
// name, `protium help`, the pages in docs/reference and the JSON schema of job files. Public API.
//
// A program adds rows of its own: Program::catalogue and SessionOptions::catalogue hold them, and
// every room that looks a name up asks WithBuiltIns().
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

namespace protium {

struct CatalogueRow {
  std::string name;
  std::string help;  // One line.
  std::vector<DescribedField> options;
  // Gives `given` with every default filled in. An unknown key and a value out of range are faults
  // whose `where` starts with `path`.
  std::function<Result<Json>(const Json& given, const std::string& path)> complete;
};

// Its options have `id` and `inputs`; `outputs`, unless the stage finds its outputs out by
// learning.
struct StageRow : CatalogueRow {
  // `options` are complete. Null for the estimator, which is no stage that others read from.
  std::function<Result<std::unique_ptr<Stage>>(const Json& options, StageNames names)> make;
};

struct NetRow : CatalogueRow {
  // Of a net that a program or an extension brings: its NetBuilder (tensor/net.h), for workers.
  std::shared_ptr<const void> builder;
  std::filesystem::path extension;  // The library that brings it; empty: this program does.
};

struct LossRow : CatalogueRow {
  TargetKind kind = TargetKind::kValues;  // What it learns.
};

struct MetricRow : CatalogueRow {
  std::vector<TargetKind> kinds;  // What it measures.
  bool higher_is_better = false;
};

struct Catalogue {
  std::vector<StageRow> stages;
  std::vector<NetRow> nets;
  std::vector<LossRow> losses;
  std::vector<MetricRow> metrics;
  std::vector<CatalogueRow> optimizers;
};

Catalogue BuiltInCatalogue();

// The built-in rows and then those of `own`, which may be null. Fails for a name that is taken and
// for a stage whose options lack `id` or `inputs`.
Result<Catalogue> WithBuiltIns(const std::shared_ptr<const Catalogue>& own);

struct NoOptions {
  template <class Visit>
  void Fields(Visit&) {}
};

// A row whose options are an aggregate with Fields(). What no field can tell by itself, a member
// `Status Check(const std::string& path) const` refuses.
template <class Options>
CatalogueRow RowOf(std::string name, std::string help) {
  const auto complete = [](const Json& given, const std::string& path) -> Result<Json> {
    Options options;
    PT_TRY(FieldsFromJson(given, path, options));
    if constexpr (requires { options.Check(path); }) PT_TRY(options.Check(path));
    return FieldsToJson(options);
  };
  return {std::move(name), std::move(help), Describe(Options()), complete};
}

// A row whose stage is made as `S(const Options&, StageNames)`.
template <class S, class Options>
StageRow StageRowOf(std::string name, std::string help) {
  const auto make = [](const Json& json, StageNames names) -> Result<std::unique_ptr<Stage>> {
    Options options;
    PT_TRY(FieldsFromJson(json, names.id, options));
    return std::make_unique<S>(options, std::move(names));
  };
  return {RowOf<Options>(std::move(name), std::move(help)), make};
}

template <class Row>
std::vector<std::string> NamesOf(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

// The row of that name; else a fault such as `unknown net "mpl"` with the nearest.
template <class Row>
Result<const Row*> FindRow(const std::vector<Row>& rows, const char* what, const std::string& name,
                           const std::string& where) {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return UnknownName(what, name, NamesOf(rows), where);
}

}  // namespace protium
