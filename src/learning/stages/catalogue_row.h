// SPDX-License-Identifier: Apache-2.0
// A row of the catalogue (catalogue/catalogue.h): a name that jobs use, its help, its options and
// their checks; and the row of a kind of stage. Public API.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/unknown_name.h"

namespace protium {

class EstimatorKind;
class Stage;
struct StageNames;

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
  // Makes the stage (stages/stage.h) from complete options. Null for an estimator.
  std::function<Result<std::unique_ptr<Stage>>(const Json& options, StageNames names)> make;
  // The last step of a pipeline, which is no Stage (pipeline/estimator_kind.h); null for stages.
  std::shared_ptr<const EstimatorKind> estimator = nullptr;
  // Whether it reads earlier rows (stages/history_stage.h): then `inputs` are columns that a table
  // to score may lack.
  bool reads_history = false;
};

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

template <class Row>
std::vector<std::string> ListNames(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

// Returns the row of that name, valid as long as `rows`; else a fault of Exit::kUsage such as
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
