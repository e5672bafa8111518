// SPDX-License-Identifier: Apache-2.0
#include "run/run_view.h"

#include <algorithm>

#include "events/events.h"

namespace protium {
namespace {

// Folds one event into a view.
struct Folder {
  RunView& view;

  void operator()(const RunStarted&) { view.ended.clear(); }
  void operator()(const TrainStarted& event) {
    if (event.steps > 0) view.steps = event.steps;
    if (event.epochs > 0) view.epochs = event.epochs;
    view.trees = event.trees;
  }
  void operator()(const StepDone& event) {
    const bool another = event.epoch != view.epoch || view.epoch_losses.empty();
    if (another) view.epoch_losses.push_back(0);
    view.epoch_losses.back() = event.loss;
    view.step = event.step;
    if (event.steps > 0) view.steps = event.steps;
    view.epoch = event.epoch;
    view.loss = event.loss;
    view.epoch_ended = false;
    view.rows_per_second = event.rows_per_second;
    view.wait_share = event.wait_share;
    view.loss_by_step[double(event.step)] = event.loss;
  }
  // Steps are reported by the clock, so a short epoch may have none; then its final loss counts.
  void operator()(const EpochDone& event) {
    const bool another = event.epoch != view.epoch || view.epoch_losses.empty();
    if (another) view.epoch_losses.push_back(0);
    view.step = event.step;
    view.epoch = event.epoch;
    view.loss = event.loss;
    view.epoch_ended = true;
    view.epoch_losses.back() = event.loss;
  }
  void operator()(const Validated& event) {
    view.metrics = event.metrics;
    for (const auto& [name, value] : event.metrics) {
      view.validation[name][double(event.epoch)] = value;
    }
  }
  // A checkpoint may follow steps that were not reported.
  void operator()(const Checkpointed& event) {
    view.checkpoint = event.step;
    view.step = std::max(view.step, event.step);
  }
  void operator()(const GangPlaced& event) { view.gang = event; }
  void operator()(const AttemptStarted&) { view.restarts.push_back(view.step); }
  void operator()(const RunEnded& event) { view.ended = event.state; }
  template <class E>
  void operator()(const E&) {}
};

}  // namespace

void RunView::On(const Event& event) {
  const auto* const other = std::get_if<OtherEvent>(&event);
  const bool before = std::holds_alternative<RunStarted>(event) ||
                      (other != nullptr && other->name == PipelinePlaced::kName);
  began = began || !before;
  std::visit(Folder{*this}, event);
}

RunView MakeRunView(const std::vector<Json>& events) {
  RunView view;
  for (const Json& each : events) view.On(EventFromJson(each));
  return view;
}

}  // namespace protium
