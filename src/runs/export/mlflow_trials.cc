// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "export/mlflow_run.h"

namespace protium {

namespace {

constexpr size_t kMostTrials = 2000;  // Each takes four requests.

const char* StatusOf(const std::string& state) {
  return state == "done" ? "FINISHED" : state == "pruned" ? "KILLED" : "FAILED";
}

// MLflow's page nests a run below the one that this tag names.
MlflowStart StartOf(const std::string& experiment, const std::string& parent, const RunFacts& facts,
                    const TriedTrial& trial, double began) {
  return {.experiment = experiment,
          .name = fmt::format("trial {}", trial.number),
          .started = began,
          .tags = {{"mlflow.parentRunId", parent},
                   {"mlflow.runName", fmt::format("trial {}", trial.number)},
                   {"mlflow.source.type", "JOB"},
                   {"mlflow.source.name", "protium"},
                   {"mlflow.note.content", trial.error},
                   {"protium.trial", fmt::format("{}", trial.number)},
                   {"protium.trial_of", facts.id},
                   {"protium.state", trial.state}}};
}

Status LogValues(const RunFacts& facts, const TriedTrial& trial, double ended, MlflowRun& run) {
  const std::string& metric = facts.search->first().metric;
  const auto curve = facts.trial_curves.find(trial.number);
  if (curve != facts.trial_curves.end()) {
    std::vector<SeriesPoint> points;
    for (const double value : curve->second) {
      points.push_back({int64_t(points.size()) + 1, ended, value});
    }
    PT_TRY(run.LogPoints("validation/" + metric, points));
  }
  if (trial.value) PT_TRY(run.LogPoints(metric, {{trial.best_epoch, ended, *trial.value}}));
  for (size_t i = 1; i < trial.measured.size(); ++i) {
    const std::string& name = facts.search->objectives[i].metric;
    PT_TRY(run.LogPoints(name, {{trial.best_epoch, ended, trial.measured[i]}}));
  }
  return run.Flush();
}

}  // namespace

Status SendTrialsToMlflow(Service& service, const std::string& experiment,
                          const std::string& parent, const RunFacts& facts,
                          std::vector<std::string>& left_out) {
  if (!facts.search) return Status::OK();
  const std::vector<TriedTrial>& trials = facts.search->trials;
  for (size_t i = 0; i < std::min(trials.size(), kMostTrials); ++i) {
    const auto span = facts.trial_spans.find(trials[i].number);
    const TrialSpan times = span == facts.trial_spans.end() ? TrialSpan() : span->second;
    PT_LET(MlflowRun run, MlflowRun::Create(service, StartOf(experiment, parent, facts, trials[i],
                                                             SecondsOf(times.began))));
    const double ended = SecondsOf(times.ended);
    PT_TRY(run.LogParams(trials[i].values));
    PT_TRY(LogValues(facts, trials[i], ended, run));
    PT_TRY(run.End(StatusOf(trials[i].state), ended));
  }
  if (trials.size() > kMostTrials) {
    left_out.push_back(fmt::format("trials beyond the first {}", kMostTrials));
  }
  return Status::OK();
}

}  // namespace protium
