// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "engine/engine.h"
#include "local/duckdb.h"
#include "local/workers.h"
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
  Status Visit(const Plan& plan);
  Status Show(const Plan& plan, const std::string& title, const std::string& view);
  Result<RelationSql> Write(const Plan& plan);
  // A view that stands for the keys of a lookup.
  Result<std::string> NoKeys();
  Status Seat(const MapTask& task);
  std::string NewName(const std::string& wanted);

  const duck::Connection& connection_;
  Workers* workers_;
  std::unordered_map<const Node*, std::string> views_;
  std::set<std::string> names_;
  EnginePlan said_;
};

}  // namespace protium
