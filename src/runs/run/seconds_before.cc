// SPDX-License-Identifier: Apache-2.0
#include "run/seconds_before.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "events/events.h"
#include "run/event_log.h"
#include "run/summary.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Sums the spans from each "start" to the last event before the next one: the time between two
// commands, possibly days, does not count. A killed command ends with its last event.
double SumSpans(const std::vector<Json>& events) {
  double total = 0, first = -1, last = -1;
  for (const Json& event : events) {
    const double at = ParseSeconds(event.value("time", ""));
    if (at < 0) continue;
    if (first < 0 || std::holds_alternative<RunStarted>(EventFromJson(event))) {
      total += last - first;
      first = at;
    }
    last = at;
  }
  return std::max(0.0, total + last - first);
}

}  // namespace

double ParseSeconds(std::string_view time) {
  std::tm parts{};
  double seconds = 0;
  char zone = 0;
  const int read =
      std::sscanf(std::string(time).c_str(), "%4d-%2d-%2dT%2d:%2d:%lf%c", &parts.tm_year,
                  &parts.tm_mon, &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &seconds, &zone);
  if (read != 7 || zone != 'Z') return -1;
  // tm counts years from 1900 and months from 0; timegm reads it as UTC.
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return static_cast<double>(timegm(&parts)) + seconds;
}

Json SecondsBefore(const fs::path& run) {
  const auto events = ReadEvents(run / "events.jsonl");
  if (!events.ok() || events->empty()) return Json::object();
  Json before = ReadResult(run).value("seconds", Json::object());
  if (!before.is_object()) before = Json::object();
  before["total"] = SumSpans(*events);
  return before;
}

void AddSecondsBefore(const Json& before, Json& seconds) {
  for (const auto& [part, spent] : before.items()) {
    if (!spent.is_number()) continue;
    const Json now = seconds.value(part, Json());
    const bool both = now.is_number() && part != "first_step";
    seconds[part] = spent.get<double>() + (both ? now.get<double>() : 0.0);
  }
}

}  // namespace protium
