// SPDX-License-Identifier: Apache-2.0
// What one pass over rows has found out in a few words, such as how many they are: found again for
// equal rows, without a pass. Too small for an object of the store; its index remembers it.
#pragma once

#include <optional>
#include <string>

#include "frame/session_state.h"
#include "plan/node.h"

namespace protium {

// One thread. `session` must outlive it.
class KeptAnswer {
 public:
  // `decides` is what decides the answer besides the rows and the builds of our libraries.
  KeptAnswer(SessionState& session, std::string kind, Plan rows, Json decides = {})
      : session_(session),
        kind_(std::move(kind)),
        rows_(std::move(rows)),
        decides_(std::move(decides)) {}

  // The answer of an earlier run; none if there is none, if the rows have no name, or with --fresh.
  std::optional<Json> Find() const;
  // Call it when the rows are made.
  void Keep(const Json& answer) const;

 private:
  SessionState& session_;
  const std::string kind_;
  const Plan rows_;
  const Json decides_;
};

}  // namespace protium
