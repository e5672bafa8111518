// SPDX-License-Identifier: Apache-2.0
#include "learn/chain.h"

#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "base/fault.h"
#include "learn/estimator.h"

namespace protium {
namespace {

// What to do with a column that does not fit where `key` stands.
std::string AdviceOn(const std::string& key, const arrow::DataType& type) {
  const bool text = type.id() == arrow::Type::STRING;
  if (key == "label" && text) return "classes are learned by loss = \"cross_entropy\"";
  if (key == "label" && arrow::is_floating(type.id())) {
    return "make classes of it in the SQL, or learn the number: loss = \"mse\"";
  }
  if (text) return "text becomes categories: list it in a string_indexer";
  if (arrow::is_floating(type.id()) || arrow::is_decimal(type.id())) {
    return "numbers with a fraction are scaled: list it in a standard_scaler";
  }
  return "make it a number or text in the SQL";
}

// What every row of a stage has among its options.
struct StageHead {
  std::string id;
  Inputs inputs;
  Columns outputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
  }
};

Result<StageHead> HeadOf(const Json& options, const std::string& path) {
  StageHead head;
  Json known = Json::object();
  for (const char* key : {"id", "inputs", "outputs"}) {
    if (options.contains(key)) known[key] = options[key];
  }
  PT_TRY(FieldsFromJson(known, path, head));
  return head;
}

// Puts one stage after the other to the table.
class Placer {
 public:
  Placer(std::vector<StageColumn> table, Catalogue catalogue) {
    chain_.catalogue = std::move(catalogue);
    chain_.columns = std::move(table);
    table_columns_ = chain_.columns.size();
  }

  // With `made`, a stage as an earlier placing left it, or null.
  Status Place(StageOptions stage, std::unique_ptr<Stage> made = nullptr) {
    path_ = "pipeline." + std::to_string(chain_.options.size());
    PT_LET(const StageRow* row,
           FindRow(chain_.catalogue.stages, "kind of stage", stage.kind, path_ + ".kind"));
    if (chain_.estimator) {
      return Fail({.exit = Exit::kUsage,
                   .what = row->make ? "a stage after the estimator"
                                     : "a pipeline with two estimators is not built yet",
                   .where = path_,
                   .fix = row->make ? "put the estimator last" : "make two pipelines"});
    }
    PT_LET(stage.options, row->complete(stage.options, path_));
    PT_TRY(row->make ? PlaceOne(*row, stage, std::move(made)) : PlaceEstimator(stage));
    chain_.options.push_back(std::move(stage));
    return Status::OK();
  }

  Chain Take() {
    for (size_t i = 0; i < table_columns_; ++i) {
      if (used_[i] == Use::kNone) continue;
      chain_.sources.push_back(chain_.columns[i].name);
      if (used_[i] == Use::kAlways) chain_.needed.push_back(chain_.columns[i].name);
    }
    return std::move(chain_);
  }

 private:
  enum class Use { kNone, kTraining, kAlways };

