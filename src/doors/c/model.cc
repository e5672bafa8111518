// SPDX-License-Identifier: Apache-2.0
// The functions of pipelines and models: pt_frame_check(), pt_frame_fit(), pt_model_*.
#include <utility>

#include "base/fault.h"
#include "c/fit.h"
#include "c/handles.h"
#include "c/options.h"
#include "column/schema.h"
#include "frame/session_state.h"
#include "model/model_state.h"
#include "model/preview.h"

namespace protium {
namespace {

Result<Pipeline> ReadPipeline(const char* text, const Session& session) {
  const Result<Json> json = ParseJson(TextOf(text));
  if (!json.ok() || !json->is_array()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a pipeline is a JSON list of stages",
                 .why = json.ok() ? "" : FaultOf(json.status()).what});
  }
  return PipelineFromJson(*json, StateOf(session).options().catalogue);
}

// Scores the rows for what is measured of them: they are not kept.
Result<Json> Evaluate(Session& session, const PipelineModel& model, const Plan& rows) {
  RunRecord& record = StateOf(session).record();
  record.BeginScoring();
  record.Set("metrics", Json::object());
  record.Set("diagnostics", Json::object());
  const DataFrame scored = model.Transform(DataFrame(session, rows));
  PT_LET(const BatchStreamPtr stream, scored.Stream());
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) break;
  }
  const Json results = record.results();
  Json metrics = results["metrics"].value("test", Json());
  if (metrics.is_object()) {
    return Json{{"metrics", std::move(metrics)},
                {"diagnostics", results["diagnostics"].value("test", Json::object())}};
  }
  return Fail({.exit = Exit::kInput,
               .what = "no row of the table can be measured",
               .why = "the label is missing: the column that the model learned, or its values",
               .fix = "evaluate on rows with their labels"});
}

Result<Json> DescribeModel(const pt_model& model) {
  const ModelState& state = StateOf(model.model);
  PT_LET(Json input, SchemaToJson(*state.input));
  return Json{{"pipeline", PipelineToJson(state)},
              {"metrics", state.metrics},
              {"input", std::move(input)},
              {"classes", state.learned.objective.classes},
              {"run", model.run.empty() ? Json() : Json(model.run.string())}};
}

Status CheckSameSession(const pt_model* model, const pt_frame* frame) {
  if (model != nullptr && model->room == frame->room) return Status::OK();
  return model == nullptr ? NullHandle()
                          : Fail({.exit = Exit::kUsage,
                                  .what = "the model and the table are of different sessions"});
}

}  // namespace
}  // namespace protium

using protium::DataFrame;
using protium::Session;
using protium::Status;

extern "C" {

pt_error* pt_frame_check(const pt_frame* frame, const char* pipeline, char** json) {
  return protium::WithSession(frame, [&](Session& session) -> Status {
    PT_LET(const protium::Pipeline given, protium::ReadPipeline(pipeline, session));
    PT_LET(const protium::Preview preview, MakePreview(given, DataFrame(session, frame->plan)));
    *json = protium::CopyOut(protium::Dump(PreviewToJson(preview)));
    return Status::OK();
  });
}

pt_error* pt_frame_fit(const pt_frame* frame, const char* pipeline, pt_model** model) {
  return protium::WithSession(frame, [&](Session& session) -> Status {
    PT_LET(const protium::Pipeline given, protium::ReadPipeline(pipeline, session));
    PT_LET(auto fitted, protium::FitAsRun(*frame->room, session, given, frame->plan));
    *model = new pt_model{frame->room, std::move(fitted.model), std::move(fitted.run)};
    return Status::OK();
  });
}

pt_error* pt_model_transform(const pt_model* model, const pt_frame* frame, const char* keep,
                             pt_frame** scored) {
  return protium::WithSession(frame, [&](Session& session) -> Status {
    PT_TRY(protium::CheckSameSession(model, frame));
    protium::Columns columns;
    if (keep != nullptr) {
      PT_LET(columns, protium::ReadNames(keep, "the names"));
    }
    const DataFrame table(session, frame->plan);
    return model->model.Explain(
        GiveOut(frame->room, model->model.Transform(table, columns), scored));
  });
}

pt_error* pt_model_evaluate(const pt_model* model, const pt_frame* frame, char** json) {
  return protium::WithSession(frame, [&](Session& session) -> Status {
    PT_TRY(protium::CheckSameSession(model, frame));
    const auto measured = protium::Evaluate(session, model->model, frame->plan);
    PT_TRY(model->model.Explain(measured.status()));
    *json = protium::CopyOut(protium::Dump(*measured));
    return Status::OK();
  });
}

pt_error* pt_model_describe(const pt_model* model, char** json) {
  return protium::WithSession(model, [&](Session&) -> Status {
    PT_LET(const protium::Json facts, protium::DescribeModel(*model));
    *json = protium::CopyOut(protium::Dump(facts));
    return Status::OK();
  });
}

pt_error* pt_model_save(const pt_model* model, const char* folder) {
  return protium::WithSession(model, [&](Session& session) -> Status {
    return model->model.Save(StateOf(session).options().base / protium::TextOf(folder));
  });
}

pt_error* pt_session_load(pt_session* session, const char* folder, pt_model** model) {
  return protium::WithSession(session, [&](Session& own) -> Status {
    const auto place = StateOf(own).options().base / protium::TextOf(folder);
    PT_LET(auto loaded, protium::PipelineModel::Load(own, place));
    *model = new pt_model{session->room, std::move(loaded), {}};
    return Status::OK();
  });
}

pt_error* pt_run_report(const char* folder, char** path) {
  return protium::Walled([&]() -> Status {
    PT_LET(const auto file, protium::WriteReport(protium::TextOf(folder)));
    *path = protium::CopyOut(file.string());
    return Status::OK();
  });
}

void pt_model_free(pt_model* model) { delete model; }

}  // extern "C"
