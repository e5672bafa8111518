// SPDX-License-Identifier: Apache-2.0
#include "pipeline/placer.h"

#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "column/cells.h"
#include "stages/history_stage.h"

namespace protium {
namespace {

// Advice for a column whose type does not suit the option `key`, which takes `wanted`.
std::string AdviceOn(const std::string& key, const StageColumn& column, const std::string& wanted) {
  const arrow::DataType& type = *column.type;
  const bool text = type.id() == arrow::Type::STRING;
  if (wanted == "boolean") {
    return "write a condition for it in the SQL: day >= DATE '2015-06-14' AS held_out";
  }
  if (text && wanted.find("date") != wanted.npos) {
    return "read it in the SQL, by how it is written: to_date(" + column.name +
           ", 'MM/dd/yyyy') AS " + column.name;
  }
  if (key == "label" && text) return "to predict classes, set loss = \"cross_entropy\"";
  if (key == "label" && arrow::is_floating(type.id())) {
    return "turn it into classes in the SQL, or predict the number: loss = \"mse\"";
  }
  if (text) return "turn text into categories: list it in a string_indexer";
  if (arrow::is_floating(type.id()) || arrow::is_decimal(type.id())) {
    return "scale numbers with a fraction: list it in a standard_scaler";
  }
  return "cast it to a number or text in the SQL";
}

// The options that every kind of stage has; each stage reads its others itself.
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

// Reads only these keys: FieldsFromJson() refuses unknown ones.
Result<StageHead> ReadHead(const Json& options, const std::string& path) {
  StageHead head;
  Json known = Json::object();
  for (const char* key : {"id", "inputs", "outputs"}) {
    if (options.contains(key)) known[key] = options[key];
  }
  PT_TRY(FieldsFromJson(known, path, head));
  return head;
}

}  // namespace

Placer::Placer(std::vector<StageColumn> table, Catalogue catalogue, Analyze analyze,
               KnownOfTable known)
    : analyze_(std::move(analyze)), known_(known) {
  chain_.catalogue = std::move(catalogue);
  chain_.columns = std::move(table);
  table_columns_ = chain_.columns.size();
}

void Placer::Announce(const std::vector<StageOptions>& stages) {
  for (const StageOptions& each : stages) {
    const Json id = each.options.ToJson().value("id", Json());
    announced_.push_back(id.is_string() ? id.get<std::string>() : "");
  }
}

Status Placer::Place(StageOptions stage, std::unique_ptr<Stage> made) {
  path_ = "pipeline." + std::to_string(chain_.options.size());
  PT_LET(const StageRow* row,
         FindRow(chain_.catalogue.stages, "kind of stage", stage.kind, path_ + ".kind"));
  if (chain_.estimator) {
    return Fail({.exit = Exit::kUsage,
                 .what = row->make ? "a stage after the estimator"
                                   : "a pipeline with two estimators is not supported yet",
                 .where = path_,
                 .fix = row->make ? "put the estimator last" : "make two pipelines"});
  }
  reads_ = row->reads_history ? Use::kHistory : Use::kAlways;
  // Complete options go into the chain, and from there into the model: changing a default later
  // does not change saved models.
  PT_TRY(row->make ? PlaceOne(*row, stage, std::move(made)) : PlaceEstimator(*row, stage));
  chain_.options.push_back(std::move(stage));
  return Status::OK();
}

// In the table's order, so that two pipelines that read the same columns have the same projection.
Chain Placer::Take() {
  for (size_t i = 0; i < table_columns_; ++i) {
    if (used_[i] == Use::kNone) continue;
    chain_.sources.push_back(chain_.columns[i].name);
    if (used_[i] == Use::kAlways) chain_.needed.push_back(chain_.columns[i].name);
  }
  return std::move(chain_);
}

Status Placer::PlaceOne(const StageRow& row, StageOptions& given, std::unique_ptr<Stage> made) {
  PT_LET(Json options, row.complete(given.options.ToJson(), path_));
  PT_LET(StageHead head, ReadHead(options, path_));
  PT_TRY(NameId(given.kind, head.id));
  options["id"] = head.id;
  if (head.inputs.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "stage \"" + head.id + "\" has no inputs",
                 .where = path_ + ".inputs"});
  }
  // Outputs are named only when all inputs are known, as there must be one for each.
  PlacedStage placed{.path = path_};
  StageNames names{.id = head.id};
  PT_LET(names.inputs, Resolve(head.inputs, "inputs", placed.awaits));
  if (placed.awaits.empty() && options.contains("outputs")) {
    PT_TRY(NameOutputs(names.inputs, head.id, head.outputs));
    options["outputs"] = names.outputs = head.outputs;
  }
  // A stage from an earlier placing already has its names and what it learned.
  placed.stage = std::move(made);
  if (!placed.stage) {
    PT_LET(placed.stage, row.make(options, std::move(names)));
  }
  PT_TRY(CheckInputs(placed));
  const bool typed = known_ == KnownOfTable::kTypes;
  if (placed.awaits.empty() && typed) PT_TRY(ShowInputs(placed));
  const Columns outputs = placed.awaits.empty() ? placed.stage->outputs() : Columns();
  ends_ = ends_ || (outputs.empty() && !typed && !placed.open());
  for (size_t i = 0; i < outputs.size(); ++i) {
    // Learned names contain the id, so another id resolves a clash.
    const std::string key = i < head.outputs.size() ? "outputs." + std::to_string(i) : "id";
    PT_TRY(AddOutput({.name = outputs[i],
                      .type = placed.stage->output_type(i),
                      .length = typed ? placed.stage->output_length(i) : 0},
                     key));
  }
  given.options = std::move(options);
  chain_.stages.push_back(std::move(placed));
  return Status::OK();
}

