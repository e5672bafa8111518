// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "pipeline/estimator.h"
#include "pipeline/objective.h"
#include "pipeline/placer.h"
#include "rows/schema.h"
#include "statistics/lists.h"

namespace protium {

// The estimator's part of the placer. Inputs count as used by scoring; label, weight, baseline and
// validation columns as used only by training, so that a model does not require them. The checks
// that need no table were made before (estimator.h).

// Returns a TypeError for a column whose values cannot be groups.
static Status CheckGroupType(const arrow::DataType& type) {
  const auto id = type.id();
  const bool fits = id == arrow::Type::STRING || id == arrow::Type::DATE32 ||
                    id == arrow::Type::BOOL || arrow::is_integer(id);
  return fits ? Status::OK() : Status::TypeError("text, whole numbers or dates");
}

Status Placer::PlaceEstimator(const StageRow& row, StageOptions& stage) {
  PT_LET(EstimatorOptions options, row.estimator->Read(stage.options, path_));
  PT_TRY(PlaceBaseline(options));
  PT_TRY(NameId(stage.kind, options.id));
  PT_TRY(row.estimator->Complete(options, stage.options, path_, chain_.catalogue));
  if (options.gang.workers.bends() && !row.estimator->elastic()) {
    const std::string most = std::to_string(options.gang.workers.max);
    return Fail({.exit = Exit::kUsage,
                 .what = "a " + stage.kind + " is trained by a fixed number of workers",
                 .where = path_ + ".gang.workers",
                 .fix = "set gang.workers = " + most});
  }
  PlacedEstimator placed{.kind = row.estimator, .options = options, .path = path_};
  PT_LET(placed.loss, LossRowOf(options, path_, chain_.catalogue));
  PT_LET(placed.categorical, Resolve(options.categorical, "categorical", placed.awaits));
  PT_TRY(CheckIndices(placed, stage.options));
  PT_LET(placed.numeric, Resolve(options.numeric, "numeric", placed.awaits));
  PT_TRY(CheckNumbers(placed));
  PT_TRY(PlaceLists(placed));
  PT_TRY(CheckColumns(placed, stage.options));
  PT_TRY(CheckLabel(placed));
  PT_TRY(PlaceLabels(placed));
  PT_TRY(PlaceScales(placed));
  // Predictions are columns of the chain too: a name that is already taken is refused here, before
  // training.
  const auto label = chain_.Find(ListLabels(options).front())->type;
  for (const auto& field : PredictedFields(options, placed.loss.kind, label)) {
    PT_TRY(AddOutput({.name = field->name(), .type = field->type()}, "prediction"));
  }
  chain_.estimator = std::move(placed);
  return Status::OK();
}

// Raises the estimator's level if a stage makes one of these columns: its pass over the label can
// only run after that stage has learned.
Status Placer::PlaceLabels(PlacedEstimator& placed) {
  const EstimatorOptions& options = placed.options;
  for (const std::string& label : ListLabels(options)) {
    PT_LET(const size_t at, Find(label, "label", Use::kTraining));
    PT_TRY(CheckType(at, "label", CheckLabelType(placed.loss.kind, *chain_.columns[at].type)));
    placed.level = std::max(placed.level, 1 + FindLevel(at));
  }
  for (const auto& [column, key] : {std::pair{&options.weight, "weight"},
                                    std::pair{&options.train.baseline, "train.baseline"}}) {
    if (column->empty()) continue;
    PT_LET(const size_t at, Find(*column, key, Use::kTraining));
    PT_TRY(CheckType(at, key, CheckNumeric(*chain_.columns[at].type)));
    placed.level = std::max(placed.level, 1 + FindLevel(at));
  }
  if (!options.group.empty()) {
    PT_LET(const size_t at, Find(options.group, "group", Use::kTraining));
    PT_TRY(CheckType(at, "group", CheckGroupType(*chain_.columns[at].type)));
    placed.level = std::max(placed.level, 1 + FindLevel(at));
  }
  return PlaceValidation(options.train.validation);
}

// Rows are marked as held out on the table itself, before any stage has learned (train_rows.h).
Status Placer::PlaceValidation(const ValidationOptions& validation) {
  const bool by_time = !validation.by_time.empty(), by_column = !validation.column.empty();
  if (by_time + by_column + !validation.by.empty() > 1) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("validation has both {} and {}",
                                     validation.by.empty() ? "by_time" : "by",
                                     by_column ? "column" : "by_time"),
                 .where = path_ + ".train.validation",
                 .fix = "leave out one of them"});
  }
  if (by_column && validation.share > 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = "validation has both share and column",
                 .where = path_ + ".train.validation",
                 .why = "the column says of each row whether it is held out",
                 .fix = "leave out one of them"});
  }
  if (by_time) PT_TRY(PlaceHoldingOut(validation.by_time, "by_time", CheckTime));
  if (by_column) PT_TRY(PlaceHoldingOut(validation.column, "column", CheckFlag));
  for (size_t i = 0; i < validation.by.size(); ++i) {
    const std::string key = "train.validation.by." + std::to_string(i);
    PT_LET(const size_t at, Find(validation.by[i], key, Use::kTraining));
    PT_TRY(CheckOfTable(at, key));
  }
  return Status::OK();
}

