// SPDX-License-Identifier: Apache-2.0
#include "plan/row_steps.h"

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/fault.h"
#include "plan/row_cuts.h"
#include "plan/row_steps_text.h"
#include "plan/row_values.h"

// Each verb has two overloads: After() returns the columns after a step, or null if an engine has
// to run it, and Apply() computes it. A verb with neither falls back to the templates, which
// refuse. Columns are found by name once per batch, and every step makes a new batch that shares
// what it can.

namespace protium {

// Finds the positions of cells among a lookup's keys, by their text. Immutable.
class KeyPositions {
 public:
  explicit KeyPositions(const Lookup& lookup)
      : keys_(lookup.keys), unseen_(lookup.unseen), missing_(lookup.missing) {
    if (keys_ == nullptr) return;
    for (size_t i = 0; i < keys_->size(); ++i) {
      positions_.emplace((*keys_)[i], static_cast<int64_t>(i));
    }
  }

  Result<std::shared_ptr<arrow::Array>> Find(const arrow::Array& cells) const {
    switch (cells.type_id()) {
      case arrow::Type::STRING:
        return FindEach<arrow::StringArray>(cells, [](std::string_view v) { return v; });
      case arrow::Type::BOOL:
        return FindEach<arrow::BooleanArray>(
            cells, [](bool v) { return std::string_view(v ? "true" : "false"); });
      case arrow::Type::INT8:
        return Whole<arrow::Int8Array>(cells);
      case arrow::Type::INT16:
        return Whole<arrow::Int16Array>(cells);
      case arrow::Type::INT32:
        return Whole<arrow::Int32Array>(cells);
      default:
        return Whole<arrow::Int64Array>(cells);
    }
  }

 private:
  template <class Array>
  Result<std::shared_ptr<arrow::Array>> Whole(const arrow::Array& cells) const {
    char digits[24];  // Room for any 64-bit integer with its sign.
    return FindEach<Array>(cells, [&digits](int64_t value) {
      // The text lives until the next cell: long enough for one lookup in the map.
      const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
      return std::string_view(digits, static_cast<size_t>(end - digits));
    });
  }

  template <class Array, class Text>
  Result<std::shared_ptr<arrow::Array>> FindEach(const arrow::Array& cells,
                                                 const Text& text) const {
    const auto& array = static_cast<const Array&>(cells);
    arrow::Int64Builder found;
    PT_TRY(found.Reserve(array.length()));
    for (int64_t i = 0; i < array.length(); ++i) {
      std::optional<int64_t> position = missing_;
      if (array.IsValid(i)) {
        const auto at = positions_.find(text(array.GetView(i)));
        position = at == positions_.end() ? unseen_ : at->second;
      }
      position ? found.UnsafeAppend(*position) : found.UnsafeAppendNull();
    }
    return found.Finish();
  }

