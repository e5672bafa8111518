// SPDX-License-Identifier: Apache-2.0
// Each fit gets its own session inside the caller's: a folder and a record, so that one training's
// checkpoints and figures are not mistaken for another's. The model is read back from its folder,
// like any saved model, and then belongs to the session itself.
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "c/handles.h"
#include "c/options.h"
#include "column/schema.h"
#include "engine/engine.h"
#include "engine/kind.h"
#include "frame/session_state.h"
#include "frame/sub_session.h"
#include "model/model_state.h"
#include "model/preview.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr char kModel[] = "model";

Result<Pipeline> ReadPipeline(const char* text, const Session& session) {
  const Result<Json> json = ParseJson(TextOf(text));
  if (!json.ok() || !json->is_array()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a pipeline is a JSON list of stages",
                 .why = json.ok() ? "" : FaultOf(json.status()).what});
  }
  return PipelineFromJson(*json, StateOf(session).options().catalogue);
}

// Fits in `folder` and leaves the model there.
Status FitIn(const fs::path& folder, Session& parent, const Pipeline& pipeline, const Plan& rows) {
  const SessionOptions& options = StateOf(parent).options();
  PT_LET(const auto session, OpenSubSession(parent, {.folder = folder,
                                                     .rows_memory_bytes = options.rows_memory_bytes,
                                                     .events = options.call.events}));
  PT_LET(const PipelineModel model, FitAsGiven(pipeline, DataFrame(*session, rows)));
  return model.Save(kModel);
}

// Prepares worker processes on this machine for the next training, with LibTorch if the net needs
// it: the workers of this training end with it. A cluster has seats for others, too.
void WarmUp(Session& session, const Chain& chain, const Plan& rows) {
  SessionState& state = StateOf(session);
  if (!chain.estimator || !KindOf(state.engine().address()).runs_here) return;
  const GangSpec& gang = chain.estimator->options.gang;
  // Whether it can be seated is for the training itself to find out.
  (void)state.engine().Admit({.gang = gang, .torch = chain.NeedsLibTorch(false), .plan = rows},
                             state.call());
}

// Removes everything but the model.
void Tidy(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> rest;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename() != kModel) rest.push_back(entry.path());
  }
  for (const fs::path& each : rest) fs::remove_all(each, ignored);
}

Result<PipelineModel> Fit(Room& room, Session& session, const char* text, const Plan& rows) {
  PT_LET(const Pipeline pipeline, ReadPipeline(text, session));
  const fs::path folder = room.NextFit();
  const Status fitted = FitIn(folder, session, pipeline, rows);
  if (room.scratch()) Tidy(folder);
  PT_TRY(fitted);
  PT_LET(const PipelineModel model, PipelineModel::Load(session, folder / kModel));
  WarmUp(session, *StateOf(model).chain, rows);
  return model;
}

Result<Json> DescribeModel(const ModelState& state) {
  PT_LET(Json input, SchemaToJson(*state.input));
  return Json{{"pipeline", PipelineToJson(state)},
              {"metrics", state.metrics},
              {"input", std::move(input)},
              {"classes", state.learned.objective.classes}};
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
    PT_LET(auto fitted, protium::Fit(*frame->room, session, pipeline, frame->plan));
    *model = new pt_model{frame->room, std::move(fitted)};
    return Status::OK();
  });
}

pt_error* pt_model_transform(const pt_model* model, const pt_frame* frame, const char* keep,
                             pt_frame** scored) {
  return protium::WithSession(frame, [&](Session& session) -> Status {
    if (model->room != frame->room) {
      return protium::Fail({.exit = protium::Exit::kUsage,
                            .what = "the model and the table are of different sessions"});
    }
    protium::Columns columns;
    if (keep != nullptr) {
      PT_LET(columns, protium::ReadNames(keep, "the names"));
    }
    const DataFrame table(session, frame->plan);
    return model->model.Explain(
        GiveOut(frame->room, model->model.Transform(table, columns), scored));
  });
}

pt_error* pt_model_describe(const pt_model* model, char** json) {
  return protium::WithSession(model, [&](Session&) -> Status {
    PT_LET(const protium::Json facts, protium::DescribeModel(StateOf(model->model)));
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
    *model = new pt_model{session->room, std::move(loaded)};
    return Status::OK();
  });
}

void pt_model_free(pt_model* model) { delete model; }

}  // extern "C"
