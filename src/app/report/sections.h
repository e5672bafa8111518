// SPDX-License-Identifier: Apache-2.0
// The sections of the page, as HTML; each is empty if the run has nothing to show in it.
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

// The member at a dotted path; null if there is none.
Json AtPath(const Json& tree, std::string_view path);
// "512 rows per step = 4 shards x 128 rows; 2 workers with 2 shards each".
std::string ShardsText(const Json& training);
// A value as people write it: short numbers, text without quotes, lists with commas.
std::string Shown(const Json& value);

}  // namespace protium