Status Placer::CheckInputs(PlacedStage& placed) {
  const Columns& inputs = placed.stage->inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const HistoryStage* const history = placed.stage->history();
    const bool earlier = history != nullptr && i < history->num_values();
    PT_LET(const size_t at, Find(inputs[i], "inputs", earlier ? Use::kHistory : Use::kAlways));
    placed.level = std::max(placed.level, 1 + FindLevel(at));
    PT_TRY(CheckType(at, "inputs", placed.stage->CheckInput(i, *chain_.columns[at].type)));
  }
  PT_TRY(CheckHistory(placed));
  // The level of a stage that awaits others is final: placing it again adds only columns of those
  // stages.
  for (const size_t maker : placed.awaits) {
    placed.level = std::max(placed.level, 1 + chain_.stages[maker].level);
  }
  for (const std::string& column : placed.stage->learns_from()) {
    PT_TRY(CheckLearnsFrom(placed, column));
  }
  return Status::OK();
}

Status Placer::CheckHistory(const PlacedStage& placed) const {
  const HistoryStage* const history = placed.stage->history();
  if (history == nullptr) return Status::OK();
  const auto fail = [&](std::string what, const char* key, std::string why, std::string fix) {
    return Fail({.exit = Exit::kUsage,
                 .what = "stage \"" + id_ + "\" " + std::move(what),
                 .where = path_ + "." + key,
                 .why = std::move(why),
                 .fix = std::move(fix)});
  };
  const Columns& inputs = history->inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const StageColumn* const column = chain_.Find(inputs[i]);
    if (!placed.awaits.empty() || (column != nullptr && column->maker >= 0)) {
      return fail("reads a column that a stage makes", "inputs",
                  "earlier rows are found in the table, before other stages are applied",
                  "compute the column in the SQL");
    }
    if (std::ranges::count(inputs, inputs[i]) > 1) {
      return fail("reads \"" + inputs[i] + "\" twice", "inputs", "",
                  "name it once: in inputs, by or time");
    }
  }
  for (const PlacedStage& each : chain_.stages) {
    const HistoryStage* const other = each.stage->history();
    if (other == nullptr || other == history) continue;
    if (other->by() == history->by() && other->time() == history->time()) continue;
    return fail("orders rows in another way than stage \"" + other->id() + "\"",
                other->time() == history->time() ? "by" : "time",
                "the stages of a pipeline share one history", "give both the same by and time");
  }
  return Status::OK();
}

