// SPDX-License-Identifier: Apache-2.0
// The parts of the page, each empty when the run has nothing to say in it.
#pragma once

#include <string>

#include "app/report/report.h"

namespace protium {

std::string FaultSection(const ReportFacts& facts);
std::string TilesSection(const ReportFacts& facts);
std::string CurvesSection(const ReportFacts& facts);
std::string MetricsSection(const ReportFacts& facts);
std::string TimeSection(const ReportFacts& facts);
std::string WorkersSection(const ReportFacts& facts);
std::string StagesSection(const ReportFacts& facts);
std::string SettingsSection(const ReportFacts& facts);
std::string SqlSection(const ReportFacts& facts);
std::string VersionsSection(const ReportFacts& facts);

// Gives the member at a dotted path, or null.
Json AtPath(const Json& tree, std::string_view path);
// "512 rows a step = 4 shards x 128 rows; 2 workers with 2 shards each".
std::string ShardsText(const Json& training);
// As people write it: numbers short, text without quotes.
std::string Shown(const Json& value);

}  // namespace protium
