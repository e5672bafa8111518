// SPDX-License-Identifier: Apache-2.0
// What the events of a run add up to for the page: the parts of the job with their times, its
// curves, who was in its gangs, its messages. Takes events one by one in memory that does not grow
// with their number. Reads no clock; one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/curve.h"
#include "protium/events.h"
#include "run/lanes.h"
#include "run/phases.h"
#include "run/progress_state.h"
#include "run/run_view.h"

namespace protium {

class RunStory {
 public:
  void On(const Json& event);

  // {"parts", "now", "percent", "progress", "checkpoint", "counts", "messages"} at `now_ms`, a time
  // in milliseconds since 1970. "parts" are in order, each {"name", "began", "ended", "seconds",
  // "rows"}; the one in progress has no "ended". "now" is what the terminal shows.
  Json Overview(double now_ms) const;

  // {"series": [{"name", "by", "x", "y", "of"}], "marks": [{"step", "text"}]}; at most `most`
  // points per series.
  Json Curves(size_t most) const;

  // Where each rank spent its time: RankLanes::ToJson, with "hosts" by rank of the last gang.
  Json Lanes(size_t most) const;

  // {"plans": [{"time", "name", "seconds", "cpu_seconds", "operators", "links"}]}: what the engine
  // ran, by its own counts (src/tables/duckdb/operator_times.h), and where its own page shows that
  // (page/engine_links.h).
  Json EnginePlans() const { return {{"plans", engine_plans_}}; }

  // Links to the executors on the engine's own page, if known.
  const Json& executor_links() const { return executor_links_; }

  // {"gangs": [{"time", "task", "attempt", "ranks"}], "changes": [{"time", "event", ...}]}.
  Json Gangs() const;

  const RunView& view() const { return view_; }
  // The finished trials of a search, from their events.
  const Json& trials() const { return trials_; }
  // Those that have started and not ended: [{"trial", "values"}], by number.
  Json RunningTrials() const;

 private:
  void Take(const AttemptStarted& event);
  void Take(const StepDone& event);
  void Take(const EpochDone& event);
  void Take(const Validated& event);
  void Take(const Checkpointed&) { ++checkpoints_; }
  void Take(const TrialStarted& event) { running_trials_[event.trial] = event.values; }
  void Take(const TrialEnded& event) { running_trials_.erase(event.trial); }
  template <class E>
  void Take(const E&) {}

  void TakePlan(const Json& event);
  void TakeGang(const Json& event);
  void TakeMessage(const Json& event, const std::string& name);
  void TakeChange(const Json& event, const std::string& name);
  bool ShowsTerminal(const Event& event);
  Curve& CurveOf(const std::string& name) { return curves_[name]; }

  RunView view_;
  ProgressState terminal_;
  std::map<std::string, Curve> curves_;
  RunPhases parts_;
  RankLanes lanes_;
  Json gangs_ = Json::array();
  Json changes_ = Json::array();
  Json messages_ = Json::array();
  Json engine_plans_ = Json::array();
  Json executor_links_ = Json::array();
  Json trials_ = Json::array();
  std::map<int64_t, std::string> running_trials_;  // Number and values.
  Json marks_ = Json::array();
  int64_t events_ = 0;
  int64_t steps_told_ = 0;
  int64_t checkpoints_ = 0;
  int64_t left_out_ = 0;  // Messages, changes and trials beyond what is retained.
  double time_ = 0;       // Of the last event.
};

}  // namespace protium
