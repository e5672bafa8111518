// SPDX-License-Identifier: Apache-2.0
// What passes over rows have found out, kept for the next run (store/local_store.h): the same needs
// of the same rows are taken from there, and no row is read. States are exact and do not depend on
// workers or on the order of rows (statistics/state.h), so what is taken is what a pass would find,
// to the bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frame/session_state.h"
#include "statistics/state.h"

namespace protium {

struct FoundStates {
  std::vector<State> states;
  std::string from;  // The run that made them; empty: this one.
};

// Fit() of fit_task.h, unless they are kept; keeps what it makes if the engine can name the rows.
// What goes wrong with the store is a note.
Result<FoundStates> FindStates(SessionState& session, const Plan& rows,
                               const std::vector<Need>& needs);

// What FindStates() would take from the store: KeptWork::Describe(), and the states if they are
// there. Makes nothing.
struct KeptStates {
  Json about;
  std::optional<std::vector<State>> states;
};
KeptStates LookForStates(SessionState& session, const Plan& rows, const std::vector<Need>& needs);

}  // namespace protium
