// SPDX-License-Identifier: Apache-2.0
#include "events/events.h"

#include <algorithm>
#include <string_view>

namespace protium {
namespace {

// Reads fields one by one and keeps the default of any that does not fit, where FieldsFromJson
// would refuse the whole event.
struct TolerantReader {
  const Json& json;
  template <class T>
  void operator()(const char* key, T& value) const {
    const auto found = json.find(key);
    if (found == json.end()) return;
    T read = value;
    if (ReadValue(*found, read)) value = std::move(read);
  }

  template <class T>
  static bool ReadValue(const Json& json, T& value) {
    // Tasks may write whole numbers as 7.0; and the objects in a list may have fields that are not
    // declared, which FieldsFromJson would refuse.
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (json.is_number_float()) return (value = static_cast<T>(json.get<double>()), true);
    }
    if constexpr (fields::IsVector<T>::value) {
      if (!json.is_array()) return false;
      value.clear();
      for (const Json& item : json) {
        const TolerantReader reader{item};
        if (item.is_object()) value.emplace_back().Fields(reader);
      }
      return true;
    } else {
      return FieldsFromJson(json, "", value).ok();
    }
  }
};

// In the file metrics are fields of the event like any other, so every number that is not one of
// the declared fields is a metric.
void ReadMore(const Json& json, Validated& event) {
  static constexpr std::string_view kOthers[] = {"event", "time", "epoch",  "step",
                                                 "rows",  "rank", "attempt"};
  for (const auto& [name, value] : json.items()) {
    const bool other = std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers);
    if (!other && value.is_number()) event.metrics.emplace_back(name, value.get<double>());
  }
}

template <class E>
void ReadMore(const Json&, E&) {}

template <class E>
bool ReadIf(const Json& json, std::string_view name, Event& out) {
  if (E::kName != name) return false;
  E event;
  const TolerantReader reader{json};
  event.Fields(reader);
  ReadMore(json, event);
  out = std::move(event);
  return true;
}

// Tries the alternatives of the variant by name. The pointer only carries the type; it is never
// read.
template <class... E>
Event ReadAs(const Json& json, std::string_view name, const std::variant<E...>*) {
  Event event = OtherEvent{std::string(name)};
  (void)(ReadIf<E>(json, name, event) || ...);
  return event;
}

// Folds one event into a view.
struct Folder {
  RunView& view;

  void operator()(const RunStarted&) { view.ended.clear(); }
  void operator()(const TrainStarted& event) {
    if (event.steps > 0) view.steps = event.steps;
    if (event.epochs > 0) view.epochs = event.epochs;
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
  // Steps report by the clock, so a short epoch may pass without any; the loss of its end counts.
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
  void operator()(const AttemptStarted&) { view.restarts.push_back(view.step); }
  void operator()(const RunEnded& event) { view.ended = event.state; }
  template <class E>
  void operator()(const E&) {}
};

}  // namespace

Event EventFromJson(const Json& json) {
  std::string name;
  if (json.is_object() && json.contains("event") && json["event"].is_string()) {
    name = json["event"].get<std::string>();
  }
  return ReadAs(json, name, static_cast<const Event*>(nullptr));
}

void RunView::On(const Event& event) {
  const auto* const other = std::get_if<OtherEvent>(&event);
  const bool before =
      std::holds_alternative<RunStarted>(event) || (other != nullptr && other->name == "pipeline");
  began = began || !before;
  std::visit(Folder{*this}, event);
}

RunView MakeRunView(const std::vector<Json>& events) {
  RunView view;
  for (const Json& each : events) view.On(EventFromJson(each));
  return view;
}

}  // namespace protium
