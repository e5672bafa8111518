// SPDX-License-Identifier: Apache-2.0
// The page is a heading and sections, each a function from the facts to HTML (sections.h).
#include "app/report/report.h"

#include <fmt/format.h>

#include "app/report/chart.h"
#include "app/report/sections.h"
#include "app/report/style.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Reads a JSON object. A missing or damaged file counts as an empty one: a report is wanted most of
// all for a run that failed.
Result<Json> ReadObject(const fs::path& file) {
  if (!fs::exists(file)) return Json::object();
  PT_LET(const std::string text, ReadTextFile(file));
  Result<Json> json = ParseJson(text);
  return json.ok() && json->is_object() ? json : Json::object();
}

// "2013-01-31T08:15:00.123Z" as "2013-01-31 08:15:00 UTC".
std::string ShownTime(const Json& run, const char* key) {
  std::string time = run.value(key, "");
  // A time that is shorter than its seconds is shown as it is.
  if (time.size() < 19) return Escaped(time);
  time.resize(19);
  time[10] = ' ';
  return Escaped(time + " UTC");
}

// The heading: name, state, and when the run started and ended. The state is also a CSS class.
std::string Head(const ReportFacts& facts) {
  const std::string state = facts.run.value("state", "running");
  const std::string ended = ShownTime(facts.run, "ended");
  return fmt::format(
      "<h1>{}<span class=\"state {}\">{}</span></h1>\n<p class=\"soft\">{} &middot; started {} "
      "{}{}</p>\n",
      Escaped(facts.run.value("name", facts.id)), Escaped(state), Escaped(state), Escaped(facts.id),
      ShownTime(facts.run, "started"), ended.empty() ? "" : "&middot; ended ", ended);
}

}  // namespace

Result<ReportFacts> ReadReportFacts(const fs::path& run) {
  ReportFacts facts{.id = run.filename().string()};
  PT_LET(facts.run, ReadObject(run / "run.json"));
  PT_LET(facts.result, ReadObject(run / "result.json"));
  PT_LET(facts.job, ReadObject(run / "job.json"));
  PT_LET(facts.trials, ReadObject(run / "trials.json"));
  PT_LET(facts.profile, ReadObject(run / "profile.json"));
  PT_LET(facts.events, ReadEvents(run / "events.jsonl"));
  return facts;
}

// Sections come in the order of interest: what went wrong, the key figures, curves, metrics, then
// the details.
std::string RenderReport(const ReportFacts& facts) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\">\n<title>{}</title>\n<style>{}</style></head>\n"
      "<body><main>\n",
      Escaped(facts.id), kReportStyle);
  page += Head(facts);
  // An empty section adds nothing, so a run without training has a page of its own shape.
  for (const auto section :
       {FaultSection, SummarySection, TilesSection, SearchSection, CurvesSection, MetricsSection,
        PredictionsSection, ImportanceSection, DriftSection, TimeSection, WorkersSection,
        StagesSection, SettingsSection, SqlSection, VersionsSection}) {
    page += section(facts);
  }
  return page + "</main></body></html>\n";
}

}  // namespace protium
