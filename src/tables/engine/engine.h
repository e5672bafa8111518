// SPDX-License-Identifier: Apache-2.0
// A place where plans run. What a job does is in its plan, so few verbs suffice: Analyze() and
// Explain() move no data, Execute() and Run() do, and Admit() asks whether a gang fits.
//
// The error of a Broken node is that of every call on a plan that holds it. What runs ends soon
// after call.stop is requested, with Cancelled, or after call.deadline, with exit kStalled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "column/stream.h"
#include "plan/node.h"

namespace protium {

// What an engine says about a plan before it runs.
struct EnginePlan {
  std::string sql;                     // The relational part as the engine will see it.
  std::vector<std::string> not_exact;  // What may differ between engines or runs, with reasons.
  Json placement;                      // Of each gang: a table of ranks, or why it does not fit.
};

// What a gang will need, asked for before any of its rows is read.
struct Demand {
  GangSpec gang;
  bool torch = false;  // Its ranks load LibTorch.
  Plan plan;           // The gang's task over its rows, as far as these are known by then.
};

// Where a gang will sit.
struct Admission {
  Json ranks;             // A table of them, as in EnginePlan::placement.
  std::string waits_for;  // Who holds its places at this moment; empty: nobody that is known of.
};

class Engine {
 public:
  virtual ~Engine() = default;
  // The schema of the plan's result. Moves no data.
  virtual Result<SchemaPtr> Analyze(const Plan& plan, const Call& call) = 0;
  // Streams the rows to the caller.
  virtual Result<BatchStreamPtr> Execute(const Plan& plan, const Call& call) = 0;
  // Runs for effect, such as a Write; gives the number of rows written (or produced).
  virtual Result<int64_t> Run(const Plan& plan, const Call& call) = 0;
  // Checks everything that is cheap and runs nothing: SQL, columns, files, whether gangs fit.
  virtual Result<EnginePlan> Explain(const Plan& plan, const Call& call) = 0;
  // Whether a gang can be seated: now, later, or never, which is a fault of exit kUsage that names
  // the number that does not fit. Reads no row. Workers of the engine's own are started now, so
  // that they load what they need while the rows are made.
  virtual Result<Admission> Admit(const Demand& demand, const Call& call) = 0;
  virtual std::string address() const = 0;  // "local[2]"
};

}  // namespace protium
