// SPDX-License-Identifier: Apache-2.0
#include "learn/chain.h"

#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/fault.h"
#include "learn/known.h"

namespace protium {
namespace {

std::string Lower(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

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

// Puts one stage after the other to the table.
class Placer {
 public:
  Placer(const arrow::Schema& table, const std::vector<std::string>& own_nets)
      : own_nets_(own_nets) {
    for (const auto& field : table.fields()) {
      chain_.columns.push_back({.name = field->name(), .type = field->type()});
    }
    table_columns_ = chain_.columns.size();
  }

  Status Place(StageOptions options) {
    path_ = "pipeline." + std::to_string(chain_.options.size());
    if (chain_.estimator) {
      const bool two = std::holds_alternative<TorchEstimatorOptions>(options);
      return Fail({.exit = Exit::kUsage,
                   .what = two ? "a pipeline with two estimators is not built yet"
                               : "a stage after the estimator",
                   .where = path_,
                   .fix = two ? "make two pipelines" : "put the estimator last"});
    }
    PT_TRY(std::visit([&](auto& each) { return PlaceOne(each); }, options));
    chain_.options.push_back(std::move(options));
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

  Status PlaceOne(TorchEstimatorOptions& options) {
    PT_TRY(NameId("torch_estimator", options.id));
    PT_LET(options, Complete(std::move(options), path_, own_nets_));
    PlacedEstimator placed{.options = options, .path = path_};
    PT_LET(placed.categorical, Resolve(options.categorical, "categorical"));
    PT_LET(placed.numeric, Resolve(options.numeric, "numeric"));
    PT_TRY(CheckEstimator(placed));
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

  Status CheckEstimator(const PlacedEstimator& placed) {
    for (const std::string& column : placed.numeric) {
      PT_LET(const size_t at, Find(column, "numeric"));
      PT_TRY(CheckType(at, "numeric", CheckNumeric(*chain_.columns[at].type)));
    }
    for (const std::string& column : placed.categorical) {
      PT_LET(const size_t at, Find(column, "categorical"));
      const int32_t maker = chain_.columns[at].maker;
      if (maker >= 0 && std::holds_alternative<StringIndexerOptions>(chain_.options[maker])) {
        continue;
      }
      return Fail({.exit = Exit::kUsage,
                   .what = "categorical column \"" + column +
                           "\" does not come from a "
                           "string_indexer",
                   .where = path_ + ".categorical",
                   .fix = "index it, and name the stage: categorical = [{ stage = \"index\" }]"});
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
    const std::string& baseline = placed.options.train.baseline;
    return baseline.empty() ? Status::OK() : check(baseline, "train.baseline");
  }

  template <class Options>
  Status PlaceOne(Options& options) {
    PT_TRY(NameId(KindOf(options), options.id));
    if (options.inputs.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "stage \"" + options.id + "\" has no inputs",
                   .where = path_ + ".inputs"});
    }
    StageNames names{.id = options.id};
    PT_LET(names.inputs, Resolve(options.inputs, "inputs"));
    PT_TRY(NameOutputs(names.inputs, options.id, options.outputs));
    names.outputs = options.outputs;
    PlacedStage placed{.stage = MakeStage(options, names), .path = path_};
    for (size_t i = 0; i < names.inputs.size(); ++i) {
      PT_LET(const size_t at, Find(names.inputs[i], "inputs"));
      placed.level = std::max(placed.level, 1 + LevelOf(at));
      PT_TRY(CheckType(at, "inputs", placed.stage->CheckType(*chain_.columns[at].type)));
    }
    for (size_t i = 0; i < names.outputs.size(); ++i) {
      PT_TRY(
          AddOutput(names.outputs[i], placed.stage->output_type(), "outputs." + std::to_string(i)));
    }
    chain_.stages.push_back(std::move(placed));
    return Status::OK();
  }

  Status NameId(std::string_view kind, std::string& id) {
    const bool given = !id.empty();
    if (!given) id = kind;
    for (int number = 2; !given && ids_.contains(id); ++number) {
      id = std::string(kind) + "_" + std::to_string(number);
    }
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

  // All columns that `inputs` mean, in order; each may be there once.
  Result<Columns> Resolve(const Inputs& inputs, const std::string& key) {
    Columns columns;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string at = key + "." + std::to_string(i);
      if (inputs[i].stage.empty()) {
        PT_TRY(Find(inputs[i].column, at));
        columns.push_back(inputs[i].column);
        continue;
      }
      PT_LET(const int32_t maker, FindStage(inputs[i].stage, at));
      for (const StageColumn& each : chain_.columns) {
        if (each.maker == maker) columns.push_back(each.name);
      }
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

  Result<int32_t> FindStage(const std::string& id, const std::string& key) {
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
                 .fix = Suggest(column, known)});
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
      return Fail({.exit = Exit::kUsage,
                   .what = "output \"" + name + "\" is the name of a column already there",
                   .where = path_ + "." + key,
                   .why = "stages never overwrite columns"});
    }
    chain_.columns.push_back({name, std::move(type), int32_t(chain_.options.size())});
    return Status::OK();
  }

  const std::vector<std::string>& own_nets_;
  Chain chain_;
  size_t table_columns_ = 0;
  std::map<size_t, Use> used_;
  std::map<std::string, size_t> ids_;  // To the stage's position.
  std::string path_;
};

}  // namespace

int32_t Chain::levels() const {
  int32_t levels = estimator ? estimator->level : 0;
  for (const PlacedStage& each : stages) levels = std::max(levels, each.level);
  return levels;
}

const StageColumn* Chain::Find(const std::string& column) const {
  for (const StageColumn& each : columns) {
    if (each.name == column) return &each;
  }
  return nullptr;
}

Result<Chain> PlaceStages(const std::vector<StageOptions>& stages, const arrow::Schema& table,
                          const std::vector<std::string>& own_nets) {
  Placer placer(table, own_nets);
  for (const StageOptions& stage : stages) PT_TRY(placer.Place(stage));
  return placer.Take();
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
