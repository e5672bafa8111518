// SPDX-License-Identifier: Apache-2.0
#include "pipeline/chain.h"

#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "pipeline/batch_run.h"
#include "pipeline/placer.h"

namespace protium {
namespace {

// The columns of a chain that are in its table.
std::vector<StageColumn> TableColumns(const Chain& chain) {
  std::vector<StageColumn> columns;
  for (const StageColumn& each : chain.columns) {
    if (each.maker < 0) columns.push_back(each);
  }
  return columns;
}

// Whether packing reads cells of this type (rows/cells.h).
bool IsPacked(const arrow::DataType& type) {
  const bool floating = type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE;
  return floating || arrow::is_integer(type.id()) || type.id() == arrow::Type::BOOL;
}

std::optional<ScaledNumber> FindScaled(const Chain& chain, const std::string& column,
                                       const arrow::Schema& table) {
  const StageColumn* const made = chain.Find(column);
  if (made == nullptr || made->maker < 0) return std::nullopt;
  const Stage& stage = *chain.stages[size_t(made->maker)].stage;
  const Columns& outputs = stage.outputs();
  const auto i = size_t(std::ranges::find(outputs, column) - outputs.begin());
  const auto scale = stage.scale(i);
  if (!scale) return std::nullopt;
  const std::string& from = stage.inputs()[i];
  const auto own = table.GetFieldByName(from);
  if (!IsPacked(own ? *own->type() : *chain.Find(from)->type)) return std::nullopt;
  return ScaledNumber{column, from, scale->mean, scale->deviation};
}

}  // namespace

std::vector<ScaledNumber> ScaledInPacking(const Chain& chain, const arrow::Schema& table) {
  std::vector<ScaledNumber> all;
  if (!chain.estimator->kind->packs_rows()) return all;
  for (const std::string& column : chain.estimator->numeric) {
    if (auto scaled = FindScaled(chain, column, table)) all.push_back(std::move(*scaled));
  }
  return all;
}

bool PlacedStage::open() const {
  return !awaits.empty() || (stage->learns_outputs() && stage->outputs().empty());
}

int32_t Chain::levels() const {
  int32_t levels = estimator ? estimator->level : 0;
  for (const PlacedStage& each : stages) levels = std::max(levels, each.level);
  return levels;
}

std::vector<std::filesystem::path> Chain::ExtensionFiles() const {
  std::vector<std::filesystem::path> files;
  if (!estimator) return files;
  const Choice predicts = estimator->kind->Predicts(this->options.back().options);
  const EstimatorOptions& options = estimator->options;
  const auto add = [&](const CatalogueRow& row, const std::string& name) {
    const bool there = std::find(files.begin(), files.end(), row.extension) != files.end();
    if (row.name == name && !row.extension.empty() && !there) files.push_back(row.extension);
  };
  for (const NetRow& row : catalogue.nets) add(row, predicts.name);
  add(estimator->loss, options.loss.name);
  for (const MetricRow& row : catalogue.metrics) {
    for (const std::string& name : options.train.metrics) add(row, name);
  }
  return files;
}

bool Chain::NeedsLibTorch(bool gpus) const {
  return estimator && estimator->kind->NeedsLibTorch(*this, gpus);
}

const StageColumn* Chain::Find(const std::string& column) const {
  for (const StageColumn& each : columns) {
    if (each.name == column) return &each;
  }
  return nullptr;
}

Result<Chain> PlaceStages(const std::vector<StageOptions>& stages, const arrow::Schema& table,
                          Catalogue catalogue, Analyze analyze) {
  std::vector<StageColumn> columns;
  for (const auto& field : table.fields()) {
    StageColumn& column = columns.emplace_back(StageColumn{field->name(), field->type()});
    if (field->type()->id() == arrow::Type::FIXED_SIZE_LIST) {
      column.length = static_cast<const arrow::FixedSizeListType&>(*field->type()).list_size();
    }
  }
  Placer placer(std::move(columns), std::move(catalogue), std::move(analyze));
  placer.Announce(stages);
  for (const StageOptions& stage : stages) PT_TRY(placer.Place(stage));
  return placer.Take();
}

Result<std::optional<Chain>> PlaceOnNames(const std::vector<StageOptions>& stages,
                                          const std::optional<Columns>& table,
                                          Catalogue catalogue) {
  std::vector<StageColumn> columns;
  for (const std::string& name : table.value_or(Columns()))
    columns.push_back({name, arrow::null()});
  Placer placer(std::move(columns), std::move(catalogue), nullptr,
                table ? KnownOfTable::kNames : KnownOfTable::kNothing);
  placer.Announce(stages);
  for (const StageOptions& stage : stages) {
    PT_TRY(placer.Place(stage));
    if (placer.ends()) return std::nullopt;
  }
  return placer.Take();
}

// Rebuilds the whole chain: a stage whose columns became known shifts the columns of all later
// ones. Stages that awaited nothing are reused, with what they learned. An error that appears only
// now (two columns of one name, say) depends on the data, hence Exit::kInput.
Status PlaceAgain(Chain& chain, Analyze analyze) {
  Placer placer(TableColumns(chain), chain.catalogue, std::move(analyze));
  for (size_t i = 0; i < chain.options.size(); ++i) {
    const bool keep = i < chain.stages.size() && chain.stages[i].awaits.empty();
    const Status placed =
        placer.Place(chain.options[i], keep ? std::move(chain.stages[i].stage) : nullptr);
    if (placed.ok()) continue;
    Fault fault = FaultOf(placed);
    fault.exit = Exit::kInput;
    return Fail(std::move(fault));
  }
  Chain again = placer.Take();
  // The placer does not know these: they were set after placing.
  again.extensions = std::move(chain.extensions);
  again.base = std::move(chain.base);
  if (again.estimator) again.estimator->scales = std::move(chain.estimator->scales);
  chain = std::move(again);
  return Status::OK();
}

// Leaves out stages that `wanted` does not depend on: the engine need not compute their columns.
Plan ApplyStages(const Chain& chain, Plan rows, Columns& columns, Columns wanted, RowUse use,
                 const Analyze& analyze) {
  // Backwards, so that a used stage's inputs are wanted before their maker is checked; then
  // forwards, so that a stage's inputs exist.
  std::vector<bool> used(chain.stages.size());
  for (size_t i = chain.stages.size(); i-- > 0;) {
    const Stage& stage = *chain.stages[i].stage;
    if (stage.history() != nullptr) continue;
    for (const std::string& output : stage.outputs()) {
      used[i] = used[i] || std::find(wanted.begin(), wanted.end(), output) != wanted.end();
    }
    if (used[i]) wanted.insert(wanted.end(), stage.inputs().begin(), stage.inputs().end());
  }
  Columns all = columns;
  BatchRun run(analyze, chain.base);
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const Stage& stage = *chain.stages[i].stage;
    all.insert(all.end(), stage.outputs().begin(), stage.outputs().end());
    if (run.MustEndBefore(stage)) rows = run.End(std::move(rows), columns);
    if (stage.batches() != nullptr) {
      run.Add(chain.options[i], *stage.batches());
      continue;
    }
    rows = use == RowUse::kOther ? stage.Apply(std::move(rows), columns)
                                 : stage.ApplyToLearned(std::move(rows), columns);
    columns.insert(columns.end(), stage.outputs().begin(), stage.outputs().end());
  }
  rows = run.End(std::move(rows), columns);
  // Stages that workers apply may have moved behind later ones.
  if (columns == all) return rows;
  columns = std::move(all);
  return WithColumns(std::move(rows), columns, {});
}

}  // namespace protium
