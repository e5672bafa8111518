// SPDX-License-Identifier: Apache-2.0
// Searches whose trials the caller measures, for programs that speak JSON: one request, one answer.
//
//   {"ask": {}}                                       {"trial": 1, "values": {...}}; after the last
//                                                     one {"trial": null}
//   {"report": {"trial": 1, "step": 3, "value": 0.4}} {"trial": 1, "should_prune": false}
//   {"should_prune": {"trial": 1}}                    the same
//   {"tell": {"trial": 1, "value": 0.3}}              {"trial": 1, "best": 1}; null if none has a
//                                                     value yet
//   {"tell": {"trial": 1, "measured": {"auc": 0.9, "latency_us": 30}}}
//   {"tell": {"trial": 1, "error": "it diverged"}}    failed; without a reason: stopped
//   {"table": {}}                                     AskedSearch::Table()
//
// Anything else is answered by {"error": {"what", "where", "fix", ...}}, and changes nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "protium/search.h"

namespace protium {

// Makes a search from the options of [search]; "higher_is_better" may be true, or name those of
// the metrics that are better when they are higher, and "save" a file for AskedSearch::SaveTo().
// The lag is 0 unless set. Refuses with Exit::kUsage below "search".
Result<AskedSearch> OpenAsked(const Json& options);

// What AskedSearch::TellAll() takes. Refuses with Exit::kUsage anything but numbers by
// name; null is NaN.
Result<std::map<std::string, double>> NumbersIn(const Json& measured, const std::string& path);

// The answer to one line.
Json AnswerLine(AskedSearch& search, std::string_view line);

}  // namespace protium
