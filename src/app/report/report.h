// SPDX-License-Identifier: Apache-2.0
// report.html: a run on one page, in one file that needs no network. It is made from the run folder
// alone, so it can be made again at any time, also of a run that failed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// What the page is made of, as it lies in the run folder. All text from outside passes through
// Escaped() on its way into the page.
struct ReportFacts {
  // The name of the run folder.
  std::string id;
  Json run = Json::object();      // run.json: name, state, times.
  Json result = Json::object();   // result.json: metrics, seconds, the fault.
  Json job = Json::object();      // job.json: settings, plan, SQL, versions.
  Json trials = Json::object();   // trials.json: what a search has tried.
  Json profile = Json::object();  // profile.json: what the columns held.
  std::vector<Json> events;
};

// Reads the facts of the run in the folder `run`. Missing or damaged files count as empty; one that
// cannot be read is a fault.
Result<ReportFacts> ReadReportFacts(const std::filesystem::path& run);

// The whole page. Never fails: what is missing is left out.
std::string RenderReport(const ReportFacts& facts);

}  // namespace protium