  Status PlaceEstimator(StageOptions& stage) {
    PT_LET(TorchEstimatorOptions options, ReadEstimator(stage, path_));
    PT_TRY(NameId(stage.kind, options.id));
    PT_LET(options, Complete(std::move(options), path_, chain_.catalogue));
    stage.options = FieldsToJson(options);
    PlacedEstimator placed{.options = options, .path = path_};
    PT_LET(placed.categorical, Resolve(options.categorical, "categorical", placed.awaits));
    PT_TRY(CheckIndices(placed));
    PT_LET(placed.numeric, Resolve(options.numeric, "numeric", placed.awaits));
    PT_TRY(CheckNumbers(placed));
    PT_TRY(PlaceLists(placed));
    PT_TRY(CheckLabel(placed));
    for (const std::string& label : LabelsOf(options)) {
      PT_LET(const size_t at, Find(label, "label", Use::kTraining));
      PT_TRY(CheckType(at, "label", CheckLabelType(KindOf(options), *chain_.columns[at].type)));
      placed.level = std::max(placed.level, 1 + LevelOf(at));
    }
    for (const auto& [column, key] : {std::pair{&options.weight, "weight"},
                                      std::pair{&options.train.baseline, "train.baseline"}}) {
      if (column->empty()) continue;
      PT_LET(const size_t at, Find(*column, key, Use::kTraining));
      PT_TRY(CheckType(at, key, CheckNumeric(*chain_.columns[at].type)));
      placed.level = std::max(placed.level, 1 + LevelOf(at));
    }
    for (size_t i = 0; i < options.train.validation.by.size(); ++i) {
      const std::string key = "train.validation.by." + std::to_string(i);
      PT_LET(const size_t at, Find(options.train.validation.by[i], key, Use::kTraining));
      if (chain_.columns[at].maker < 0) continue;
      return Fail({.exit = Exit::kUsage,
                   .what = "rows are held out by columns of the table, not by what a stage makes",
                   .where = path_ + "." + key});
    }
    const auto label = chain_.Find(LabelsOf(options).front())->type;
    for (const auto& field : PredictedFields(options, label)) {
      PT_TRY(AddOutput(field->name(), field->type(), "prediction"));
    }
    chain_.estimator = std::move(placed);
    return Status::OK();
  }

  Status CheckNumbers(const PlacedEstimator& placed) {
    for (const std::string& column : placed.numeric) {
      PT_LET(const size_t at, Find(column, "numeric"));
      PT_TRY(CheckType(at, "numeric", CheckNumeric(*chain_.columns[at].type)));
    }
    return Status::OK();
  }

  // Embeddings are for whole numbers that count up from 0.
  Status CheckIndices(const PlacedEstimator& placed) {
    const auto refuse = [&](const std::string& what) {
      return Fail({.exit = Exit::kUsage,
                   .what = what + " does not come from a string_indexer",
                   .where = path_ + ".categorical",
                   .fix = "index it, and name the stage: categorical = [{ stage = \"index\" }]"});
    };
    for (const std::string& column : placed.categorical) {
      PT_LET(const size_t at, Find(column, "categorical"));
      const int32_t maker = chain_.columns[at].maker;
      const bool indices = maker >= 0 && chain_.stages[maker].stage->makes_indices();
      if (!indices) return refuse("categorical column \"" + column + "\"");
    }
    for (const size_t maker : placed.awaits) {
      const Stage& stage = *chain_.stages[maker].stage;
      if (!stage.makes_indices()) return refuse("what stage \"" + stage.id() + "\" makes");
    }
    return Status::OK();
  }

  // Lists come from the table; how long they are says their type, or whoever lists them.
  Status PlaceLists(PlacedEstimator& placed) {
    for (const VectorColumn& each : placed.options.vectors) {
      PT_LET(const size_t at, Find(each.column, "vectors"));
      const arrow::DataType& type = *chain_.columns[at].type;
      const bool fixed = type.id() == arrow::Type::FIXED_SIZE_LIST;
      const bool list = fixed || type.id() == arrow::Type::LIST;
      const Status numbers = list && CheckNumeric(*type.field(0)->type()).ok()
                                 ? Status::OK()
                                 : Status::TypeError("a list of numbers");
      PT_TRY(CheckType(at, "vectors", numbers));
      const int64_t length =
          fixed ? static_cast<const arrow::FixedSizeListType&>(type).list_size() : each.length;
      if (length < 1 || (each.length > 0 && each.length != length)) {
        return Fail({.exit = Exit::kUsage,
                     .what = "it is not known how long the lists in \"" + each.column + "\" are",
                     .where = path_ + ".vectors",
                     .fix = "vectors = [{ column = \"" + each.column + "\", length = 768 }]"});
      }
      placed.lists.push_back({each.column, length});
    }
    return Status::OK();
  }

