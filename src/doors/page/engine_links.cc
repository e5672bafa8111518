// SPDX-License-Identifier: Apache-2.0
#include "page/engine_links.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/web_address.h"

namespace protium {

namespace {

constexpr size_t kMostLinks = 50;  // To jobs, and to stages.

Json PageOf(const Json& event) { return event.is_object() ? event.value("page", Json()) : Json(); }

// The whole address is checked, since parts of it are others' text.
void AddLink(Json& links, std::string text, std::string href) {
  if (IsWebAddress(href)) links.push_back({{"text", std::move(text)}, {"href", std::move(href)}});
}

void AddEach(Json& links, const Json& ids, const char* word, const std::string& before,
             const char* after) {
  if (!ids.is_array()) return;
  for (size_t i = 0; i < ids.size() && i < kMostLinks; ++i) {
    if (!ids[i].is_number_integer()) continue;
    const std::string id = Dump(ids[i]);
    AddLink(links, fmt::format("{} {}", word, id), before + id + after);
  }
}

}  // namespace

Json PlanLinks(const Json& event) {
  Json links = Json::array();
  const Json page = PageOf(event);
  const std::string& address = TextAt(page, "address");
  if (!IsWebAddress(address)) return links;
  const auto ids = [&](const char* key) { return event.value(key, Json()); };
  AddEach(links, ids("executions"), "SQL execution", address + "/SQL/execution/?id=", "");
  AddEach(links, ids("jobs"), "job", address + "/jobs/job/?id=", "");
  AddEach(links, ids("stages"), "stage", address + "/stages/stage/?id=", "&attempt=0");
  const std::string& session = TextAt(page, "session");
  if (!session.empty()) AddLink(links, "session", address + "/connect/session/?id=" + session);
  return links;
}

Json ExecutorLinks(const Json& event) {
  Json links = Json::array();
  const Json page = PageOf(event);
  const std::string& address = TextAt(page, "address");
  if (IsWebAddress(address)) AddLink(links, "Spark's executors", address + "/executors/");
  return links;
}

}  // namespace protium
