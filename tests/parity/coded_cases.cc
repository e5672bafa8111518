// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

namespace protium {
namespace {

Expr Is(const std::string& function, Expr argument) {
  return MakeCall(function, {std::move(argument)});
}

Plan MakeFilter(const Tables& tables) {
  const Expr either = Col("i") > Lit(int64_t{0}) || Col("x") < Lit(int64_t{0});
  return MakePlan(Filter{either && !(Col("name") == Lit("B"))}, {tables["numbers"]});
}

Plan FilterOnNan(const Tables& tables) {
  return MakePlan(Filter{Col("x") >= Lit(0.5)}, {tables["numbers"]});
}

Plan MakeProject(const Tables& tables) {
  return MakePlan(Project{{{"id", Col("id")},
                           {"sum", Col("i") + Col("j")},
                           {"less", Col("i") - Lit(int64_t{1})},
                           {"twice", Col("x") * Lit(2.0)},
                           {"ratio", Col("i") / Col("j")},
                           {"negated", Is("negate", Col("i"))},
                           {"same", Col("i") == Col("j")},
                           {"other", Col("i") != Lit(int64_t{7})},
                           {"most", Col("x") <= Col("y")},
                           {"none", Is("is_null", Col("name"))},
                           {"some", Is("is_not_null", Col("name"))}}},
                  {tables["numbers"]});
}

Plan ProjectFunctions(const Tables& tables) {
  const Expr sign = MakeCall("if", {Col("i") > Lit(int64_t{0}), Lit("plus"), Lit("other")});
  return MakePlan(Project{{{"id", Col("id")},
                           {"nan", Is("is_nan", Col("x"))},
                           {"no_nan", Is("nan_to_null", Col("x"))},
                           {"filled", MakeCall("coalesce", {Col("i"), Col("j"), Lit(int64_t{0})})},
                           {"most", MakeCall("greatest", {Col("x"), Col("y")})},
                           {"fewest", MakeCall("least", {Col("x"), Col("y")})},
                           {"sign", sign},
                           {"size", Is("abs", Col("i"))},
                           {"root", Is("sqrt", Col("x"))},
                           {"low", Is("lower", Col("name"))},
                           {"up", Is("upper", Col("name"))},
                           {"n", Is("length", Col("name"))}}},
                  {tables["numbers"]});
}

Plan ProjectLogarithms(const Tables& tables) {
  const auto modulo = [](int64_t n) { return MakeCall("pmod", {Col("i"), Lit(n)}); };
  return MakePlan(Project{{{"id", Col("id")},
                           {"l", Is("ln", Col("x"))},
                           {"p", Is("log1p", Col("x"))},
                           {"q", Is("log1p", Col("y"))},
                           {"e", Is("expm1", Col("x"))},
                           {"f", Is("expm1", Col("y"))},
                           {"m", modulo(7)},
                           {"h", MakeCall("hash_text", {Col("name"), Is("cast_string", Col("i"))})},
                           {"k", MakeCall("pick", {modulo(4), Lit(0.5), Lit(1.5), Lit(2.5)})}}},
                  {tables["numbers"]});
}

// Lists, converted to text.
Plan ProjectWords(const Tables& tables) {
  const auto call = [](const char* function, Expr list, Literal second) {
    return MakeCall(function, {std::move(list), Lit(std::move(second))});
  };
  const Expr words = call("split", Is("lower", Col("text")), std::string("[\\s,;]"));
  const Expr letters = call("extract_all", Col("text"), std::string("[a-z]"));
  const Plan lists = MakePlan(
      Project{{{"id", Col("id")},
               {"words", words},
               {"kept", call("keep_long", words, int64_t{3})},
               {"letters", letters},
               {"pairs", call("n_grams", letters, int64_t{2})},
               {"without", MakeCall("leave_out", {letters, Lit("a"), Lit("t")})},
               {"bare", MakeCall("leave_out_any_case",
                                 {call("split", Col("text"), std::string(" ")), Lit("upper")})},
               {"after_first", MakeCall("element", {letters, Lit(int64_t{1})})},
               {"joined", MakeCall("join_text", {Col("text"), Col("other")})}}},
      {tables["words"]});
  return MakePlan(
      Sql{"SELECT id, array_join(words, '|') AS w, size(words) AS n, "
          "array_join(kept, '|') AS k, size(letters) AS l, array_join(pairs, '|') AS p, "
          "array_join(without, '|') AS o, array_join(bare, '|') AS b, after_first, joined FROM t",
          {"t"}},
      {lists});
}

Plan ProjectTimeParts(const Tables& tables) {
  return MakePlan(Project{{{"id", Col("id")},
                           {"q", Is("quarter", Col("day"))},
                           {"w", Is("week_of_year", Col("day"))},
                           {"y", Is("day_of_year", Col("day"))},
                           {"d", Is("day_of_week", Col("day"))},
                           {"h", Is("hour", Col("day"))},
                           {"t", Is("hour", Col("at"))},
                           {"m", Is("minute", Col("at"))},
                           {"s", Is("second", Col("at"))},
                           {"a", Is("day_of_week", Col("at"))},
                           {"u", Is("unix_time", Col("day"))},
                           {"v", Is("unix_time", Col("at"))}}},
                  {tables["days"]});
}

Plan ProjectCasts(const Tables& tables) {
  return MakePlan(Project{{{"id", Col("id")},
                           {"one", Is("cast_int64", Col("flag"))},
                           {"whole", Is("cast_int64", Col("number"))},
                           {"number", Is("cast_double", Col("whole"))},
                           {"single", Is("cast_float", Col("number"))},
                           {"text", Is("cast_string", Col("whole"))},
                           {"truth", Is("cast_bool", Col("whole"))},
                           {"down", Is("floor", Col("number"))},
                           {"up", Is("ceil", Col("number"))},
                           {"y", Is("year", Col("day"))},
                           {"m", Is("month", Col("day"))},
                           {"d", Is("day", Col("day"))}}},
                  {tables["cells"]});
}

Plan CastTextWithSpaces(const Tables& tables) {
  const Plan few = MakePlan(Filter{Col("id") <= Lit(int64_t{2})}, {tables["cells"]});
  return MakePlan(Project{{{"id", Col("id")},
                           {"whole", Is("cast_int64", Col("text"))},
                           {"number", Is("cast_double", Col("text"))}}},
                  {few});
}

Plan CastBadText(const Tables& tables) {
  const Plan one = MakePlan(Filter{Col("id") == Lit(int64_t{4})}, {tables["cells"]});
  return MakePlan(Project{{{"whole", Is("cast_int64", Col("text"))}}}, {one});
}

Plan DivideByZero(const Tables& tables) {
  const Plan one = MakePlan(Filter{Col("id") == Lit(int64_t{1})}, {tables["numbers"]});
  return MakePlan(Project{{{"ratio", Col("i") / (Col("j") - Col("j"))}}}, {one});
}

Plan AddOverflow(const Tables& tables) {
  return MakePlan(Project{{{"more", Col("whole") + Lit(int64_t{1})}}}, {tables["kinds"]});
}

std::shared_ptr<const std::vector<std::string>> Keys(std::vector<std::string> keys) {
  return std::make_shared<const std::vector<std::string>>(std::move(keys));
}

Plan MakeLookup(const Tables& tables) {
  return MakePlan(Lookup{"name", "code", Keys({"b", "a"}), 2, -1}, {tables["numbers"]});
}

Plan LookupOfNumbers(const Tables& tables) {
  return MakePlan(Lookup{"i", "code", Keys({"7", "-7"}), {}, {}}, {tables["numbers"]});
}

Plan LookupWithoutKeys(const Tables& tables) {
  return MakePlan(Lookup{"place", "code", Keys({}), 5, 9}, {tables["visits"]});
}

MakeCase MakeSplit(Split::Side side) {
  return [side](const Tables& tables) {
    return MakePlan(Split{{"year", "month", "day"}, 0.5, 7, side}, {tables["flights"]});
  };
}

Plan MarkSplitWithNulls(const Tables& tables) {
  return MakePlan(MarkSplit{{"text", "other"}, 0.25, -3, "held"}, {tables["words"]});
}

Plan MarkSplitByEveryType(const Tables& tables) {
  const Plan marked =
      MakePlan(MarkSplit{{"flag", "whole", "day", "at"}, 0.5, 1, "held"}, {tables["kinds"]});
  return MakePlan(Project{{{"id", Col("id")}, {"held", Col("held")}}}, {marked});
}

Plan MakeLimit(const Tables& tables) {
  const Sql sorted{"SELECT id, i FROM numbers ORDER BY i DESC, id", {"numbers"}};
  return MakePlan(Limit{3}, {MakePlan(sorted, {tables["numbers"]})});
}

Plan MakeMaterialize(const Tables& tables) {
  const Plan kept = MakePlan(Materialize{"visits"}, {tables["visits"]});
  const Sql pairs{
      "SELECT a.person, count(*) AS pairs FROM a JOIN b ON a.person = b.person "
      "GROUP BY a.person",
      {"a", "b"}};
  return MakePlan(pairs, {kept, kept});
}

Plan SqlOverVerbs(const Tables& tables) {
  const Plan some = MakePlan(Filter{Col("i") > Lit(int64_t{0})}, {tables["numbers"]});
  const Plan names =
      MakePlan(Project{{{"person", Col("person")}, {"name", Col("name")}}}, {tables["people"]});
  return MakePlan(Sql{"SELECT n.id, p.name FROM n LEFT JOIN p ON p.person = n.id", {"n", "p"}},
                  {some, names});
}

}  // namespace

const std::map<std::string, MakeCase>& CodedCases() {
  static const std::map<std::string, MakeCase> cases = {
      {"verb_filter", MakeFilter},
      {"verb_filter_on_nan", FilterOnNan},
      {"verb_project", MakeProject},
      {"verb_project_functions", ProjectFunctions},
      {"verb_project_casts", ProjectCasts},
      {"verb_project_logarithms", ProjectLogarithms},
      {"verb_project_time_parts", ProjectTimeParts},
      {"verb_project_words", ProjectWords},
      {"verb_cast_text_with_spaces", CastTextWithSpaces},
      {"verb_cast_bad_text", CastBadText},
      {"verb_divide_by_zero", DivideByZero},
      {"verb_add_overflow", AddOverflow},
      {"verb_lookup", MakeLookup},
      {"verb_lookup_of_numbers", LookupOfNumbers},
      {"verb_lookup_without_keys", LookupWithoutKeys},
      {"verb_split_rest", MakeSplit(Split::Side::kRest)},
      {"verb_split_part", MakeSplit(Split::Side::kPart)},
      {"verb_mark_split_with_nulls", MarkSplitWithNulls},
      {"verb_mark_split_by_every_type", MarkSplitByEveryType},
      {"verb_limit", MakeLimit},
      {"verb_materialize", MakeMaterialize},
      {"verb_sql_over_verbs", SqlOverVerbs},
  };
  return cases;
}

}  // namespace protium