  // Whoever is shown the answer learns nothing else.
  Status CheckLabel(const PlacedEstimator& placed) const {
    for (const std::string& label : LabelsOf(placed.options)) {
      PT_TRY(CheckLabel(placed, SourceOf(chain_, label)));
    }
    return Status::OK();
  }

  Status CheckLabel(const PlacedEstimator& placed, const std::string& label) const {
    const auto check = [&](const std::string& column, const std::string& key) {
      if (SourceOf(chain_, column) != label) return Status::OK();
      return Fail({.exit = Exit::kUsage,
                   .what = "the label \"" + label + "\" is among what it is to be learned from" +
                           (column == label ? "" : ", as \"" + column + "\""),
                   .where = path_ + "." + key,
                   .fix = "leave \"" + label + "\" out there and in the stages before"});
    };
    for (const std::string& column : placed.numeric) PT_TRY(check(column, "numeric"));
    for (const std::string& column : placed.categorical) PT_TRY(check(column, "categorical"));
    for (const size_t maker : placed.awaits) {
      for (const std::string& column : SourcesOf(maker)) PT_TRY(check(column, "numeric"));
    }
    const std::string& baseline = placed.options.train.baseline;
    return baseline.empty() ? Status::OK() : check(baseline, "train.baseline");
  }

  // The columns of the table that an open stage rests on.
  Columns SourcesOf(size_t maker) const {
    Columns sources;
    for (const std::string& input : chain_.stages[maker].stage->inputs()) {
      sources.push_back(SourceOf(chain_, input));
    }
    for (const size_t each : chain_.stages[maker].awaits) {
      for (std::string& source : SourcesOf(each)) sources.push_back(std::move(source));
    }
    return sources;
  }

