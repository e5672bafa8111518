// SPDX-License-Identifier: Apache-2.0
#include "plan/row_steps_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "plan/functions.h"

namespace protium {
namespace {

// Doubles are sent as text, the shortest that reads back as the same bits: JSON has no NaN and
// infinity, and does not distinguish 1.0 from 1.
Json ToJson(const Expr& expr) {
  if (expr.kind == Expr::Kind::kColumn) return {{"column", expr.name}};
  if (expr.kind == Expr::Kind::kLiteral) {
    if (const auto* flag = std::get_if<bool>(&expr.value)) return {{"flag", *flag}};
    if (const auto* whole = std::get_if<int64_t>(&expr.value)) return {{"whole", *whole}};
    if (const auto* text = std::get_if<std::string>(&expr.value)) return {{"text", *text}};
    if (std::holds_alternative<std::monostate>(expr.value)) return {{"null", true}};
    return {{"double", fmt::format("{}", std::get<double>(expr.value))}};
  }
  Json of = Json::array();
  for (const Expr& argument : expr.arguments) of.push_back(ToJson(argument));
  return {{"call", expr.name}, {"of", std::move(of)}};
}

// Exactly one of them is set: a column, a literal (double, text, flag, null or whole), or a call
// with its arguments `of`.
struct ExprText {
  std::optional<std::string> column, number, text, call;
  std::optional<bool> flag, null;
  std::optional<int64_t> whole;
  std::vector<Json> of;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("double", number);
    visit("text", text);
    visit("null", null);
    visit("call", call);
    visit("flag", flag);
    visit("whole", whole);
    visit("of", of);
  }
};

Result<Expr> ExprFromJson(const Json& json) {
  ExprText text;
  PT_TRY(FieldsFromJson(json, "expression", text));
  if (text.column) return Col(*text.column);
  if (text.flag) return Lit(*text.flag);
  if (text.whole) return Lit(*text.whole);
  if (text.text) return Lit(*text.text);
  if (text.null) return Lit(std::monostate());
  if (text.number) {
    double value = 0;
    const char* const end = text.number->data() + text.number->size();
    if (std::from_chars(text.number->data(), end, value).ptr != end) {
      return Fail({.exit = Exit::kBug, .what = "a step holds a malformed number: " + *text.number});
    }
    return Lit(value);
  }
  std::vector<Expr> arguments;
  for (const Json& each : text.of) {
    PT_LET(Expr argument, ExprFromJson(each));
    arguments.push_back(std::move(argument));
  }
  // Checked, although our own driver wrote it: evaluation relies on the number of arguments.
  Expr call = MakeCall(text.call.value_or(""), std::move(arguments));
  PT_TRY(Check(call));
  return call;
}

struct ColumnText {
  std::string name;
  Json expr;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("expr", expr);
  }
};

struct LookupText {
  std::string column, output;
  std::vector<std::string> keys;
  std::optional<int64_t> unseen, missing;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("output", output);
    visit("keys", keys);
    visit("unseen", unseen);
    visit("missing", missing);
  }
};

// A Split or a MarkSplit, which differ in how they use the side.
struct CutText {
  Columns by;
  double part = 0;
  int64_t seed = 0;
  std::optional<bool> keeps_part;     // A Split;
  std::optional<std::string> column;  // otherwise a MarkSplit.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("by", by);
    visit("part", part);
    visit("seed", seed);
    visit("keeps_part", keeps_part);
    visit("column", column);
  }
};

// One step: exactly one member is set.
struct StepText {
  Json filter;
  std::optional<std::vector<ColumnText>> project;
  std::optional<LookupText> lookup;
  std::optional<CutText> cut;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("filter", filter);
    visit("project", project);
    visit("lookup", lookup);
    visit("cut", cut);
  }
};

StepText ToStepText(const Verb& verb) {
  StepText text;
  if (const auto* filter = std::get_if<Filter>(&verb)) {
    text.filter = ToJson(filter->predicate);
  } else if (const auto* project = std::get_if<Project>(&verb)) {
    text.project.emplace();
    for (const NamedExpr& each : project->columns) {
      text.project->push_back({each.name, ToJson(each.expr)});
    }
  } else if (const auto* split = std::get_if<Split>(&verb)) {
    text.cut = {split->by, split->part, split->seed, split->side == Split::Side::kPart, {}};
  } else if (const auto* mark = std::get_if<MarkSplit>(&verb)) {
    text.cut = {mark->by, mark->part, mark->seed, {}, mark->column};
  } else {
    const auto& lookup = std::get<Lookup>(verb);
    const std::vector<std::string> none;
    text.lookup = {lookup.column, lookup.output, lookup.keys == nullptr ? none : *lookup.keys,
                   lookup.unseen, lookup.missing};
  }
  return text;
}

Verb ToVerb(CutText cut) {
  if (cut.column) return MarkSplit{std::move(cut.by), cut.part, cut.seed, *std::move(cut.column)};
  const auto side = cut.keeps_part.value_or(false) ? Split::Side::kPart : Split::Side::kRest;
  return Split{std::move(cut.by), cut.part, cut.seed, side};
}

Result<Verb> ToVerb(StepText text) {
  if (!text.filter.is_null()) {
    PT_LET(Expr predicate, ExprFromJson(text.filter));
    return Filter{std::move(predicate)};
  }
  if (text.project) {
    Project project;
    for (const ColumnText& each : *text.project) {
      PT_LET(Expr expr, ExprFromJson(each.expr));
      project.columns.push_back({each.name, std::move(expr)});
    }
    return project;
  }
  if (text.cut) return ToVerb(*std::move(text.cut));
  if (!text.lookup) return Fail({.exit = Exit::kBug, .what = "a step has no kind"});
  auto keys = std::make_shared<const std::vector<std::string>>(std::move(text.lookup->keys));
  return Lookup{text.lookup->column, text.lookup->output, std::move(keys), text.lookup->unseen,
                text.lookup->missing};
}

}  // namespace

Json StepToJson(const Verb& verb) { return FieldsToJson(ToStepText(verb)); }

Result<Verb> StepFromJson(const Json& json) {
  StepText text;
  PT_TRY(FieldsFromJson(json, "step", text));
  return ToVerb(std::move(text));
}

}  // namespace protium