  std::shared_ptr<const std::vector<std::string>> keys_;
  std::optional<int64_t> unseen_;
  std::optional<int64_t> missing_;
  std::unordered_map<std::string_view, int64_t> positions_;  // Views of keys_.
};

namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

// Keys are sent to every worker in the JSON of the steps; the engine joins longer lists as a table.
constexpr size_t kMostKeys = 100'000;

// Whether all engines write values of this type as the text in which keys are given.
bool HasText(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::BOOL ||
         arrow::is_signed_integer(type.id());
}

// Returns the columns after a step; null if an engine has to run it.
SchemaPtr After(const Filter& filter, const SchemaPtr& input) {
  return InferKind(filter.predicate, *input) == RowValues::Kind::kFlag ? input : nullptr;
}

SchemaPtr After(const Project& project, const SchemaPtr& input) {
  arrow::FieldVector fields;
  for (const NamedExpr& column : project.columns) {
    // A plain column passes unchanged, whatever its type.
    if (column.expr.kind == Expr::Kind::kColumn) {
      const auto field = input->GetFieldByName(column.expr.name);
      if (field == nullptr) return nullptr;
      fields.push_back(field->WithName(column.name));
      continue;
    }
    const auto kind = InferKind(column.expr, *input);
    if (!kind) return nullptr;
    fields.push_back(arrow::field(column.name, ToArrowType(*kind)));
  }
  return arrow::schema(std::move(fields));
}

// Null if engines could write the column's text differently, or if there are too many keys.
SchemaPtr After(const Lookup& lookup, const SchemaPtr& input) {
  const auto field = input->GetFieldByName(lookup.column);
  const size_t keys = lookup.keys == nullptr ? 0 : lookup.keys->size();
  if (field == nullptr || !HasText(*field->type()) || keys > kMostKeys) return nullptr;
  arrow::FieldVector fields = input->fields();
  fields.push_back(arrow::field(lookup.output, arrow::int64()));
  return arrow::schema(std::move(fields));
}

SchemaPtr After(const Split& split, const SchemaPtr& input) {
  return CanCut(split, *input) ? input : nullptr;
}

// Returns the split whose part the mark shows.
Split AsSplit(const MarkSplit& mark) {
  return {.by = mark.by, .part = mark.part, .seed = mark.seed, .side = Split::Side::kPart};
}

SchemaPtr After(const MarkSplit& mark, const SchemaPtr& input) {
  if (!CanCut(AsSplit(mark), *input)) return nullptr;
  arrow::FieldVector fields = input->fields();
  fields.push_back(arrow::field(mark.column, arrow::boolean()));
  return arrow::schema(std::move(fields));
}

// Scan, Sql, Materialize, Limit, MapTask, Write and Broken do not work on single rows.
template <class Other>
SchemaPtr After(const Other&, const SchemaPtr&) {
  return nullptr;
}

Result<Batch> Apply(const Filter& filter, const Batch& batch, const SchemaPtr&) {
  PT_LET(const RowValues flags, Evaluate(filter.predicate, *batch));
  PT_LET(const auto mask, ToArray(flags));
  // Arrow's default drops rows whose mask is null, as WHERE does.
  PT_LET(const arrow::Datum kept, arrow::compute::Filter(batch, mask));
  return kept.record_batch();
}

Result<Batch> Apply(const Project& project, const Batch& batch, const SchemaPtr& schema) {
  arrow::ArrayVector columns;
  for (const NamedExpr& column : project.columns) {
    if (column.expr.kind == Expr::Kind::kColumn) {
      columns.push_back(batch->GetColumnByName(column.expr.name));
      continue;
    }
    PT_LET(const RowValues values, Evaluate(column.expr, *batch));
    PT_LET(auto array, ToArray(values));
    columns.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

Result<Batch> Apply(const Lookup& lookup, const KeyPositions& positions, const Batch& batch,
                    const SchemaPtr& schema) {
  PT_LET(auto found, positions.Find(*batch->GetColumnByName(lookup.column)));
  arrow::ArrayVector columns = batch->columns();
  columns.push_back(std::move(found));
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

Result<Batch> Apply(const Split& split, const Batch& batch, const SchemaPtr&) {
  PT_LET(const auto mask, KeptBy(split, *batch));
  PT_LET(const arrow::Datum kept, arrow::compute::Filter(batch, mask));
  return kept.record_batch();
}

Result<Batch> Apply(const MarkSplit& mark, const Batch& batch, const SchemaPtr& schema) {
  arrow::ArrayVector columns = batch->columns();
  PT_LET(columns.emplace_back(), KeptBy(AsSplit(mark), *batch));
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

template <class Other>
Result<Batch> Apply(const Other&, const Batch&, const SchemaPtr&) {
  return Fail({.exit = Exit::kBug, .what = "a step was added that only engines can do"});
}

}  // namespace

bool RowSteps::Add(const Verb& verb) {
  // Each step is checked against the columns that the steps before it produce.
  SchemaPtr after = std::visit([&](const auto& each) { return After(each, schema()); }, verb);
  if (after == nullptr) return false;
  const auto* const lookup = std::get_if<Lookup>(&verb);
  steps_.push_back({verb, lookup ? std::make_shared<const KeyPositions>(*lookup) : nullptr});
  schemas_.push_back(std::move(after));
  return true;
}

Result<Batch> RowSteps::Apply(Batch batch) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (const auto* const lookup = std::get_if<Lookup>(&steps_[i].verb)) {
      PT_LET(batch, protium::Apply(*lookup, *steps_[i].positions, batch, schemas_[i + 1]));
      continue;
    }
    PT_LET(batch, std::visit(
                      [&](const auto& each) -> Result<Batch> {
                        return protium::Apply(each, batch, schemas_[i + 1]);
                      },
                      steps_[i].verb));
  }
  return batch;
}

Json RowSteps::ToJson() const {
  Json list = Json::array();
  for (const Step& step : steps_) list.push_back(StepToJson(step.verb));
  return list;
}

Result<RowSteps> RowSteps::FromJson(const Json& json, SchemaPtr input) {
  std::vector<Json> list;
  PT_TRY(FieldsFromJson(json, "steps", list));
  RowSteps steps(std::move(input));
  for (const Json& each : list) {
    PT_LET(const Verb verb, StepFromJson(each));
    if (!steps.Add(verb)) {
      return Fail({.exit = Exit::kBug, .what = "a step does not fit the columns of its rows"});
    }
  }
  return steps;
}

}  // namespace protium
