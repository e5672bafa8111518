// SPDX-License-Identifier: Apache-2.0
// An engine that runs nothing, for `protium plan` of a program: the program's own code runs against
// it, and it describes what the real engine would do. Rows that only a run can produce are empty,
// so what a program does after it has looked at rows cannot be predicted and is not reported.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.h"

namespace protium {

// Analyze() and Explain() go to the wrapped engine, which checks SQL, columns and types for real.
class PlannedEngine : public Engine {
 public:
  // `told` receives the result of Describe() (session_state.h) for each plan that would run, up to
  // and including the first whose rows the program wants to see.
  PlannedEngine(std::unique_ptr<Engine> engine, std::function<void(Json)> told);

  Result<SchemaPtr> Analyze(const Plan& plan, const Call& call) override;
  Result<BatchStreamPtr> Execute(const Plan& plan, const Call& call) override;
  Result<int64_t> Run(const Plan& plan, const Call& call) override;
  Result<EnginePlan> Explain(const Plan& plan, const Call& call) override;
  Result<Admission> Admit(const Demand& demand, const Call& call) override;
  Result<std::vector<DatabaseTable>> ListTables(const Source& source, const Call& call) override;
  Result<Source> Pin(const Source& source, const Call& call) override {
    return engine_->Pin(source, call);
  }
  Result<std::vector<ObjectCopy>> CopyHere(const Source& source, const Call& call) override {
    return engine_->CopyHere(source, call);
  }
  LocalStore* Kept() override { return engine_->Kept(); }
  std::string address() const override;

  // Whether the program has requested rows and got none; nothing has been reported since.
  bool owes_rows() const { return owes_rows_; }

 private:
  Status ReportPlan(const Plan& plan, const Call& call);

  std::unique_ptr<Engine> engine_;
  std::function<void(Json)> told_;
  bool owes_rows_ = false;
};

}  // namespace protium
