// SPDX-License-Identifier: Apache-2.0
#include "learn/model/score_in_sql.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "frame/session_state.h"
#include "learn/model/model_state.h"
#include "sql/tokens.h"

namespace protium {
namespace {

// A call score('model', rows) in a text, by the places of its tokens' text.
struct ScoreCall {
  size_t begin = 0, end = 0;
  std::string model;
  std::string rows;  // "SELECT ..."
};

Status NotATable(std::string why) {
  return Fail({.exit = Exit::kUsage,
               .what = "score() is not used as it can be: " + std::move(why),
               .where = "sql",
               .fix =
                   "SELECT * FROM score('path/of/model', (SELECT ...)), or the name of a table in "
                   "the place of (SELECT ...)"});
}

// Reads the calls of a text, which is not changed.
class CallReader {
 public:
  explicit CallReader(const std::string& text) : text_(text) {
    for (Token& token : Tokenize(text)) {
      if (token.kind != Token::Kind::kSpace) tokens_.push_back(std::move(token));
    }
  }

  Result<std::vector<ScoreCall>> Read() {
    std::vector<ScoreCall> calls;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!IsScore(i)) continue;
      if (!IsTable(i)) return NotATable("it is a table, not a value of each row");
      PT_LET(calls.emplace_back(), Call(i));
    }
    return calls;
  }

 private:
  bool IsScore(size_t i) const {
    return tokens_[i].Is("SCORE") && tokens_[i + 1].Is("(") && i + 3 < tokens_.size() &&
           tokens_[i + 2].kind == Token::Kind::kText && !(i > 0 && tokens_[i - 1].Is("."));
  }

  // Behind FROM or JOIN. A comma may be one between values.
  bool IsTable(size_t i) const {
    if (i == 0) return false;
    const Token& before = tokens_[i - 1];
    return before.Is("FROM") || before.Is("JOIN");
  }

  // Reads the call at token `i`, and leaves `i` at its last token.
  Result<ScoreCall> Call(size_t& i) {
    ScoreCall call{.begin = tokens_[i].at};
    const Token& model = tokens_[i + 2];
    const std::string_view quoted = std::string_view(text_).substr(model.at, model.size);
    if (!model.closed || quoted.size() < 2 || quoted.find('\\') != quoted.npos ||
        quoted[0] == 'r') {
      return NotATable("the path of the model is a plain text in quotes");
    }
    call.model = quoted.substr(1, quoted.size() - 2);
    if (!tokens_[i + 3].Is(",")) return NotATable("behind the model come the rows");
    size_t at = i + 4, depth = 1;
    const size_t first = at;
    for (; at < tokens_.size() && depth > 0; ++at) {
      depth += tokens_[at].Is("(") ? 1 : 0;
      depth -= tokens_[at].Is(")") ? 1 : 0;
    }
    if (depth > 0 || at - 1 == first) return NotATable("its parentheses are not closed");
    PT_LET(call.rows, RowsOf(first, at - 2));
    call.end = tokens_[at - 1].end();
    i = at - 1;
    return call;
  }

  Result<std::string> RowsOf(size_t first, size_t last) const {
    if (tokens_[first].Is("(") && tokens_[last].Is(")") && last > first + 1) {
      return text_.substr(tokens_[first].end(), tokens_[last].at - tokens_[first].end());
    }
    const auto kind = tokens_[first].kind;
    if (first != last || (kind != Token::Kind::kWord && kind != Token::Kind::kName)) {
      return NotATable("the rows are (SELECT ...) or the name of a table");
    }
    return "SELECT * FROM " + text_.substr(tokens_[first].at, tokens_[first].size);
  }

  const std::string& text_;
  std::vector<Token> tokens_;  // Without spaces; the last one is kEnd.
};

// The rows with the model's predictions. Labels among them are not compared: a query reports no
// metrics.
Result<Plan> Scored(Session& session, const ScoreCall& call) {
  const auto folder = session.state().options().base / call.model;
  PT_LET(const PipelineModel model, PipelineModel::Load(session, folder));
  ModelState state = model.state();
  state.measured = false;
  const PipelineModel quiet(std::make_shared<const ModelState>(std::move(state)));
  const Plan plan = quiet.Transform(SqlWithModels(session, call.rows)).plan();
  PT_TRY(model.Explain(FirstError(plan)));
  return plan;
}

Result<Plan> PlanOf(Session& session, const std::string& text,
                    const std::vector<ScoreCall>& calls) {
  // The tables of the session, and behind them those that the calls stand for.
  const Plan plain = session.Sql(text).plan();
  Sql sql = std::get<Sql>(plain->verb);
  std::vector<Plan> inputs = plain->inputs;
  sql.text.clear();
  size_t at = 0;
  for (const ScoreCall& call : calls) {
    const std::string name = fmt::format("__score_{}", inputs.size());
    PT_LET(inputs.emplace_back(), Scored(session, call));
    sql.names.push_back(name);
    sql.text += text.substr(at, call.begin - at) + name;
    at = call.end;
  }
  sql.text += text.substr(at);
  return MakePlan(std::move(sql), std::move(inputs));
}

}  // namespace

DataFrame SqlWithModels(Session& session, std::string text) {
  const auto calls = CallReader(text).Read();
  if (calls.ok() && calls->empty()) return session.Sql(std::move(text));
  const Result<Plan> plan =
      calls.ok() ? PlanOf(session, text, *calls) : Result<Plan>(calls.status());
  return {session, plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

}  // namespace protium
