// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/fault.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

using tree::Call;
using tree::ColumnRef;
using tree::TextConstant;
using tree::WholeConstant;

Json CallOn(const std::string& function, Json arguments) {
  return Call(function, std::move(arguments), Json::object());
}

// The node as a short call: f(a, 'text', 1).
std::string Shown(const Json& node) {
  const tree::View view(node);
  if (view.Is(tree::Kind::kColumn)) return node["column_names"].back().get<std::string>();
  if (const std::string* const text = tree::ConstantText(node)) return "'" + *text + "'";
  if (tree::IsConstant(node)) return Dump(node["value"]["value"]);
  std::string arguments;
  for (size_t i = 0; i < view.num_arguments(); ++i) {
    arguments += (i == 0 ? "" : ", ") + Shown(view.argument(i));
  }
  return view.function() + "(" + arguments + ")";
}

std::string AfterRules(Json node) {
  const Result<bool> applied = ApplyRules(node, RuleTurn::kAfterChildren);
  if (!applied.ok()) return FaultOf(applied.status()).what;
  return (*applied ? "" : "as it was: ") + Shown(node);
}

Json CastTo(const std::string& type, Json child, bool tried = false) {
  Json cast = tree::Cast(std::move(child), SqlType::FromDuck(type), tried);
  return cast;
}

TEST(Rules, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const RuleTurn turn :
       {RuleTurn::kBeforeChildren, RuleTurn::kAfterChildren, RuleTurn::kStatement}) {
    for (const Rule& rule : ListRules(turn))
      EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
  }
}

TEST(Rules, LeaveWhatMeansTheSame) {
  Json node = CallOn("length", Json::array({ColumnRef("a")}));
  const Json before = node;
  EXPECT_FALSE(*ApplyRules(node, RuleTurn::kAfterChildren));
  EXPECT_EQ(node, before);
  Json none = Json::array();
  EXPECT_FALSE(*ApplyRules(none, RuleTurn::kAfterChildren));
}

TEST(Rules, SpellCasts) {
  EXPECT_EQ(AfterRules(CastTo("BIGINT", ColumnRef("a"))), "pt_to_bigint(a)");
  EXPECT_EQ(AfterRules(CastTo("DATE", ColumnRef("a"), true)), "pt_try_date(a)");
  EXPECT_EQ(AfterRules(CastTo("DATE", TextConstant("yesterday"))), "pt_to_date('yesterday')");
  EXPECT_TRUE(AfterRules(CastTo("DATE", TextConstant("2013-07-04"))).starts_with("as it was"));
  EXPECT_TRUE(AfterRules(CastTo("INTERVAL", ColumnRef("a"))).starts_with("as it was"));
}

TEST(Rules, LeaveOnlyThoseTimesToDuckDbThatItReadsAlike) {
  for (const char* const alike : {"2013-02-28 10:11:12", "2013-02-28 23:59:59.123456"}) {
    EXPECT_TRUE(AfterRules(CastTo("TIMESTAMP", TextConstant(alike))).starts_with("as it was"))
        << alike;
  }
  for (const char* const other :
       {"2013-02-28 10:11:12-05:00", "2013-02-28 24:00:00", "2013-02-29 10:11:12",
        "2013-02-28 10:11:12.1234567", "2013-02-28 10:11:12.", "2013-00-28 10:11:12"}) {
    EXPECT_EQ(AfterRules(CastTo("TIMESTAMP", TextConstant(other))),
              "pt_to_timestamp('" + std::string(other) + "')");
  }
  EXPECT_EQ(AfterRules(CastTo("TIMESTAMP_S", TextConstant("2013-02-28 10:11:12"))),
            "pt_to_local_timestamp('2013-02-28 10:11:12')");
}

TEST(Rules, SpellCalls) {
  const auto a = ColumnRef("a"), b = ColumnRef("b");
  EXPECT_EQ(AfterRules(CallOn("INT", Json::array({a}))), "pt_to_integer(a)");
  EXPECT_EQ(AfterRules(CallOn("count", Json::array({a, b}))), "count(pt_all(a, b))");
  EXPECT_EQ(AfterRules(CallOn("count", Json::array({a}))), "as it was: count(a)");
  EXPECT_EQ(AfterRules(CallOn("exists", Json::array({a, b}))), "pt_any_true(list_transform(a, b))");
  EXPECT_EQ(AfterRules(CallOn("reduce", Json::array({a, b, a}))), "list_reduce(a, a, b)");
  EXPECT_EQ(AfterRules(CallOn("date_part", Json::array({TextConstant("DOW"), a}))), "dayofweek(a)");
  EXPECT_EQ(AfterRules(CallOn("date_part", Json::array({TextConstant("MINS"), a}))),
            "date_part('minute', a)");
  EXPECT_EQ(AfterRules(CallOn("~~", Json::array({a, b}))), "pt_like(a, b, '\\')");
  EXPECT_EQ(AfterRules(CallOn("~~", Json::array({a, TextConstant("x%")}))),
            "as it was: ~~(a, 'x%')");
}

