// SPDX-License-Identifier: Apache-2.0
// report.html: a run on one page, in one file that needs no network. It is made from the run folder
// alone, so it can be made again at any time. All text from outside goes through Escaped().
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// What the page is made of.
struct ReportFacts {
  std::string id;
  Json run = Json::object();     // run.json
  Json result = Json::object();  // result.json
  Json job = Json::object();     // job.json
  std::vector<Json> events;
};

// Missing or damaged files count as empty; one that cannot be read is a fault.
Result<ReportFacts> ReadReportFacts(const std::filesystem::path& run);

std::string RenderReport(const ReportFacts& facts);

}  // namespace protium
