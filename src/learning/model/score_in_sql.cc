// SPDX-License-Identifier: Apache-2.0
#include "model/score_in_sql.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "frame/session_state.h"
#include "model/model_state.h"
#include "model/score_calls.h"

namespace protium {
namespace {

// Makes the plan of a text and of its calls. A call that several texts repeat, as with WITH
// definitions, is planned once.
class Writing {
 public:
  explicit Writing(Session& session) : session_(session) {}

  Result<Plan> Write(const std::string& text) {
    PT_LET(const auto calls, FindScoreCalls(text));
    // The tables of the session, followed by those of the calls.
    const Plan plain = session_.Sql(text).plan();
    if (calls.empty() || !std::holds_alternative<Sql>(plain->verb)) return plain;
    Sql sql = std::get<Sql>(plain->verb);
    std::vector<Plan> inputs = plain->inputs;
    sql.text.clear();
    size_t at = 0;
    for (const ScoreCall& call : calls) {
      const std::string name = fmt::format("__score_{}", inputs.size());
      PT_LET(inputs.emplace_back(), Scored(call));
      sql.names.push_back(name);
      sql.text += text.substr(at, call.begin - at) + name;
      at = call.end;
    }
    sql.text += text.substr(at);
    return MakePlan(std::move(sql), std::move(inputs));
  }

 private:
  // Returns the rows with the model's predictions. Computes no metrics even if labels are present:
  // a query reports none.
  Result<Plan> Scored(const ScoreCall& call) {
    const auto key = std::pair(call.model, call.rows);
    if (const auto made = made_.find(key); made != made_.end()) return made->second;
    const auto folder = StateOf(session_).options().base / call.model;
    PT_LET(const PipelineModel model, PipelineModel::Load(session_, folder));
    ModelState state = StateOf(model);
    state.measured = false;
    const PipelineModel quiet(std::make_shared<const ModelState>(std::move(state)));
    PT_LET(const Plan rows, Write(call.rows));
    const Plan plan = quiet.Transform({session_, rows}).plan();
    PT_TRY(model.Explain(FirstError(plan)));
    made_.emplace(key, plan);
    return plan;
  }

  Session& session_;
  std::map<std::pair<std::string, std::string>, Plan> made_;
};

}  // namespace

DataFrame SqlWithModels(Session& session, std::string text) {
  const Result<Plan> plan = Writing(session).Write(text);
  return {session, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

}  // namespace protium
