// SPDX-License-Identifier: Apache-2.0
// The sections of the report as HTML, headings included. Each is empty if the run has nothing to
// show in it. Below are the forms of values that `protium plan` and `inspect` share with the page.
#pragma once

#include <string>

#include "app/report/report.h"

namespace protium {

// What went wrong; what is predicted, and how well (summary.cc); then the key figures, and the
// curves (curves.cc).
std::string FaultSection(const ReportFacts& facts);
std::string SummarySection(const ReportFacts& facts);
std::string TilesSection(const ReportFacts& facts);
std::string CurvesSection(const ReportFacts& facts);
// The trials of a search and the best of them (trials.cc).
std::string SearchSection(const ReportFacts& facts);
// The model beside the baseline, its predictions (predictions.cc), its columns (importance.cc),
// where the time went, and who sat where.
std::string MetricsSection(const ReportFacts& facts);
std::string PredictionsSection(const ReportFacts& facts);
std::string ImportanceSection(const ReportFacts& facts);
std::string DriftSection(const ReportFacts& facts);
std::string TimeSection(const ReportFacts& facts);
std::string WorkersSection(const ReportFacts& facts);
// What the job said: stages, settings with their places, SQL; and what it ran with.
std::string StagesSection(const ReportFacts& facts);
std::string SettingsSection(const ReportFacts& facts);
std::string SqlSection(const ReportFacts& facts);
std::string VersionsSection(const ReportFacts& facts);

// The member at a path such as "test.rmse"; null if there is none.
Json AtPath(const Json& tree, std::string_view path);
// "512 rows per step = 4 shards x 128 rows; 2 workers with 2 shards each", from the "training" of a
// plan.
std::string ShardsText(const Json& training);
// A value as people write it: floats with five digits, whole numbers in groups of three, text
// without quotes, lists with commas; empty for null.
std::string Shown(const Json& value);

}  // namespace protium
