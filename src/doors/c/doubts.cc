// SPDX-License-Identifier: Apache-2.0
// What the results of a model say against themselves: pt_model_doubts().
#include <arrow/api.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "c/handles.h"
#include "c/options.h"
#include "column/cells.h"
#include "column/stream.h"
#include "leaks/pair_leaks.h"
#include "leaks/result_doubts.h"
#include "model/model_state.h"

namespace protium {
namespace {

constexpr int64_t kMostRows = 20'000;  // That the baseline is measured on.

struct DoubtOptions {
  Json measured;                   // The metrics of test rows.
  std::vector<std::string> known;  // Features that are no surprise.
};

Result<DoubtOptions> ReadDoubtOptions(const std::string& text) {
  PT_LET(const Json json, ReadOptions(text));
  DoubtOptions options{.measured = json.value("measured", Json())};
  PT_LET(options.known, ReadNames(Dump(json.value("known", Json::array())), "known"));
  return options;
}

// The log loss of a class that is always given its share of the training rows.
double LossOf(const std::vector<std::string>& classes, const std::vector<double>& shares,
              const std::string& own) {
  constexpr double kLeast = 1e-6;  // Of a class that training has hardly seen.
  double share = kLeast;
  for (size_t i = 0; i < classes.size() && i < shares.size(); ++i) {
    if (classes[i] == own) share = std::max(share, shares[i]);
  }
  return -std::log(share);
}

// What always predicting the mean, or the shares of the classes, gives for these rows: {"rmse"} or
// {"log_loss"}; {} for other labels, and where no row has one.
Result<Json> MeasureBaseline(const ModelState& state, const DataFrame& rows) {
  const Objective& objective = state.learned.objective;
  const auto& baseline = state.learned.baseline;
  const bool classes = OfClasses(objective.kind);
  const bool number =
      objective.kind == TargetKind::kValues && baseline && !baseline->values.empty();
  if (!baseline || objective.labels.size() != 1 || (!classes && !number)) return Json::object();
  const std::string& label = objective.labels.front().column;
  PT_LET(const BatchStreamPtr stream, rows.Select({label}).Limit(kMostRows).Stream());
  double sum = 0;
  int64_t count = 0;
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) break;
    const arrow::Array& labels = *batch->column(0);
    for (int64_t row = 0; row < labels.length(); ++row) {
      if (IsMissing(labels, row)) continue;
      const double error = NumberAt(labels, row).value_or(0) - (number ? baseline->values[0] : 0);
      sum += classes ? LossOf(objective.classes, baseline->shares, CellText(labels, row))
                     : error * error;
      ++count;
    }
  }
  if (count == 0) return Json::object();
  const double mean = sum / double(count);
  return classes ? Json{{"log_loss", mean}} : Json{{"rmse", std::sqrt(mean)}};
}

Result<std::vector<std::string>> DoubtsOf(const PipelineModel& model, const DataFrame& rows,
                                          const DoubtOptions& options) {
  const ModelState& state = StateOf(model);
  PT_LET(Json baseline, MeasureBaseline(state, rows));
  Json results = {{"metrics", {{"baseline", std::move(baseline)}}}};
  const Json& measured = state.metrics;
  results["metrics"]["validation"] = measured.value("validation", Json::object());
  if (options.measured.is_object()) {
    results["metrics"]["test"] = options.measured;
  } else if (measured.contains("importance")) {
    results["importance"] = measured["importance"];
  }
  return ResultDoubts(results, options.known);
}

}  // namespace
}  // namespace protium

using protium::Status;

extern "C" {

pt_error* pt_model_doubts(const pt_model* model, const pt_frame* rows, const char* options,
                          char** json) {
  return protium::WithSession(rows, [&](protium::Session& session) -> Status {
    if (model == nullptr) return protium::NullHandle();
    if (model->room != rows->room) {
      return protium::Fail({.exit = protium::Exit::kUsage,
                            .what = "the model and the table are of different sessions"});
    }
    PT_LET(const auto read, protium::ReadDoubtOptions(protium::TextOf(options)));
    const protium::DataFrame frame(session, rows->plan);
    PT_LET(const auto doubts, protium::DoubtsOf(model->model, frame, read));
    *json = protium::CopyOut(protium::Dump(protium::Json(doubts)));
    return Status::OK();
  });
}

}  // extern "C"
