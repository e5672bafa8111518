// SPDX-License-Identifier: Apache-2.0
// 1. In the driver BatchRun collects stages, and End() writes them, with what they learned, into
//    the config of one MapTask.
// 2. In a worker BatchStages rebuilds the stages from that text, once for all batches.
// 3. Each batch goes through the stages in order; a stage may read the outputs of earlier ones.
#include "pipeline/batch_run.h"

#include <arrow/api.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/fault.h"
#include "catalogue/catalogue.h"
#include "stages/column_stage.h"

namespace protium {
namespace {

// Everything that a worker needs to make one stage and apply it.
struct StageCall {
  std::string kind;
  std::string id;
  Json options;
  Columns inputs;
  Columns outputs;
  Columns reads;  // The columns of a batch that hold the inputs.
  Json learned;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("kind", kind);
    visit("id", id);
    visit("options", options);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("reads", reads);
    visit("learned", learned);
  }
};

struct StagesConfig {
  std::vector<StageCall> stages;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("stages", stages);
  }
};

struct MadeStage {
  StageCall call;
  std::unique_ptr<Stage> stage;
};

Result<MadeStage> MakeStage(StageCall call, const Catalogue& catalogue) {
  PT_LET(const StageRow* row, FindRow(catalogue.stages, "kind of stage", call.kind, "stages"));
  MadeStage made;
  PT_LET(made.stage, row->make(call.options, {call.id, call.inputs, call.outputs}));
  if (made.stage->batches() == nullptr) return Status::Invalid(call.kind, " is not a batch stage");
  PT_TRY(made.stage->Restore(call.learned));
  made.call = std::move(call);
  return made;
}

using ColumnMap = std::map<std::string, std::shared_ptr<arrow::Array>>;

Status ApplyOne(const MadeStage& made, ColumnMap& columns) {
  arrow::ArrayVector inputs;
  for (const std::string& name : made.call.reads) {
    // A missing name gets an empty entry, which is null.
    if (!columns[name]) return Status::KeyError("no column \"", name, "\" in the rows of stages");
    inputs.push_back(columns[name]);
  }
  PT_LET(arrow::ArrayVector outputs, made.stage->batches()->Compute(inputs));
  const Columns& names = made.stage->outputs();
  PT_CHECK(outputs.size() == names.size());
  for (size_t i = 0; i < names.size(); ++i) columns[names[i]] = std::move(outputs[i]);
  return Status::OK();
}

// Engines name the elements of lists differently, so types may differ although the bytes are the
// same.
Result<std::shared_ptr<arrow::Array>> As(const std::shared_ptr<arrow::DataType>& type,
                                         const std::shared_ptr<arrow::Array>& array) {
  return array->type()->Equals(*type) ? array : array->View(type);
}

Result<std::shared_ptr<arrow::RecordBatch>> ApplyAll(const std::vector<MadeStage>& stages,
                                                     const arrow::RecordBatch& batch,
                                                     const SchemaPtr& output) {
  ColumnMap columns;
  for (int i = 0; i < batch.num_columns(); ++i) columns[batch.column_name(i)] = batch.column(i);
  for (const MadeStage& made : stages) {
    PT_TRY(Annotate(ApplyOne(made, columns), "stage \"" + made.call.id + "\""));
  }
  arrow::ArrayVector arrays;
  for (const auto& field : output->fields()) {
    const auto& array = columns[field->name()];
    if (!array) return Status::KeyError("no column \"", field->name(), "\" behind stages");
    PT_LET(arrays.emplace_back(), As(field->type(), array));
  }
  return arrow::RecordBatch::Make(output, batch.num_rows(), std::move(arrays));
}

}  // namespace

struct BatchStages::Made {
  std::vector<MadeStage> stages;
  SchemaPtr output;
};

Result<BatchStages> BatchStages::Make(const std::string& text, SchemaPtr output) {
  PT_LET(const Json json, ParseJson(text));
  StagesConfig config;
  PT_TRY(FieldsFromJson(json, "stages", config));
  const Catalogue catalogue = BuiltInCatalogue();
  auto made = std::make_shared<Made>();
  made->output = std::move(output);
  for (StageCall& call : config.stages) {
    PT_LET(made->stages.emplace_back(), MakeStage(std::move(call), catalogue));
  }
  BatchStages out;
  out.made_ = std::move(made);
  return out;
}

