// SPDX-License-Identifier: Apache-2.0
// report.html: a run on one page, in one file that needs no network.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// What the page is made of; all of it lies in the run folder.
struct ReportFacts {
  std::string id;
  Json run = Json::object();     // run.json
  Json result = Json::object();  // result.json
  Json job = Json::object();     // job.json
  std::vector<Json> events;
};

Result<ReportFacts> ReadReportFacts(const std::filesystem::path& run);

std::string RenderReport(const ReportFacts& facts);

}  // namespace protium
