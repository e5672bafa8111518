// SPDX-License-Identifier: Apache-2.0
// A tampered model folder, opened to score rows in this process.
#include <arrow/api.h>

#include "base/fault.h"
#include "frame/session_state.h"
#include "protium/pipeline.h"
#include "protium/scorer.h"
#include "tests/fuzz/damaged_model.h"

namespace protium {
namespace {

// Two rows of NULLs only, and two of ones where the type has them.
arrow::RecordBatchVector RowsFor(const SchemaPtr& columns) {
  arrow::ArrayVector nulls, ones;
  for (const auto& field : columns->fields()) {
    const auto one = arrow::Int64Scalar(1).CastTo(field->type());
    nulls.push_back(arrow::MakeArrayOfNull(field->type(), 2).ValueOrDie());
    ones.push_back(one.ok() ? arrow::MakeArrayFromScalar(**one, 2).ValueOrDie() : nulls.back());
  }
  return {arrow::RecordBatch::Make(columns, 2, nulls), arrow::RecordBatch::Make(columns, 2, ones)};
}

Status Score(Session& session, const std::filesystem::path& folder) {
  PT_LET(const PipelineModel model, PipelineModel::Load(session, folder));
  PT_LET(const Scorer scorer, Scorer::Make(model));
  for (const auto& rows : RowsFor(scorer.input())) {
    PT_LET(const auto scored, scorer.Score(*rows));
    PT_CHECK(scored->ValidateFull().ok() && scored->num_rows() == 2);
  }
  return Status::OK();
}

}  // namespace
}  // namespace protium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  static DamagedModel models;
  static const auto session =
      OpenSession({.engine = "local[1]", .base = models.folder()}).ValueOrDie();
  if (size < 2) return 0;
  const Status status = Score(*session, models.Make(data, size));
  if (!status.ok()) PT_CHECK(FaultOf(status).exit != Exit::kBug);
  return 0;
}