  Status PlaceOne(const StageRow& row, StageOptions& options, std::unique_ptr<Stage> made) {
    PT_LET(StageHead head, HeadOf(options.options, path_));
    PT_TRY(NameId(options.kind, head.id));
    options.options["id"] = head.id;
    if (head.inputs.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "stage \"" + head.id + "\" has no inputs",
                   .where = path_ + ".inputs"});
    }
    PlacedStage placed{.path = path_};
    StageNames names{.id = head.id};
    PT_LET(names.inputs, Resolve(head.inputs, "inputs", placed.awaits));
    if (placed.awaits.empty() && options.options.contains("outputs")) {
      PT_TRY(NameOutputs(names.inputs, head.id, head.outputs));
      options.options["outputs"] = names.outputs = head.outputs;
    }
    placed.stage = std::move(made);
    if (!placed.stage) {
      PT_LET(placed.stage, row.make(options.options, std::move(names)));
    }
    PT_TRY(CheckInputs(placed));
    for (size_t i = 0; i < placed.stage->outputs().size(); ++i) {
      const std::string key =
          placed.stage->learns_outputs() ? "id" : "outputs." + std::to_string(i);
      PT_TRY(AddOutput(placed.stage->outputs()[i], placed.stage->output_type(i), key));
    }
    chain_.stages.push_back(std::move(placed));
    return Status::OK();
  }

  // Finds the level as well.
  Status CheckInputs(PlacedStage& placed) {
    for (const std::string& input : placed.stage->inputs()) {
      PT_LET(const size_t at, Find(input, "inputs"));
      placed.level = std::max(placed.level, 1 + LevelOf(at));
      PT_TRY(CheckType(at, "inputs", placed.stage->CheckType(*chain_.columns[at].type)));
    }
    for (const size_t maker : placed.awaits) {
      placed.level = std::max(placed.level, 1 + chain_.stages[maker].level);
    }
    return Status::OK();
  }

  Status NameId(const std::string& kind, std::string& id) {
    const bool given = !id.empty();
    if (!given) id = kind;
    for (int number = 2; !given && ids_.contains(id); ++number) {
      id = kind + "_" + std::to_string(number);
    }
    id_ = id;
    if (ids_.emplace(id, chain_.options.size()).second) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "two stages have the id \"" + id + "\"",
                 .where = path_ + ".id"});
  }

  Status NameOutputs(const Columns& inputs, const std::string& id, Columns& outputs) {
    if (outputs.empty()) {
      for (const std::string& input : inputs) outputs.push_back(input + "__" + id);
    }
    if (outputs.size() == inputs.size()) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "stage \"" + id + "\" has " + std::to_string(inputs.size()) +
                         " inputs and " + std::to_string(outputs.size()) + " outputs",
                 .where = path_ + ".outputs"});
  }

  // All columns that `inputs` mean, in order; each may be there once. Stages whose columns are not
  // known yet go to `awaits`.
  Result<Columns> Resolve(const Inputs& inputs, const std::string& key,
                          std::vector<size_t>& awaits) {
    Columns columns;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string at = key + "." + std::to_string(i);
      if (inputs[i].stage.empty()) {
        PT_TRY(Find(inputs[i].column, at));
        columns.push_back(inputs[i].column);
        continue;
      }
      PT_LET(const size_t maker, FindStage(inputs[i].stage, at));
      if (chain_.stages[maker].open()) {
        if (std::find(awaits.begin(), awaits.end(), maker) != awaits.end()) {
          return Fail({.exit = Exit::kUsage,
                       .what = "stage \"" + inputs[i].stage + "\" is listed twice",
                       .where = path_ + "." + key});
        }
        awaits.push_back(maker);
      }
      const Columns& made = chain_.stages[maker].stage->outputs();
      columns.insert(columns.end(), made.begin(), made.end());
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      if (std::find(columns.begin(), columns.begin() + i, columns[i]) == columns.begin() + i) {
        continue;
      }
      return Fail({.exit = Exit::kUsage,
                   .what = "column \"" + columns[i] + "\" is listed twice",
                   .where = path_ + "." + key});
    }
    return columns;
  }

  Result<size_t> FindStage(const std::string& id, const std::string& key) {
    const auto found = ids_.find(id);
    if (found != ids_.end() && found->second < chain_.options.size()) return found->second;
    std::vector<std::string> known;
    for (const auto& [each, index] : ids_) {
      if (index < chain_.options.size()) known.push_back(each);
    }
    return Fail({.exit = Exit::kUsage,
                 .what = "there is no earlier stage \"" + id + "\"",
                 .where = path_ + "." + key,
                 .fix = Suggest(id, known)});
  }

  // The index of a column, which counts as used.
  Result<size_t> Find(const std::string& column, const std::string& key, Use use = Use::kAlways) {
    std::vector<std::string> known;
    for (size_t i = 0; i < chain_.columns.size(); ++i) {
      const StageColumn& each = chain_.columns[i];
      if (each.name == column) {
        used_[i] = std::max(used_[i], use);
        return i;
      }
      // What stages make is advice for those only who spell such names out.
      if (each.maker < 0 || column.find("__") != column.npos) known.push_back(each.name);
    }
    return Fail({.exit = Exit::kUsage,
                 .what = "there is no column \"" + column + "\"",
                 .where = path_ + "." + key,
                 .why = WhyUnknown(column),
                 .fix = Suggest(column, known)});
  }

  std::string WhyUnknown(const std::string& column) const {
    for (const PlacedStage& each : chain_.stages) {
      const std::string& id = each.stage->id();
      if (!each.open() || column.find("__" + id + "__") == column.npos) continue;
      return "the columns of stage \"" + id + "\" are known once it has learned: name the stage, " +
             "{ stage = \"" + id + "\" }";
    }
    return {};
  }

  Status CheckType(size_t at, const std::string& key, const Status& fits) {
    if (fits.ok()) return fits;
    const StageColumn& column = chain_.columns[at];
    return Fail({.exit = Exit::kUsage,
                 .what = "column \"" + column.name + "\" is " + column.type->ToString() + ", not " +
                         fits.message(),
                 .where = path_ + "." + key,
                 .fix = AdviceOn(key, *column.type)});
  }

  int32_t LevelOf(size_t at) const {
    const int32_t maker = chain_.columns[at].maker;
    return maker < 0 ? 0 : chain_.stages[maker].level;
  }

  Status AddOutput(const std::string& name, std::shared_ptr<arrow::DataType> type,
                   const std::string& key) {
    for (const StageColumn& each : chain_.columns) {
      if (Lower(each.name) != Lower(name)) continue;
      const std::string of =
          each.maker < 0
              ? " of a column of the table"
              : " of a column that stage \"" + chain_.stages[each.maker].stage->id() + "\" makes";
      return Fail({.exit = Exit::kUsage,
                   .what = "output \"" + name + "\" of stage \"" + id_ + "\" is the name" + of,
                   .where = path_ + "." + key,
                   .why = "stages never overwrite columns",
                   .fix = key == "id" ? "give one of the two another id" : ""});
    }
    chain_.columns.push_back({name, std::move(type), int32_t(chain_.options.size())});
    return Status::OK();
  }

  Chain chain_;
  size_t table_columns_ = 0;
  std::map<size_t, Use> used_;
  std::map<std::string, size_t> ids_;  // To the stage's position.
  std::string path_;                   // Of the stage that is being placed,
  std::string id_;                     // and its id.
};