Json LambdaOf(const std::vector<std::string>& names, Json body) {
  Json lambda = tree::Lambda(names[0], std::move(body));
  Json columns = Json::array();
  for (const std::string& name : names) columns.push_back(ColumnRef(name));
  lambda["lhs"] = tree::Call("row", std::move(columns), Json::object());
  return lambda;
}

TEST(Rules, MakeOneParameterOfSeveral) {
  Json zip =
      CallOn("zip_with",
             Json::array({ColumnRef("a"), ColumnRef("b"), LambdaOf({"x", "y"}, ColumnRef("y"))}));
  ASSERT_TRUE(*ApplyRules(zip, RuleTurn::kAfterChildren));
  const tree::View made(zip);
  EXPECT_TRUE(made.Calls("list_transform"));
  EXPECT_EQ(Shown(made.argument(0)), "pt_zip(a, b)");
  EXPECT_EQ(Shown(made.argument(1)["expr"]), "struct_extract(pt_x_y, 'pt_second')");
  EXPECT_EQ(AfterRules(CallOn("zip_with", Json::array({ColumnRef("a"), ColumnRef("b")}))),
            "zip_with() has other arguments than Spark's");
}

TEST(Rules, LeaveTheParametersOfLambdasWithin) {
  Json body = CallOn("f", Json::array({ColumnRef("x"), LambdaOf({"x", "z"}, ColumnRef("x"))}));
  tree::ReplaceColumn(body, "x", ColumnRef("p"));
  EXPECT_EQ(Shown(body["children"][0]), "p");
  EXPECT_EQ(Shown(body["children"][1]["expr"]), "x");
}

TEST(Rules, RefuseWhatCannotBeSpelt) {
  const auto a = ColumnRef("a");
  EXPECT_EQ(AfterRules(CallOn("to_date", Json::array({a, TextConstant("yyyy-MM-dd")}))),
            "pt_parse_date(a, 'yyyy-MM-dd')");
  EXPECT_EQ(AfterRules(CallOn("to_date", Json::array({a, TextConstant("GGGG")}))),
            "to_date is not the same on every engine for the pattern 'GGGG'");
  EXPECT_EQ(AfterRules(CallOn("named_struct", Json::array({a, a}))),
            "a name in named_struct is not a literal");
  EXPECT_EQ(AfterRules(CallOn("decimal", Json::array({a, a}))),
            "decimal() is a cast of one value, and has 2");
  EXPECT_EQ(AfterRules(CallOn("bigint", Json::array())),
            "bigint() is a cast of one value, and has 0");
  EXPECT_EQ(AfterRules(CallOn("trim", Json::array({a, a}))),
            "the order of the arguments of \"trim\" is ambiguous");
}

TEST(Rules, TakeArgumentsOfTrimByTheirPlaces) {
  Json letters = TextConstant("x"), text = ColumnRef("a");
  letters["query_location"] = uint64_t{5};
  text["query_location"] = uint64_t{9};
  EXPECT_EQ(AfterRules(CallOn("trim", Json::array({letters, text}))), "trim(a, 'x')");
  EXPECT_EQ(AfterRules(CallOn("trim", Json::array({text, letters}))), "as it was: trim(a, 'x')");
}

TEST(Rules, ReadNamesOfTheSelectInOrderBy) {
  Json column = WholeConstant(7);
  column["alias"] = "n";
  Json select = tree::SelectFrom(Json::array({column}), Json::object(), "t", Json::array());
  const auto order = [&](Json by) {
    select["modifiers"] = Json::array(
        {{{"type", "ORDER_MODIFIER"}, {"orders", Json::array({{{"expression", std::move(by)}}})}}});
    const bool changed = *ApplyRules(select, RuleTurn::kBeforeChildren);
    return (changed ? "" : "as it was: ") +
           Shown(select["modifiers"][0]["orders"][0]["expression"]);
  };
  EXPECT_EQ(order(CallOn("abs", Json::array({ColumnRef("N")}))), "abs(7)");
  EXPECT_EQ(order(ColumnRef("n")), "as it was: n");
}

TEST(Rules, NameAndTypeTheColumnsOfASelect) {
  Json select = tree::SelectFrom(Json::array({ColumnRef("Day"), tree::NullConstant()}),
                                 Json::object(), "t", Json::array());
  EXPECT_TRUE(*ApplyRules(select, RuleTurn::kAfterChildren));
  EXPECT_EQ(tree::Text(select["select_list"][0], "alias"), "Day");
  EXPECT_TRUE(*ApplyRules(select, RuleTurn::kStatement));
  EXPECT_EQ(tree::View(select["select_list"][1]).function(), "pt_to_text");
  EXPECT_FALSE(*ApplyRules(select, RuleTurn::kStatement));
}

}  // namespace
}  // namespace protium
