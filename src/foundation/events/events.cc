// SPDX-License-Identifier: Apache-2.0
#include "events/events.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/json.h"

namespace protium {
namespace {

// Reads fields one by one and retains the default of any that does not fit, while FieldsFromJson
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
    // Tasks may write whole numbers as 7.0, and the objects in a list may have undeclared fields,
    // which FieldsFromJson would refuse.
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (json.is_number_float()) return (value = static_cast<T>(json.get<double>()), true);
    }
    if constexpr (fields::IsVector<T>::value) {
      if (!json.is_array()) return false;
      value.clear();
      for (const Json& item : json) ReadItem(item, value);
      return true;
    } else {
      return FieldsFromJson(json, "", value).ok();
    }
  }

  template <class T>
  static void ReadItem(const Json& item, std::vector<T>& list) {
    T read{};
    if constexpr (fields::HasFields<T>) {
      if (!item.is_object()) return;
      const TolerantReader reader{item};
      read.Fields(reader);
    } else if (!FieldsFromJson(item, "", read).ok()) {
      return;
    }
    list.push_back(std::move(read));
  }
};

// In the file metrics are ordinary fields of the event, so every number that is not a declared
// field is a metric.
void ReadMore(const Json& json, Validated& event) {
  static constexpr std::string_view kOthers[] = {"event", "time", "epoch",  "step",
                                                 "rows",  "rank", "attempt"};
  for (const auto& [name, value] : json.items()) {
    const bool other = std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers);
    if (!other && value.is_number()) event.metrics.emplace_back(name, value.get<double>());
  }
}

// Releases without roles identified a gang's role by the names of our own tasks.
void ReadMore(const Json& json, GangPlaced& event) {
  if (json.contains("role")) return;
  if (event.task == "train" || event.task == "train_torch") event.role = TaskRole::kTrain;
  if (event.task == "score" || event.task == "score_torch") event.role = TaskRole::kScore;
}

void ReadMore(const Json& json, Reported& event) {
  if (const auto value = json.find("value"); value != json.end()) event.value = Dump(*value);
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

// Tries the alternatives of the variant by name. The pointer only carries the type and is never
// read.
template <class... E>
Event ReadAs(const Json& json, std::string_view name, const std::variant<E...>*) {
  Event event = OtherEvent{std::string(name)};
  (void)(ReadIf<E>(json, name, event) || ...);
  return event;
}

}  // namespace

Printed PrintedOf(const Json& json) {
  Printed event;
  const TolerantReader reader{json};
  event.Fields(reader);
  return event;
}

EnumNames<TaskRole> Names(TaskRole) {
  return {{{TaskRole::kMap, "map"},
           {TaskRole::kFit, "fit"},
           {TaskRole::kTrain, "train"},
           {TaskRole::kScore, "score"},
           {TaskRole::kProgram, "program"}}};
}

Event EventFromJson(const Json& json) {
  return ReadAs(json, TextAt(json, "event"), static_cast<const Event*>(nullptr));
}

Json EventToJson(const Validated& event) {
  Json json = EventToJson<Validated>(event);
  // JSON has no NaN and no infinity.
  for (const auto& [name, value] : event.metrics) {
    json[name] = std::isfinite(value) ? Json(value) : Json();
  }
  return json;
}

Json EventToJson(const Reported& event) {
  Json json = EventToJson<Reported>(event);
  json["value"] = ParseJson(event.value).ValueOr(Json());
  return json;
}

Json EventToJson(const PipelinePlaced& event) {
  Json json = EventToJson<PipelinePlaced>(event);
  json.update(event.preview);
  return json;
}

Json EventToJson(const QueryRan& event) {
  Json json = EventToJson<QueryRan>(event);
  json.update(event.measured);
  return json;
}

}  // namespace protium
