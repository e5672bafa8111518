// SPDX-License-Identifier: Apache-2.0
#include "pipeline/decimal_columns.h"

#include <arrow/type.h>

#include <utility>

namespace protium {
namespace {

constexpr const char* kCast = "cast_double";

}  // namespace

Plan WithoutDecimals(const Plan& table, SchemaPtr& schema) {
  Project project;
  arrow::FieldVector fields = schema->fields();
  bool any = false;
  for (auto& field : fields) {
    Expr value = Col(field->name());
    if (arrow::is_decimal(field->type()->id())) {
      value = MakeCall(kCast, {std::move(value)});
      field = field->WithType(arrow::float64());
      any = true;
    }
    project.columns.push_back({field->name(), std::move(value)});
  }
  if (!any) return table;
  schema = arrow::schema(std::move(fields));
  return MakePlan(std::move(project), {table});
}

bool IsDecimalAsDouble(const Expr& expr) {
  return expr.kind == Expr::Kind::kCall && expr.name == kCast && expr.arguments.size() == 1 &&
         expr.arguments.front().kind == Expr::Kind::kColumn;
}

}  // namespace protium
