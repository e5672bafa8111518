// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/conform.h"

#include <arrow/type.h>

#include "base/fault.h"

namespace protium {

namespace {

std::string JoinNames(const arrow::Schema& schema) {
  std::string names;
  for (const auto& field : schema.fields()) names += (names.empty() ? "" : ", ") + field->name();
  return names.empty() ? "none" : names;
}

Status Refuse(std::string what, const arrow::Schema& got, const arrow::Schema& wanted) {
  return Fail({.exit = Exit::kBug,
               .what = std::move(what),
               .why = "the columns are " + JoinNames(got) + "; declared are " + JoinNames(wanted)});
}

}  // namespace

Status ConformSchema(const arrow::Schema& got, const arrow::Schema& wanted,
                     const std::string& whose) {
  if (got.num_fields() != wanted.num_fields()) {
    return Refuse(whose + " " + std::to_string(got.num_fields()) + " columns where " +
                      std::to_string(wanted.num_fields()) + " are declared",
                  got, wanted);
  }
  // By position, as Spark takes them; the name then shows a swap of columns.
  for (int i = 0; i < got.num_fields(); ++i) {
    const arrow::Field& have = *got.field(i);
    const arrow::Field& want = *wanted.field(i);
    if (have.name() != want.name()) {
      return Refuse(whose + " column " + std::to_string(i) + " as \"" + have.name() +
                        "\" where \"" + want.name() + "\" is declared",
                    got, wanted);
    }
    if (!have.type()->Equals(*want.type())) {
      return Refuse(whose + " column \"" + have.name() + "\" as " + have.type()->ToString() +
                        " where " + want.type()->ToString() + " is declared",
                    got, wanted);
    }
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> Conform(const arrow::RecordBatch& batch,
                                                    const SchemaPtr& schema,
                                                    const std::string& whose) {
  PT_TRY(ConformSchema(*batch.schema(), *schema, whose));
  for (int i = 0; i < batch.num_columns(); ++i) {
    // Columns that may hold nulls need no count, which would read their bitmaps.
    if (schema->field(i)->nullable() || batch.column(i)->null_count() == 0) continue;
    return Refuse(whose + " nulls in column \"" + schema->field(i)->name() +
                      "\", which is declared to have none",
                  *batch.schema(), *schema);
  }
  return arrow::RecordBatch::Make(schema, batch.num_rows(), batch.columns());
}

}  // namespace protium
