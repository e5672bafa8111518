// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include "base/fault.h"

namespace protium {

namespace {

constexpr int kMaxDepth = 200;

// Text of JSON always comes from a file or from another process.
Status NotJson(const std::string& why) {
  return Fail({.exit = Exit::kInput, .what = "not valid JSON: " + why});
}

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  // The library reads and frees nested values by recursion: a deep text would end the process.
  bool too_deep = false;
  const auto guard = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  try {
    Json value = Json::parse(text, guard);
    if (too_deep) return NotJson("it is nested deeper than 200 levels");
    return value;
  } catch (const Json::exception& error) {
    return NotJson(error.what());
  }
}

const std::string& TextAt(const Json& json, std::string_view key) {
  static const std::string kNone;
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get_ref<const std::string&>() : kNone;
}

std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Pretty(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace protium
