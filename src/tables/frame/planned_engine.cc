// SPDX-License-Identifier: Apache-2.0
// The engine of `protium plan` for programs: describes each plan that would run, and returns as if
// it had run without producing rows. After the first plan whose rows the program wants, nothing
// more is reported, since what the program does next may depend on them.
#include "frame/planned_engine.h"

#include <utility>

#include "column/stream.h"
#include "frame/session_state.h"

namespace protium {

PlannedEngine::PlannedEngine(std::unique_ptr<Engine> engine, std::function<void(Json)> told)
    : engine_(std::move(engine)), told_(std::move(told)) {}

Status PlannedEngine::ReportPlan(const Plan& plan, const Call& call) {
  if (owes_rows_) return Status::OK();
  PT_LET(Json description, Describe(*engine_, plan, call));
  told_(std::move(description));
  return Status::OK();
}

Result<SchemaPtr> PlannedEngine::Analyze(const Plan& plan, const Call& call) {
  return engine_->Analyze(plan, call);
}

Result<BatchStreamPtr> PlannedEngine::Execute(const Plan& plan, const Call& call) {
  PT_TRY(ReportPlan(plan, call));
  owes_rows_ = true;
  PT_LET(const SchemaPtr schema, engine_->Analyze(plan, call));
  return MakeStream(schema, {});
}

Result<int64_t> PlannedEngine::Run(const Plan& plan, const Call& call) {
  PT_TRY(ReportPlan(plan, call));
  // After a Write, a program goes on as if it had run: only the file's contents are missing. Any
  // other run has a result that the program may depend on.
  owes_rows_ = owes_rows_ || !(std::holds_alternative<Write>(plan->verb) ||
                               std::holds_alternative<Store>(plan->verb));
  return 0;
}

Result<EnginePlan> PlannedEngine::Explain(const Plan& plan, const Call& call) {
  return engine_->Explain(plan, call);
}

// The next actions would read the gang's rows, which do not exist.
Result<Admission> PlannedEngine::Admit(const Demand& demand, const Call& call) {
  PT_TRY(ReportPlan(demand.plan, call));
  owes_rows_ = true;
  return Admission{};
}

Result<std::vector<DatabaseTable>> PlannedEngine::ListTables(const Source& source,
                                                             const Call& call) {
  return engine_->ListTables(source, call);
}

std::string PlannedEngine::address() const { return engine_->address(); }

}  // namespace protium
