// SPDX-License-Identifier: Apache-2.0
// What an event is: an aggregate with kName and Fields(). Our own events are in the room events;
// between processes and in events.jsonl they are JSON.
#pragma once

#include <concepts>
#include <string_view>

#include "protium/fields.h"

namespace protium {

template <class E>
concept IsEvent = fields::HasFields<E> && requires {
  { E::kName } -> std::convertible_to<std::string_view>;
};

// Its name under the key "event", and its fields, without "time", which EventLog adds.
template <IsEvent E>
Json EventToJson(const E& event) {
  Json json;
  json["event"] = E::kName;
  json.update(FieldsToJson(event));
  return json;
}

}  // namespace protium
