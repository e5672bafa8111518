// SPDX-License-Identifier: Apache-2.0
// Describes a table as a table: one kept aggregation over all columns, and a row for each column.
#include <arrow/type.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "column/cells.h"
#include "frame/verbs.h"
#include "plan/aggregates.h"

namespace protium {
namespace {

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_numeric(type.id()) || arrow::is_decimal(type.id());
}

// Whether values can be compared and written as text, as min, max and distinct require.
bool IsPlain(const arrow::DataType& type) {
  return type.id() != arrow::Type::LIST && type.id() != arrow::Type::BINARY;
}

// Adds the columns s<i>_... of the aggregation that describe one column of the table.
void AddFacts(const arrow::Field& field, int index, std::vector<NamedExpr>& columns) {
  const auto add = [&](const char* fact, Expr expr) {
    columns.push_back({fmt::format("s{}_{}", index, fact), std::move(expr)});
  };
  const Expr column = Col(field.name());
  add("count", CountOf(column));
  if (IsPlain(*field.type())) {
    add("distinct", CountDistinct(column));
    add("min", MakeCall("cast_string", {Min(column)}));
    add("max", MakeCall("cast_string", {Max(column)}));
  }
  if (IsNumber(*field.type())) {
    const Expr number = MakeCall("cast_double", {column});
    add("mean", Avg(number));
    add("stddev", StdDev(number));
  }
}

Plan FactsOf(const arrow::Field& field, int index, const Plan& kept) {
  const auto fact = [&](const char* name) { return Col(fmt::format("s{}_{}", index, name)); };
  const bool plain = IsPlain(*field.type()), number = IsNumber(*field.type());
  const Expr no_text = MakeCall("cast_string", {Lit({})});
  const Expr no_number = MakeCall("cast_double", {Lit({})});
  return MakePlan(
      Project{{{"column", Lit(field.name())},
               {"type", Lit(TypeText(*field.type()))},
               {"rows", Col("num_rows")},
               {"nulls", Col("num_rows") - fact("count")},
               {"distinct", plain ? fact("distinct") : MakeCall("cast_int64", {Lit({})})},
               {"min", plain ? fact("min") : no_text},
               {"max", plain ? fact("max") : no_text},
               {"mean", number ? fact("mean") : no_number},
               {"stddev", number ? fact("stddev") : no_number}}},
      {kept});
}

}  // namespace

DataFrame DataFrame::Describe() const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_LET(const SchemaPtr schema, Schema());
    std::vector<NamedExpr> facts = {{"num_rows", CountRows()}};
    for (int i = 0; i < schema->num_fields(); ++i) AddFacts(*schema->field(i), i, facts);
    const Plan kept = GroupBy({}).Aggregate(std::move(facts)).Materialize("describe").plan();
    std::string text;
    std::vector<std::string> names;
    std::vector<Plan> inputs;
    for (int i = 0; i < schema->num_fields(); ++i) {
      names.push_back(fmt::format("c{}", i));
      inputs.push_back(FactsOf(*schema->field(i), i, kept));
      text +=
          fmt::format("{}SELECT {} AS place, * FROM {}", i == 0 ? "" : " UNION ALL ", i, names[i]);
    }
    text =
        "SELECT \"column\", \"type\", \"rows\", nulls, \"distinct\", \"min\", \"max\", mean, "
        "stddev FROM (" +
        text + ") ORDER BY place";
    return SqlPlan(std::move(text), std::move(names), std::move(inputs), "describe");
  });
}

}  // namespace protium