Result<std::shared_ptr<arrow::RecordBatch>> BatchStages::Apply(
    const arrow::RecordBatch& batch) const {
  return ApplyAll(made_->stages, batch, made_->output);
}

Status StagesTask(TaskContext& context) {
  PT_LET(const BatchStages stages, BatchStages::Make(context.config(), context.output_schema()));
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, context.input().Next());
    if (!batch) return Status::OK();
    if (context.stop().stop_requested()) return Status::Cancelled("stopped while applying stages");
    PT_LET(const auto applied, stages.Apply(*batch));
    PT_TRY(context.Emit(*applied));
  }
}

bool BatchRun::Makes(const std::string& column) const {
  return std::any_of(stages_.begin(), stages_.end(), [&](const Placed& each) {
    const Columns& outputs = each.stage->outputs();
    return std::find(outputs.begin(), outputs.end(), column) != outputs.end();
  });
}

bool BatchRun::MustEndBefore(const Stage& stage) const {
  for (size_t i = 0; i < stage.inputs().size(); ++i) {
    if (!Makes(stage.inputs()[i])) continue;
    const BatchStage* const batches = stage.batches();
    // An input that the engine converts must be a column that the engine has.
    if (batches == nullptr || batches->Reads(i).kind != Expr::Kind::kColumn) return true;
  }
  return false;
}

void BatchRun::Add(const StageOptions& options, const BatchStage& stage) {
  stages_.push_back({&options, &stage});
}

Plan BatchRun::End(Plan rows, Columns& columns) {
  if (stages_.empty()) return rows;
  StagesConfig config;
  std::vector<NamedExpr> converted;
  arrow::FieldVector made;
  for (const auto& [options, stage] : stages_) {
    StageCall call{.kind = options->kind,
                   .id = stage->id(),
                   .options = stage->OptionsFor(base_, options->options.ToJson()),
                   .inputs = stage->inputs(),
                   .outputs = stage->outputs(),
                   .learned = stage->learned()};
    for (size_t i = 0; i < stage->inputs().size(); ++i) {
      Expr read = stage->Reads(i);
      call.reads.push_back(stage->inputs()[i]);
      if (read.kind == Expr::Kind::kColumn) continue;
      // The engine converts it below the task; the task's output omits this column.
      call.reads.back() = FreeName("__read_" + std::to_string(converted.size()), columns);
      converted.push_back({call.reads.back(), std::move(read)});
    }
    for (size_t i = 0; i < stage->outputs().size(); ++i) {
      made.push_back(arrow::field(stage->outputs()[i], stage->output_type(i)));
    }
    config.stages.push_back(std::move(call));
  }
  int64_t rows_a_batch = 0;
  for (const auto& [options, stage] : stages_) {
    const int64_t few = stage->rows_a_batch();
    if (few > 0 && (rows_a_batch == 0 || few < rows_a_batch)) rows_a_batch = few;
  }
  stages_.clear();
  if (!converted.empty()) rows = WithColumns(std::move(rows), columns, std::move(converted));
  // A task must declare the types of its output; only the engine knows those of columns that pass
  // through.
  const Result<SchemaPtr> schema =
      analyze_ ? analyze_(rows) : Status::Invalid("no engine to apply stages with");
  if (!schema.ok()) return MakePlan(Broken{schema.status()});
  arrow::FieldVector fields;
  for (const std::string& column : columns) fields.push_back((*schema)->GetFieldByName(column));
  for (const auto& field : made) columns.push_back(field->name());
  fields.insert(fields.end(), made.begin(), made.end());
  return MakePlan(MapTask{.task = "stages",
                          .config = Dump(FieldsToJson(config)),
                          .output = arrow::schema(std::move(fields)),
                          .rows_a_batch = rows_a_batch},
                  {std::move(rows)});
}

}  // namespace protium
