// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "engine/engine.h"
#include "local/duckdb/handles.h"
#include "local/workers/workers.h"
#include "sql/writer.h"

namespace protium {

// Says what a plan would do. Every part that would be evaluated by itself becomes a view on the
// given connection, so that all SQL is checked and no data moves.
class Explainer {
 public:
  // `workers` may be nullptr.
  Explainer(const duck::Connection& connection, Workers* workers)
      : connection_(connection), workers_(workers) {}

  Result<EnginePlan> Explain(const Plan& plan);

 private:
  // `whole` is the plan that is explained.
  Status Visit(const Plan& plan, const Plan& whole);
  // Shows how the rows of `plan` are made, with the marks that `rows` wants, and gives them the
  // name it has, if any.
  Status Show(const Plan& plan, const std::string& title, KeptRows& rows);
  Result<RelationSql> Write(const Plan& plan);
  // A view that stands for the keys of a lookup.
  Result<std::string> NoKeys();
  Status Seat(const MapTask& task);
  std::string NewName(const std::string& wanted);

  const duck::Connection& connection_;
  Workers* workers_;
  std::unordered_map<const Node*, KeptRows> views_;
  std::set<std::string> names_;
  EnginePlan said_;
};

}  // namespace protium
