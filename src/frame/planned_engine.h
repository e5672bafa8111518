// SPDX-License-Identifier: Apache-2.0
// An engine that runs nothing: it stands in for another one and tells what that would do.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.h"

namespace protium {

class PlannedEngine : public Engine {
 public:
  // `told` gets what Describe() says of each plan that would run. Whatever needs rows that only a
  // run can make gets none; what is asked for after that is not what a run would do, and not told.
  PlannedEngine(std::unique_ptr<Engine> engine, std::function<void(Json)> told);

  Result<SchemaPtr> Analyze(const Plan& plan, const Call& call) override;
  Result<BatchStreamPtr> Execute(const Plan& plan, const Call& call) override;
  Result<int64_t> Run(const Plan& plan, const Call& call) override;
  Result<EnginePlan> Explain(const Plan& plan, const Call& call) override;
  Result<Admission> Admit(const Demand& demand, const Call& call) override;
  std::string address() const override;

  // Whether anyone asked for rows, which there are none of.
  bool owes_rows() const { return owes_rows_; }

 private:
  Status Tell(const Plan& plan, const Call& call);

  std::unique_ptr<Engine> engine_;
  std::function<void(Json)> told_;
  bool owes_rows_ = false;
};

}  // namespace protium
