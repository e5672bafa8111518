// SPDX-License-Identifier: Apache-2.0
#include "plan/row_steps.h"

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/fault.h"
#include "plan/functions.h"
#include "plan/row_values.h"

namespace protium {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

// More keys than these are a table of their own, which an engine joins.
constexpr size_t kMostKeys = 100'000;

bool HasText(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::BOOL ||
         arrow::is_signed_integer(type.id());
}

// The columns of the results; null where an engine has to work them out.
SchemaPtr After(const Filter& filter, const SchemaPtr& input) {
  return KindOf(filter.predicate, *input) == RowValues::Kind::kFlag ? input : nullptr;
}

SchemaPtr After(const Project& project, const SchemaPtr& input) {
  arrow::FieldVector fields;
  for (const NamedExpr& column : project.columns) {
    if (column.expr.kind == Expr::Kind::kColumn) {
      const auto field = input->GetFieldByName(column.expr.name);
      if (field == nullptr) return nullptr;
      fields.push_back(field->WithName(column.name));
      continue;
    }
    const auto kind = KindOf(column.expr, *input);
    if (!kind) return nullptr;
    fields.push_back(arrow::field(column.name, TypeOf(*kind)));
  }
  return arrow::schema(std::move(fields));
}

SchemaPtr After(const Lookup& lookup, const SchemaPtr& input) {
  const auto field = input->GetFieldByName(lookup.column);
  const size_t keys = lookup.keys == nullptr ? 0 : lookup.keys->size();
  if (field == nullptr || !HasText(*field->type()) || keys > kMostKeys) return nullptr;
  arrow::FieldVector fields = input->fields();
  fields.push_back(arrow::field(lookup.output, arrow::int64()));
  return arrow::schema(std::move(fields));
}

template <class Other>
SchemaPtr After(const Other&, const SchemaPtr&) {
  return nullptr;
}

Result<Batch> Apply(const Filter& filter, const Batch& batch, const SchemaPtr&) {
  PT_LET(const RowValues flags, ValuesOf(filter.predicate, *batch));
  PT_LET(const auto mask, ToArray(flags));
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
    PT_LET(const RowValues values, ValuesOf(column.expr, *batch));
    PT_LET(auto array, ToArray(values));
    columns.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

// Finds the position of cells' text among the keys of a lookup.
class Positions {
 public:
  explicit Positions(const Lookup& lookup) : lookup_(lookup) {
    if (lookup.keys == nullptr) return;
    for (size_t i = 0; i < lookup.keys->size(); ++i) {
      positions_.emplace((*lookup.keys)[i], static_cast<int64_t>(i));
    }
  }

  Result<std::shared_ptr<arrow::Array>> Of(const arrow::Array& cells) {
    switch (cells.type_id()) {
      case arrow::Type::STRING:
        return Each<arrow::StringArray>(cells, [](std::string_view v) { return v; });
      case arrow::Type::BOOL:
        return Each<arrow::BooleanArray>(
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
  Result<std::shared_ptr<arrow::Array>> Whole(const arrow::Array& cells) {
    return Each<Array>(cells, [this](int64_t value) {
      const auto end = std::to_chars(digits_, digits_ + sizeof digits_, value).ptr;
      return std::string_view(digits_, static_cast<size_t>(end - digits_));
    });
  }

  template <class Array, class Text>
  Result<std::shared_ptr<arrow::Array>> Each(const arrow::Array& cells, const Text& text) {
    const auto& array = static_cast<const Array&>(cells);
    arrow::Int64Builder found;
    PT_TRY(found.Reserve(array.length()));
    for (int64_t i = 0; i < array.length(); ++i) {
      std::optional<int64_t> position = lookup_.missing;
      if (array.IsValid(i)) {
        const auto at = positions_.find(text(array.GetView(i)));
        position = at == positions_.end() ? lookup_.unseen : at->second;
      }
      position ? found.UnsafeAppend(*position) : found.UnsafeAppendNull();
    }
    return found.Finish();
  }

  const Lookup& lookup_;
  std::unordered_map<std::string_view, int64_t> positions_;
  char digits_[24];
};

Result<Batch> Apply(const Lookup& lookup, const Batch& batch, const SchemaPtr& schema) {
  Positions positions(lookup);
  PT_LET(auto found, positions.Of(*batch->GetColumnByName(lookup.column)));
  arrow::ArrayVector columns = batch->columns();
  columns.push_back(std::move(found));
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

template <class Other>
Result<Batch> Apply(const Other&, const Batch&, const SchemaPtr&) {
  return Status::NotImplemented("a step that an engine has to do");
}

// Doubles travel as text: JSON has no NaN, and knows 1.0 and 1 as one.
Json ToJson(const Expr& expr) {
  if (expr.kind == Expr::Kind::kColumn) return {{"column", expr.name}};
  if (expr.kind == Expr::Kind::kLiteral) {
    if (const auto* flag = std::get_if<bool>(&expr.value)) return {{"flag", *flag}};
    if (const auto* whole = std::get_if<int64_t>(&expr.value)) return {{"whole", *whole}};
    return {{"double", fmt::format("{}", std::get<double>(expr.value))}};
  }
  Json of = Json::array();
  for (const Expr& argument : expr.arguments) of.push_back(ToJson(argument));
  return {{"call", expr.name}, {"of", std::move(of)}};
}

struct ExprText {
  std::optional<std::string> column, number, call;
  std::optional<bool> flag;
  std::optional<int64_t> whole;
  std::vector<Json> of;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("double", number);
    visit("call", call);
    visit("flag", flag);
    visit("whole", whole);
    visit("of", of);
  }
};

Result<Expr> ExprOf(const Json& json) {
  ExprText text;
  PT_TRY(FieldsFromJson(json, "expression", text));
  if (text.column) return Col(*text.column);
  if (text.flag) return Lit(*text.flag);
  if (text.whole) return Lit(*text.whole);
  if (text.number) {
    double value = 0;
    const char* const end = text.number->data() + text.number->size();
    if (std::from_chars(text.number->data(), end, value).ptr != end) {
      return Status::Invalid("no number: ", *text.number);
    }
    return Lit(value);
  }
  std::vector<Expr> arguments;
  for (const Json& each : text.of) {
    PT_LET(Expr argument, ExprOf(each));
    arguments.push_back(std::move(argument));
  }
  Expr call = CallOf(text.call.value_or(""), std::move(arguments));
  PT_TRY(Check(call));
  return call;
}

struct ColumnText {
  std::string name;
  Json expr;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("expr", expr);
  }
};

struct LookupText {
  std::string column, output;
  std::vector<std::string> keys;
  std::optional<int64_t> unseen, missing;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("output", output);
    visit("keys", keys);
    visit("unseen", unseen);
    visit("missing", missing);
  }
};

// One of them.
struct StepText {
  Json filter;
  std::optional<std::vector<ColumnText>> project;
  std::optional<LookupText> lookup;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("filter", filter);
    visit("project", project);
    visit("lookup", lookup);
  }
};

StepText TextOf(const Verb& verb) {
  StepText text;
  if (const auto* filter = std::get_if<Filter>(&verb)) {
    text.filter = ToJson(filter->predicate);
  } else if (const auto* project = std::get_if<Project>(&verb)) {
    text.project.emplace();
    for (const NamedExpr& each : project->columns) {
      text.project->push_back({each.name, ToJson(each.expr)});
    }
  } else {
    const auto& lookup = std::get<Lookup>(verb);
    const std::vector<std::string> none;
    text.lookup = {lookup.column, lookup.output, lookup.keys == nullptr ? none : *lookup.keys,
                   lookup.unseen, lookup.missing};
  }
  return text;
}

Result<Verb> VerbOf(StepText text) {
  if (!text.filter.is_null()) {
    PT_LET(Expr predicate, ExprOf(text.filter));
    return Filter{std::move(predicate)};
  }
  if (text.project) {
    Project project;
    for (const ColumnText& each : *text.project) {
      PT_LET(Expr expr, ExprOf(each.expr));
      project.columns.push_back({each.name, std::move(expr)});
    }
    return project;
  }
  if (!text.lookup) return Status::Invalid("a step of no kind");
  auto keys = std::make_shared<const std::vector<std::string>>(std::move(text.lookup->keys));
  return Lookup{text.lookup->column, text.lookup->output, std::move(keys), text.lookup->unseen,
                text.lookup->missing};
}

}  // namespace

bool RowSteps::Add(const Verb& verb) {
  SchemaPtr after = std::visit([&](const auto& each) { return After(each, schema()); }, verb);
  if (after == nullptr) return false;
  steps_.push_back(verb);
  schemas_.push_back(std::move(after));
  return true;
}

Result<Batch> RowSteps::Apply(Batch batch) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    PT_LET(batch, std::visit(
                      [&](const auto& each) -> Result<Batch> {
                        return protium::Apply(each, batch, schemas_[i + 1]);
                      },
                      steps_[i]));
  }
  return batch;
}

Json RowSteps::ToJson() const {
  std::vector<StepText> texts;
  for (const Verb& step : steps_) texts.push_back(TextOf(step));
  return FieldsToJson(texts);
}

Result<RowSteps> RowSteps::FromJson(const Json& json, SchemaPtr input) {
  std::vector<StepText> texts;
  PT_TRY(FieldsFromJson(json, "steps", texts));
  RowSteps steps(std::move(input));
  for (StepText& text : texts) {
    PT_LET(const Verb verb, VerbOf(std::move(text)));
    if (!steps.Add(verb)) return Status::Invalid("a step that rows of these columns cannot take");
  }
  return steps;
}

}  // namespace protium
