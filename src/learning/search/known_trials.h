// SPDX-License-Identifier: Apache-2.0
// The trials of an earlier run that a search begins with (SearchOptions::from). They are told first
// to a method that learns; the best of them is its first trial, so that nothing is lost. A trial
// with the same values takes over the result of an earlier fit if that is the same fit of the same
// rows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "protium/search.h"
#include "search/proposals.h"
#include "search/trial_order.h"

namespace protium {

class SessionState;

// A value.
struct KnownTrials {
  std::filesystem::path run;  // Empty: none.
  std::vector<Trial> trials;  // Those that lie in the space, in their order.

  // The folder of the first trial with these values.
  std::optional<std::filesystem::path> FolderOf(const Json& values) const;
};

// Reads the table of `from`. A fault of Exit::kUsage at "search.from" if there is none, if it is by
// another first metric, or if none of its trials lies in the space. They are judged by what `order`
// requires.
Result<KnownTrials> ReadKnownTrials(const std::string& from, const TrialOrder& order,
                                    const Space& space);

// Tells a method that learns of them, but not of done ones that lack a metric: the first trial, and
// the only one that is known before any result, is the best of them.
void BeginWith(const KnownTrials& known, const TrialOrder& order, Proposed& proposed);

// Whether the session has read the same files as the run, and no databases, so that equal plans
// mean equal rows.
bool ReadsTheSame(const KnownTrials& known, SessionState& session);

}  // namespace protium