Status Placer::PlaceHoldingOut(const std::string& column, const std::string& option,
                               Status (*fits)(const arrow::DataType& type)) {
  const std::string key = "train.validation." + option;
  PT_LET(const size_t at, Find(column, key, Use::kTraining));
  PT_TRY(CheckType(at, key, fits(*chain_.columns[at].type)));
  return CheckOfTable(at, key);
}

Status Placer::CheckOfTable(size_t at, const std::string& key) const {
  if (chain_.columns[at].maker < 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "rows are held out by columns of the table, not by what a stage makes",
               .where = path_ + "." + key});
}

Status Placer::CheckNumbers(const PlacedEstimator& placed) {
  for (const std::string& column : placed.numeric) {
    PT_LET(const size_t at, Find(column, "numeric"));
    PT_TRY(CheckType(at, "numeric", CheckNumeric(*chain_.columns[at].type)));
  }
  return Status::OK();
}

// Refuses servers where there are no ids.
static Status CheckServers(int32_t servers, const std::string& path) {
  if (servers == 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("gang.servers is {}, and servers would hold nothing", servers),
               .where = path + ".gang.servers",
               .why = "they hold the rows of columns of ids, and the estimator reads none",
               .fix = "set gang.servers = 0, or take the stage \"id\" for a column"});
}

// Refuses to let ids expire where there are none.
static Status CheckExpires(const AnyOptions& own, const std::string& path) {
  const Json train = own.ToJson().value("train", Json::object());
  const Json from = train.value("from", Json::object());
  if (!from.is_object() || WholeAt(from, "expire_epochs") == 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "no ids are read that could expire",
               .where = path + ".train.from.expire_epochs",
               .fix = "leave it out, or name columns of the stage `id` in `categorical`"});
}

// Counts the columns of ids.
Status Placer::CheckIndices(PlacedEstimator& placed, const AnyOptions& own) {
  const auto refuse = [&](const std::string& what) {
    return Fail({.exit = Exit::kUsage,
                 .what = what + " is not a column of indices",
                 .where = path_ + ".categorical",
                 .fix = "index it, and name the stage: categorical = [{ stage = \"index\" }]"});
  };
  for (const std::string& column : placed.categorical) {
    PT_LET(const size_t at, Find(column, "categorical"));
    const int32_t maker = chain_.columns[at].maker;
    const Stage* const stage = maker >= 0 ? chain_.stages[size_t(maker)].stage.get() : nullptr;
    if (stage != nullptr && stage->makes_ids()) {
      ++placed.ids;
    } else if (stage == nullptr || !stage->makes_indices()) {
      return refuse("categorical column \"" + column + "\"");
    }
  }
  if (placed.ids > 0) PT_TRY(placed.kind->CheckIds(own, path_));
  if (placed.ids == 0) {
    PT_TRY(CheckServers(placed.options.gang.servers, path_));
    PT_TRY(CheckExpires(own, path_));
  }
  // The columns of an open stage are unknown, but their kind is known.
  for (const size_t maker : placed.awaits) {
    const Stage& stage = *chain_.stages[maker].stage;
    if (!stage.makes_indices()) return refuse("the output of stage \"" + stage.id() + "\"");
  }
  return Status::OK();
}

