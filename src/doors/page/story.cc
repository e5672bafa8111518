// SPDX-License-Identifier: Apache-2.0
#include "page/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "events/events.h"
#include "page/engine_links.h"
#include "run/event_log.h"
#include "run/summary.h"

namespace protium {

namespace {

constexpr size_t kMostTold = 2000;  // Each of messages, changes, trials and gangs.
constexpr size_t kMostPlans = 50;
// All of these steps go to the terminal's view; later steps are sampled.
constexpr int64_t kAllSteps = 100'000;

// Events about membership of a gang, in addition to those declared in events.h.
bool IsChange(const std::string& name) {
  for (const std::string_view each :
       {AttemptStarted::kName, RankLost::kName, GangChanged::kName, GangEntered::kName,
        MemberStarted::kName, RankTakenOver::kName, Waiting::kName}) {
    if (name == each) return true;
  }
  return false;
}

// Converts times of events to the clock that ProgressState uses.
Deadline AtMillis(double millis) {
  return Deadline(std::chrono::duration_cast<Deadline::duration>(
      std::chrono::duration<double, std::milli>(millis)));
}

bool Keep(Json& list, Json item) {
  if (list.size() >= kMostTold) return false;
  list.push_back(std::move(item));
  return true;
}

}  // namespace

void RunStory::On(const Json& json) {
  const std::string& name = TextAt(json, "event");
  time_ = ReadTimeText(TextAt(json, "time")).value_or(time_);
  ++events_;
  const Event event = EventFromJson(json);
  parts_.On(event, time_);
  lanes_.On(json, time_);
  std::visit([&](const auto& each) { Take(each); }, event);
  view_.On(event);
  view_.loss_by_step.clear();  // curves_ has them, in less memory.
  if (ShowsTerminal(event)) (void)terminal_.On(json, AtMillis(time_));
  if (name == Note::kName || name == Warning::kName || name == Failed::kName) {
    TakeMessage(json, name);
  }
  if (name == GangPlaced::kName) TakeGang(json);
  if (name == QueryRan::kName) TakePlan(json);
  if (IsChange(name)) TakeChange(json, name);
  if (name == TrialEnded::kName && !Keep(trials_, json)) ++left_out_;
}

Json RunStory::RunningTrials() const {
  Json list = Json::array();
  for (const auto& [number, values] : running_trials_) {
    list.push_back({{"trial", number}, {"values", values}});
  }
  return list;
}

// The terminal's view stores every step that it is shown.
bool RunStory::ShowsTerminal(const Event& event) {
  if (!std::holds_alternative<StepDone>(event)) return true;
  ++steps_told_;
  return steps_told_ < kAllSteps || steps_told_ % (steps_told_ / kAllSteps * 16) == 0;
}

void RunStory::TakePlan(const Json& event) {
  Json operators = event.value("operators", Json());
  if (!operators.is_array() || engine_plans_.size() >= kMostPlans) return;
  std::erase_if(operators.get_ref<Json::array_t&>(),
                [](const Json& each) { return !each.is_object(); });
  engine_plans_.push_back({{"time", time_},
                           {"name", TextAt(event, "name")},
                           {"seconds", event.value("seconds", Json())},
                           {"cpu_seconds", event.value("cpu_seconds", Json())},
                           {"operators", std::move(operators)},
                           {"links", PlanLinks(event)}});
  if (Json links = ExecutorLinks(event); !links.empty()) executor_links_ = std::move(links);
}

// Uses the raw event: engines report more about a rank than events.h declares, such as cores and
// GPUs.
void RunStory::TakeGang(const Json& event) {
  Json ranks = event.value("ranks", Json());
  if (!ranks.is_array()) ranks = Json::array();
  std::erase_if(ranks.get_ref<Json::array_t&>(),
                [](const Json& rank) { return !rank.is_object(); });
  Json gang = {{"time", time_},
               {"task", TextAt(event, "task")},
               {"attempt", event.value("attempt", Json())},
               {"ranks", std::move(ranks)}};
  if (!Keep(gangs_, std::move(gang))) ++left_out_;
}

void RunStory::Take(const AttemptStarted& event) {
  Json mark = {{"step", view_.step}, {"text", fmt::format("restart {}", event.attempt)}};
  (void)Keep(marks_, std::move(mark));
}

void RunStory::Take(const StepDone& event) {
  const auto step = double(event.step);
  CurveOf("loss").Add(step, event.loss);
  CurveOf("learning_rate").Add(step, event.learning_rate);
  CurveOf("rows_per_second").Add(step, event.rows_per_second);
  CurveOf("wait_share").Add(step, event.wait_share);
}

void RunStory::Take(const EpochDone& event) {
  CurveOf("epoch loss").Add(double(event.step), event.loss);
}

void RunStory::Take(const Validated& event) {
  for (const auto& [name, value] : event.metrics) {
    CurveOf("validation " + name).Add(double(event.step), value);
  }
}

void RunStory::TakeMessage(const Json& event, const std::string& name) {
  std::string text = TextAt(event, name == Failed::kName ? "what" : "message");
  Json message = {{"time", time_}, {"kind", name}, {"text", std::move(text)}};
  if (!Keep(messages_, std::move(message))) ++left_out_;
}

void RunStory::TakeChange(const Json& event, const std::string& name) {
  Json change = {{"time", time_}, {"event", name}};
  for (const auto& [key, value] : event.items()) {
    if (key != "time" && key != "event" && !value.is_structured()) change[key] = value;
  }
  if (!Keep(changes_, std::move(change))) ++left_out_;
}

Json RunStory::Overview(double now_ms) const {
  Json parts = Json::array();
  for (const RunPart& part : parts_.parts()) {
    const double end = part.over ? part.ended : std::max(now_ms, part.ended);
    Json each = {
        {"name", part.name()}, {"began", part.began}, {"seconds", (end - part.began) / 1000}};
    if (part.over) each["ended"] = part.ended;
    if (part.rows > 0) each["rows"] = part.rows;
    parts.push_back(std::move(each));
  }
  const std::optional<double> percent = terminal_.percent();
  return {{"parts", std::move(parts)},
          {"now", terminal_.Line(AtMillis(now_ms), false)},
          {"percent", percent ? Json(*percent) : Json()},
          {"progress", ProgressOf(view_)},
          {"rows_per_second", view_.rows_per_second},
          {"wait_share", view_.wait_share},
          {"counts", {{"events", events_}, {"checkpoints", checkpoints_}, {"left_out", left_out_}}},
          {"last_event", time_},
          {"messages", messages_}};
}

Json RunStory::Curves(size_t most) const {
  Json series = Json::array();
  for (const auto& [name, curve] : curves_) {
    Json each = {{"name", name}};
    each.update(curve.Thinned(most));
    series.push_back(std::move(each));
  }
  return {{"x", view_.trees ? "round" : "step"}, {"series", std::move(series)}, {"marks", marks_}};
}

Json RunStory::Lanes(size_t most) const {
  Json lanes = lanes_.ToJson(most);
  lanes["hosts"] = Json::array();
  if (gangs_.empty()) return lanes;
  for (const Json& rank : gangs_.back()["ranks"]) lanes["hosts"].push_back(TextAt(rank, "host"));
  return lanes;
}

Json RunStory::Gangs() const { return {{"gangs", gangs_}, {"changes", changes_}}; }

}  // namespace protium
