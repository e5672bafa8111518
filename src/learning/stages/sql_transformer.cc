// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <algorithm>
#include <set>

#include "sql_words/tokens.h"
#include "stages/column_stage.h"
#include "stages/row.h"

// Columns by SQL: SELECT *, a + b AS c FROM __THIS__, where __THIS__ has the inputs as its columns
// and all others pass unchanged. Learns nothing. The text is Spark's SQL and is checked like every
// other SQL of a job.
//
// Spark ML's SQLTransformer takes any statement. Here a stage adds columns and does not change the
// rows, in training as in scoring, so the statement must have that form; anything that looks beyond
// a row, or changes how many there are, belongs in the SQL of the job's [etl].

namespace protium {
namespace {

constexpr const char* kForm = "statement = \"SELECT *, a + b AS c FROM __THIS__\"";

struct SqlTransformerOptions {
  std::string id;
  Inputs inputs;
  std::string statement;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs,
          {.help = "the columns that the statement reads, or { stage = \"id\" } for all of an "
                   "earlier stage"});
    visit("statement", statement,
          {.help = "SELECT *, new columns with their names FROM __THIS__", .filled = "a SELECT"});
  }
};

Status Refused(const std::string& what, const std::string& why = "") {
  return Fail({.exit = Exit::kUsage, .what = what, .where = "statement", .why = why, .fix = kForm});
}

// The statement's tokens without spaces and without a final semicolon.
std::vector<Token> TokensOf(const std::string& statement) {
  std::vector<Token> tokens = Tokenize(statement);
  std::erase_if(tokens, [](const Token& token) {
    return token.kind == Token::Kind::kSpace || token.kind == Token::Kind::kEnd;
  });
  if (!tokens.empty() && tokens.back().Is(";")) tokens.pop_back();
  return tokens;
}

// Words that reach beyond a single row, or turn one row into several.
const std::set<std::string, std::less<>>& WordsBeyondRows() {
  static const std::set<std::string, std::less<>> words = {
      "SELECT", "OVER",  "EXPLODE",    "EXPLODE_OUTER",   "UNNEST",
      "INLINE", "STACK", "POSEXPLODE", "GENERATE_SERIES", "JSON_TUPLE"};
  return words;
}

// Checks the form. The engine checks everything else.
Status CheckForm(const std::string& statement) {
  const std::vector<Token> tokens = TokensOf(statement);
  const size_t size = tokens.size();
  const auto is = [&](size_t at, const char* word) { return at < size && tokens[at].Is(word); };
  if (!is(0, "SELECT") || !is(1, "*") || !is(2, ",")) {
    return Refused("the statement does not begin with SELECT *, and so would lose columns");
  }
  if (size < 6 || !is(size - 2, "FROM") || !is(size - 1, "__THIS__")) {
    return Refused("the statement does not end with FROM __THIS__",
                   "a stage neither leaves rows out nor adds any");
  }
  for (size_t i = 1; i + 2 < size; ++i) {
    if (!WordsBeyondRows().contains(tokens[i].word)) continue;
    return Refused("the statement has " + tokens[i].word,
                   "what a stage adds to a row follows from that row alone");
  }
  return Status::OK();
}

class SqlTransformerStage : public PlainStage {
 public:
  SqlTransformerStage(const SqlTransformerOptions& options, StageNames names)
      : PlainStage(std::move(names)), statement_(options.statement) {}

  std::shared_ptr<arrow::DataType> output_type(size_t i) const override { return types_[i]; }
  std::vector<size_t> inputs_of(size_t) const override {
    std::vector<size_t> all;
    for (size_t i = 0; i < inputs().size(); ++i) all.push_back(i);
    return all;
  }
  // The SQL itself decides which types it accepts.
  Status CheckType(const arrow::DataType&) const override { return Status::OK(); }

  // Asks the engine over an empty table of the inputs only, so that the statement cannot read
  // anything else, such as a label.
  Status SeeInputs(std::span<const StageColumn> inputs, const Analyze& analyze) override {
    PT_TRY(CheckForm(statement_));
    if (!analyze) return Refused("a statement needs an engine to tell what it makes");
    arrow::FieldVector fields;
    for (const StageColumn& input : inputs) fields.push_back(arrow::field(input.name, input.type));
    const Plan table = MakePlan(MapTask{.task = "stages", .output = arrow::schema(fields)});
    const Result<SchemaPtr> made = analyze(Over(table));
    if (!made.ok()) return Annotate(made.status(), "the statement of stage \"" + id() + "\"");
    Columns outputs;
    types_.clear();
    for (size_t i = fields.size(); i < size_t((*made)->num_fields()); ++i) {
      outputs.push_back((*made)->field(int(i))->name());
      types_.push_back((*made)->field(int(i))->type());
    }
    SetOutputs(std::move(outputs));
    return Status::OK();
  }

  // The statement's own * passes the columns on.
  Plan Apply(Plan rows, const Columns& columns) const override {
    return Over(WithColumns(std::move(rows), columns, {}));
  }

 private:
  Plan Over(Plan rows) const {
    std::string text = statement_;
    const size_t end = text.find_last_not_of("; \t\r\n");
    text.resize(end + 1);
    return MakePlan(Sql{.text = std::move(text), .names = {"__THIS__"}}, {std::move(rows)});
  }

  std::string statement_;
  std::vector<std::shared_ptr<arrow::DataType>> types_;
};

}  // namespace

StageRow SqlTransformerRow() {
  return MakeStageRow<SqlTransformerStage, SqlTransformerOptions>(
      "sql_transformer", "adds columns by SQL: SELECT *, a + b AS c FROM __THIS__");
}

}  // namespace protium