Status Placer::PlaceLists(PlacedEstimator& placed) {
  for (const VectorColumn& each : placed.options.vectors) {
    PT_LET(const size_t at, Find(each.column, "vectors"));
    const arrow::DataType& type = *chain_.columns[at].type;
    const Status numbers =
        IsNumberList(type) ? Status::OK() : Status::TypeError("a list of numbers");
    PT_TRY(CheckType(at, "vectors", numbers));
    if (IsFieldOfMostRows(each.column)) {
      return Fail({.exit = Exit::kUsage,
                   .what = "a column of lists cannot be named \"" + each.column + "\"",
                   .where = path_ + ".vectors",
                   .why = "a net finds its numbers, categories, label and weight by such names",
                   .fix = "give it another one, in SQL or as the output of its stage"});
    }
    if (known_ != KnownOfTable::kTypes) continue;
    // A type of fixed length or a stage gives the length; for other lists the options must, since
    // rows are packed to one width.
    const int64_t known = chain_.columns[at].length;
    const int64_t length = known > 0 ? known : each.length;
    if (each.length > 0 && each.length != length) {
      return Fail({.exit = Exit::kUsage,
                   .what = "the lists in \"" + each.column + "\" have " + std::to_string(length) +
                           " numbers, but length = " + std::to_string(each.length),
                   .where = path_ + ".vectors",
                   .fix = "leave out length: it is known"});
    }
    if (length < 1) {
      return Fail({.exit = Exit::kUsage,
                   .what = "the length of the lists in \"" + each.column + "\" is not known",
                   .where = path_ + ".vectors",
                   .fix = "vectors = [{ column = \"" + each.column + "\", length = 768 }]"});
    }
    placed.lists.push_back({each.column, length});
  }
  return Status::OK();
}

Status Placer::CheckColumns(const PlacedEstimator& placed, const AnyOptions& own) const {
  const bool unknown_lists = known_ != KnownOfTable::kTypes && !placed.options.vectors.empty();
  if (unknown_lists) return Status::OK();
  NetColumns columns{
      .categorical = placed.categorical, .numeric = placed.numeric, .more = !placed.awaits.empty()};
  for (const ListInput& each : placed.lists) {
    columns.vectors.push_back({each.column, each.length});
  }
  return placed.kind->CheckColumns(own, columns, path_, chain_.catalogue);
}

Status Placer::CheckLabel(const PlacedEstimator& placed) const {
  for (const std::string& label : ListLabels(placed.options)) {
    PT_TRY(CheckLabel(placed, FindSource(chain_, label)));
  }
  return Status::OK();
}

// Compares table columns: a scaled or filled copy reveals the label just as well.
Status Placer::CheckLabel(const PlacedEstimator& placed, const std::string& label) const {
  const auto check = [&](const std::string& column, const std::string& key) {
    if (!IsMadeFrom(chain_, column, label)) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "the label \"" + label + "\" is among its own inputs" +
                         (column == label ? "" : ", as \"" + column + "\""),
                 .where = path_ + "." + key,
                 .fix = "leave \"" + label + "\" out there and in earlier stages"});
  };
  for (const std::string& column : placed.numeric) PT_TRY(check(column, "numeric"));
  for (const std::string& column : placed.categorical) PT_TRY(check(column, "categorical"));
  for (const ListInput& each : placed.lists) PT_TRY(check(each.column, "vectors"));
  for (const size_t maker : placed.awaits) {
    for (const std::string& column : ListInputs(maker)) PT_TRY(check(column, "numeric"));
  }
  const std::string& baseline = placed.options.train.baseline;
  return baseline.empty() ? Status::OK() : check(baseline, "train.baseline");
}

// Outputs of open stages are unknown, so the label is searched for among their inputs.
Columns Placer::ListInputs(size_t maker) const {
  Columns inputs = chain_.stages[maker].stage->inputs();
  // An open stage may itself await open stages.
  for (const size_t each : chain_.stages[maker].awaits) {
    for (std::string& input : ListInputs(each)) inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace protium