// The table's columns among those of a chain.
std::vector<StageColumn> TableColumns(const Chain& chain) {
  std::vector<StageColumn> columns;
  for (const StageColumn& each : chain.columns) {
    if (each.maker < 0) columns.push_back(each);
  }
  return columns;
}

}  // namespace

bool PlacedStage::open() const {
  return !awaits.empty() || (stage->learns_outputs() && stage->outputs().empty());
}

int32_t Chain::levels() const {
  int32_t levels = estimator ? estimator->level : 0;
  for (const PlacedStage& each : stages) levels = std::max(levels, each.level);
  return levels;
}

std::string Chain::Extension() const {
  for (const NetRow& row : catalogue.nets) {
    if (estimator && row.name == estimator->options.net.name) return row.extension.string();
  }
  return {};
}

const StageColumn* Chain::Find(const std::string& column) const {
  for (const StageColumn& each : columns) {
    if (each.name == column) return &each;
  }
  return nullptr;
}

Result<Chain> PlaceStages(const std::vector<StageOptions>& stages, const arrow::Schema& table,
                          Catalogue catalogue) {
  std::vector<StageColumn> columns;
  for (const auto& field : table.fields()) columns.push_back({field->name(), field->type()});
  Placer placer(std::move(columns), std::move(catalogue));
  for (const StageOptions& stage : stages) PT_TRY(placer.Place(stage));
  return placer.Take();
}

Status PlaceAgain(Chain& chain) {
  Placer placer(TableColumns(chain), chain.catalogue);
  for (size_t i = 0; i < chain.options.size(); ++i) {
    const bool keep = i < chain.stages.size() && chain.stages[i].awaits.empty();
    const Status placed =
        placer.Place(chain.options[i], keep ? std::move(chain.stages[i].stage) : nullptr);
    if (placed.ok()) continue;
    Fault fault = FaultOf(placed);
    fault.exit = Exit::kInput;
    return Fail(std::move(fault));
  }
  chain = placer.Take();
  return Status::OK();
}

Plan ApplyStages(const Chain& chain, Plan rows, Columns& columns, Columns wanted) {
  std::vector<bool> used(chain.stages.size());
  for (size_t i = chain.stages.size(); i-- > 0;) {
    const Stage& stage = *chain.stages[i].stage;
    for (const std::string& output : stage.outputs()) {
      used[i] = used[i] || std::find(wanted.begin(), wanted.end(), output) != wanted.end();
    }
    if (used[i]) wanted.insert(wanted.end(), stage.inputs().begin(), stage.inputs().end());
  }
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const Stage& stage = *chain.stages[i].stage;
    rows = stage.Apply(std::move(rows), columns);
    columns.insert(columns.end(), stage.outputs().begin(), stage.outputs().end());
  }
  return rows;
}

}  // namespace protium
