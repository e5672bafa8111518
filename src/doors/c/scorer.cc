// SPDX-License-Identifier: Apache-2.0
// Predictions in the calling process. A scorer needs no session, so its calls take no turns.
#include "protium/scorer.h"

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/fault.h"
#include "c/handles.h"
#include "c/options.h"
#include "column/claims.h"
#include "column/schema.h"
#include "inference/forecast.h"

struct pt_scorer {
  protium::Scorer scorer;
};

namespace protium {
namespace {

template <class Act>
pt_error* WithScorer(const pt_scorer* handle, Act act) noexcept {
  return Walled([&]() -> Status {
    if (handle == nullptr) return NullHandle();
    return act(handle->scorer);
  });
}

Status CheckGiven(const arrow::RecordBatch& rows) {
  const Status valid = rows.Validate();
  if (valid.ok()) return CheckClaims(rows);
  return Fail({.exit = Exit::kInput,
               .what = "the rows to score are no valid batch of Arrow",
               .why = valid.message()});
}

Result<Json> DescribeScorer(const Scorer& scorer) {
  PT_LET(Json input, SchemaToJson(*scorer.input()));
  PT_LET(Json output, SchemaToJson(*scorer.output()));
  const auto gap = scorer.gap();
  return Json{{"input", std::move(input)},
              {"output", std::move(output)},
              {"reads_history", scorer.ReadsHistory()},
              {"gap", gap ? Json(*gap) : Json()}};
}

// The horizon of the options of pt_scorer_forecast(); nullopt if there is none.
Result<std::optional<Horizon>> HorizonIn(const Json& options) {
  std::optional<Horizon> horizon;
  for (const auto& [name, value] : options.items()) {
    if (name != "horizon") {
      return Fail({.exit = Exit::kUsage,
                   .what = "unknown key \"" + name + "\" in the options of a forecast",
                   .fix = "horizon"});
    }
    PT_LET(horizon, ReadHorizon(value.is_string() ? value.get<std::string>() : Dump(value)));
  }
  return horizon;
}

}  // namespace
}  // namespace protium

using protium::Status;

extern "C" {

pt_error* pt_scorer_open(const pt_model* model, pt_scorer** scorer) {
  return protium::WithSession(model, [&](protium::Session&) -> Status {
    PT_LET(auto made, protium::Scorer::Make(model->model));
    *scorer = new pt_scorer{std::move(made)};
    return Status::OK();
  });
}

pt_error* pt_scorer_describe(const pt_scorer* scorer, char** json) {
  return protium::WithScorer(scorer, [&](const protium::Scorer& own) -> Status {
    PT_LET(const protium::Json facts, protium::DescribeScorer(own));
    *json = protium::CopyOut(protium::Dump(facts));
    return Status::OK();
  });
}

pt_error* pt_scorer_score(const pt_scorer* scorer, struct ArrowSchema* schema,
                          struct ArrowArray* rows, struct ArrowSchema* predicted_schema,
                          struct ArrowArray* predicted) {
  return protium::WithScorer(scorer, [&](const protium::Scorer& own) -> Status {
    PT_LET(const auto batch, arrow::ImportRecordBatch(rows, schema));
    PT_TRY(protium::CheckGiven(*batch));
    PT_LET(const auto scored, own.Score(*batch));
    return arrow::ExportRecordBatch(*scored, predicted, predicted_schema);
  });
}

pt_error* pt_scorer_forecast(const pt_scorer* scorer, const char* options,
                             struct ArrowSchema* newer_schema, struct ArrowArray* newer,
                             struct ArrowSchema* predicted_schema, struct ArrowArray* predicted) {
  return protium::WithScorer(scorer, [&](const protium::Scorer& own) -> Status {
    std::shared_ptr<arrow::RecordBatch> rows;
    if (newer != nullptr) {
      PT_LET(rows, arrow::ImportRecordBatch(newer, newer_schema));
      PT_TRY(protium::CheckGiven(*rows));
    }
    PT_LET(const auto json, protium::ReadOptions(protium::TextOf(options)));
    PT_LET(const auto horizon, protium::HorizonIn(json));
    PT_LET(const auto made, protium::Forecast(own, horizon, std::move(rows)));
    return arrow::ExportRecordBatch(*made, predicted, predicted_schema);
  });
}

pt_error* pt_scorer_score_json(const pt_scorer* scorer, const char* rows, char** predictions) {
  return protium::WithScorer(scorer, [&](const protium::Scorer& own) -> Status {
    PT_LET(const std::string text, own.ScoreJson(protium::TextOf(rows)));
    *predictions = protium::CopyOut(text);
    return Status::OK();
  });
}

void pt_scorer_free(pt_scorer* scorer) { delete scorer; }

}  // extern "C"