Status Placer::ShowInputs(PlacedStage& placed) const {
  std::vector<StageColumn> inputs;
  for (const std::string& input : placed.stage->inputs()) inputs.push_back(*chain_.Find(input));
  const Status seen = placed.stage->SeeInputs(inputs, analyze_);
  if (seen.ok()) return seen;
  Fault fault = FaultOf(seen);
  fault.where = path_ + (fault.where.empty() ? "" : "." + fault.where);
  return Fail(std::move(fault));
}

// A stage's label must be a column of the table: rows that are learned from have the table's
// columns, and an input made from the label would reveal it (IsMadeFrom() follows all stages).
Status Placer::CheckLearnsFrom(const PlacedStage& placed, const std::string& column) {
  PT_LET(const size_t at, Find(column, "label", Use::kTraining));
  PT_TRY(CheckType(at, "label", CheckNumeric(*chain_.columns[at].type)));
  const auto fail = [&](const std::string& what) {
    return Fail({.exit = Exit::kUsage,
                 .what = "stage \"" + id_ + "\": " + what,
                 .where = path_ + ".label"});
  };
  if (chain_.columns[at].maker >= 0) return fail("its label must be a column of the table");
  for (const std::string& input : placed.stage->inputs()) {
    if (IsMadeFrom(chain_, input, column)) {
      return fail("the label \"" + column + "\" is among its inputs");
    }
  }
  return Status::OK();
}

Status Placer::NameId(const std::string& kind, std::string& id) {
  const bool given = !id.empty();
  if (!given) id = kind;
  // A default id avoids earlier ids; an explicit id must be free.
  for (int number = 2; !given && ids_.contains(id); ++number) {
    id = kind + "_" + std::to_string(number);
  }
  id_ = id;
  if (ids_.emplace(id, chain_.options.size()).second) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "two stages have the id \"" + id + "\"",
               .where = path_ + ".id"});
}

// A kind without the option `outputs` never gets here: its constructor or Learn() names its
// columns.
Status Placer::NameOutputs(const Columns& inputs, const std::string& id, Columns& outputs) {
  if (outputs.empty()) {
    for (const std::string& input : inputs) outputs.push_back(input + "__" + id);
  }
  if (outputs.size() == inputs.size()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "stage \"" + id + "\" has " + std::to_string(inputs.size()) +
                       " inputs and " + std::to_string(outputs.size()) + " outputs",
               .where = path_ + ".outputs"});
}

Status Placer::CheckType(size_t at, const std::string& key, const Status& fits) {
  if (fits.ok() || known_ != KnownOfTable::kTypes) return Status::OK();
  const StageColumn& column = chain_.columns[at];
  return Fail({.exit = Exit::kUsage,
               .what = "column \"" + column.name + "\" is " + TypeText(*column.type) + ", not " +
                       fits.message(),
               .where = path_ + "." + key,
               .fix = AdviceOn(key, column, fits.message())});
}

// The level from which a column exists: 0 for the table's.
int32_t Placer::FindLevel(size_t at) const {
  const int32_t maker = chain_.columns[at].maker;
  return maker < 0 ? 0 : chain_.stages[maker].level;
}

// Refuses a name that is already taken, ignoring case: engines would see two columns of one name.
Status Placer::AddOutput(StageColumn column, const std::string& key) {
  const std::string& name = column.name;
  for (const StageColumn& each : chain_.columns) {
    if (Lower(each.name) != Lower(name)) continue;
    const std::string of = each.maker < 0 ? " of a column of the table"
                                          : " of a column that stage \"" +
                                                chain_.stages[each.maker].stage->id() + "\" makes";
    return Fail({.exit = Exit::kUsage,
                 .what = "output \"" + name + "\" of stage \"" + id_ + "\" has the name" + of,
                 .where = path_ + "." + key,
                 .why = "stages never overwrite columns",
                 .fix = key == "id" ? "give one of the two another id" : ""});
  }
  column.maker = int32_t(chain_.options.size());
  chain_.columns.push_back(std::move(column));
  return Status::OK();
}

}  // namespace protium
