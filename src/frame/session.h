// SPDX-License-Identifier: Apache-2.0
// Where a program meets an engine: tables by name, SQL over them, lazy frames. Public API.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.h"
#include "engine/engine.h"
#include "gang/task.h"
#include "plan/node.h"

namespace protium {

struct SessionOptions {
  std::string engine = "local";   // "local", "local[4]"; later "sc://host:15002".
  std::filesystem::path folder;   // The run folder; outputs and checkpoints go here.
  std::filesystem::path base;     // Relative input paths start here.
  std::map<std::string, Json> settings;  // From --set: "data", "train.epochs", ...
  bool resume = false;            // The folder holds an interrupted run: go on.
  int64_t memory_bytes = 0;       // 0: half of what machine and cgroup allow.
  std::filesystem::path spill;    // Empty: <folder>/spill.
  Call call;
};

class Session;

class DataFrame {
 public:
  DataFrame(std::shared_ptr<Session> session, Plan plan);
  const Plan& plan() const { return plan_; }
  Session& session() const { return *session_; }

  DataFrame Filter(Expr predicate) const;
  DataFrame Select(const Columns& columns) const;
  DataFrame Project(std::vector<NamedExpr> columns) const;
  DataFrame Limit(int64_t rows) const;
  DataFrame Materialize(std::string name) const;
  DataFrame Map(MapTask task) const;

  struct SplitOptions {
    Columns by;
    double test = 0.2;
    int64_t seed = 0;
  };
  struct Sides;  // {rest, part}: auto [train, test] = frame.Split({...})
  Sides Split(const SplitOptions& options) const;

  class Writer;
  Writer Write() const;

  Result<SchemaPtr> Schema() const;
  Result<BatchStreamPtr> Stream() const;

 private:
  std::shared_ptr<Session> session_;
  Plan plan_;
};

}  // namespace protium
