// SPDX-License-Identifier: Apache-2.0
// Writes CSV and JSON lines: every point of every curve.
#include <fmt/format.h>

#include <cmath>

#include "export/formats.h"

namespace protium {

namespace {

// RFC 4180. A program may choose the names of its metrics.
std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

const char* const kAtMostTwo = "single steps: a run records at most two per second";

}  // namespace

Exported WriteCsv(const RunFacts& facts) {
  Exported made{.bytes = "run,series,step,time,value\n",
                .left_out = {kAtMostTwo, "settings and results: jsonl has them"}};
  for (const auto& [name, points] : facts.series) {
    for (const SeriesPoint& point : points) {
      made.bytes += fmt::format("{},{},{},{:.3f},{}\n", CsvCell(facts.id), CsvCell(name),
                                point.step, point.time, point.value);
    }
  }
  return made;
}

Exported WriteJsonLines(const RunFacts& facts) {
  Exported made{.left_out = {kAtMostTwo}};
  const Json head = {{"run", facts.id},
                     {"about", facts.run},
                     {"settings", facts.settings},
                     {"result", facts.result}};
  made.bytes = Dump(head) + "\n";
  for (const auto& [name, points] : facts.series) {
    for (const SeriesPoint& point : points) {
      // JSON has no infinities; null stands for them.
      const Json value = std::isfinite(point.value) ? Json(point.value) : Json();
      made.bytes += Dump({{"run", facts.id},
                          {"series", name},
                          {"step", point.step},
                          {"time", point.time},
                          {"value", value}}) +
                    "\n";
    }
  }
  return made;
}

}  // namespace protium
