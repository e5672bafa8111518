// SPDX-License-Identifier: Apache-2.0
// What the data of a run looked like: profile.json of the run folder, from the states of
// statistics/column_profiles.h. docs/page.md says what its figures mean.
#pragma once

#include <string>
#include <vector>

#include "frame/session_state.h"
#include "pipeline/chain.h"
#include "protium/frame.h"
#include "statistics/column_profiles.h"

namespace protium {

inline constexpr size_t kMostProfiled = 200;  // Columns; the others are counted.

struct ProfiledColumn {
  std::string name;
  std::string kind;  // ProfileKind() of its type,
  std::string type;  // and the type in words.
};

// {"rows", "sampled_rows", "all_rows_sampled", "columns": [{"column", "kind", "type", "missing",
// "infinite", "distinct", "distinct_exact", "low", "high", "mean", "quantiles", "histogram", "top",
// "bins"}]}. Figures that a column does not have are left out.
Json ProfileToJson(const ColumnProfiles& state, const std::vector<ProfiledColumn>& columns);

// The same for the test rows, with the bin edges of `train`, a result of ProfileToJson(); each
// column also has "psi", its drift, and "drifted", whether that is more than chance.
Json TestProfileToJson(const ColumnProfiles& state, const std::vector<ProfiledColumn>& columns,
                       const Json& train);

// What a model keeps of "train", a result of ProfileToJson(), to notice rows that are unlike those
// it learned from: {"rows", "columns": [{"column", "kind", "bins"}]} of those of `names` whose
// values do not move on by themselves, as times do.
Json ProfileToKeep(const Json& train, const Columns& names);

// A column of rows to score whose values are unlike those that the model learned from.
struct DriftedColumn {
  std::string name;
  double psi = 0;
  std::string says;  // DescribeDrift().
};
struct RowDrift {
  int64_t rows = 0;                    // That were compared.
  int64_t compared = 0;                // Columns.
  std::vector<DriftedColumn> columns;  // The most drifted first.
};
// Makes one pass over `rows`. `kept` is a result of ProfileToKeep().
Result<RowDrift> FindDrift(const DataFrame& rows, const Json& kept);

// In rows: reading every cell of more takes seconds, for figures that few will read.
inline constexpr int64_t kMostProfiledUnasked = 1'000'000;

// The need that fills the profile of a table, and its columns in the same order.
struct ProfileNeed {
  Need need;
  std::vector<ProfiledColumn> columns;
  int64_t left_out = 0;  // Columns beyond kMostProfiled.
};
ProfileNeed ProfileOf(const Columns& names, const arrow::Schema& schema);

// ProfileToKeep() of the session's profile.json; null without one.
Result<Json> KeptProfile(const SessionState& session, const Columns& names);

// Removes the profile that another fit in the session's folder has left.
void DropProfile(const SessionState& session);

// Writes the "train" part of profile.json.
Status KeepProfile(SessionState& session, const ColumnProfiles& state, const ProfileNeed& need);

// Makes one pass over the rows that a model is tested on and adds the "test" part for the columns
// that were profiled in training. Does nothing without a "train" part. A failure becomes a warning,
// since a profile must not fail a run; a stop is passed on.
Status ProfileTest(const DataFrame& test);

}  // namespace protium
