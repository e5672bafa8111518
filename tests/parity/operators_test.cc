// SPDX-License-Identifier: Apache-2.0
// On every engine, all pairs and triples of operators are grouped by Spark's precedence.
#include "operators.h"

#include <arrow/type.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "base/json.h"
#include "engines.h"
#include "local/database.h"
#include "sql/dialect.h"
#include "sql_text/spark_text.h"

namespace protium {
namespace {

void Forget(Json& node) {
  if (node.is_object()) node.erase("query_location");
  if (!node.is_structured()) return;
  for (Json& child : node) Forget(child);
}

// DuckDB's parse tree of a list of expressions, or of the text that DuckDB writes for it.
Json ParseTrees(const duck::Connection& connection, const std::string& list, bool written = false) {
  const auto text = FromSpark("SELECT " + list);
  if (!text.ok()) return FaultOf(text.status()).what;
  std::string tree_of = "json_serialize_sql(" + QuoteText(text->text, DuckDbDialect()) + ")";
  if (written) tree_of = "json_serialize_sql(json_deserialize_sql(" + tree_of + "))";
  const auto parsed = duck::AskText(connection, "SELECT " + tree_of);
  Json tree = Json::parse(parsed.ValueOr("{}"), nullptr, /*allow_exceptions=*/false);
  if (tree.value("error", true)) return tree;
  Json trees = tree["statements"][0]["node"]["select_list"];
  Forget(trees);
  return trees;
}

class OperatorText : public testing::TestWithParam<size_t> {
 protected:
  void Compare(const std::vector<Precedence>& some) {
    std::string flat, grouped;
    for (const Precedence& each : some) {
      flat += (flat.empty() ? "" : ", ") + each.text;
      grouped += (grouped.empty() ? "" : ", ") + *each.grouped;
    }
    const Json read = ParseTrees(connection_, flat), wanted = ParseTrees(connection_, grouped);
    const bool kept = ParseTrees(connection_, flat, /*written=*/true) == wanted;
    if (read == wanted && kept && read.is_array() && read.size() == some.size()) return;
    if (some.size() == 1) {
      ADD_FAILURE() << flat << "\nis not " << grouped << "\n" << read << "\n" << wanted;
      return;
    }
    for (const Precedence& each : some) {
      Compare({each});
      if (HasFailure()) return;
    }
  }

  Database database_{DatabaseOptions{}};
  duck::Connection connection_ = database_.Connect().ValueOrDie();
};

TEST_P(OperatorText, AreReadAsSparkReadsThem) {
  std::vector<Precedence> some;
  size_t read = 0, refused = 0;
  for (Precedence& each : AllOperators(GetParam())) {
    if (!each.grouped) {
      EXPECT_FALSE(FromSpark("SELECT " + each.text).ok()) << each.text;
      ++refused;
      continue;
    }
    some.push_back(std::move(each));
    ++read;
    if (some.size() < 64) continue;
    Compare(some);
    if (HasFailure()) return;
    some.clear();
  }
  if (!some.empty()) Compare(some);
  EXPECT_GT(read, refused);
}

INSTANTIATE_TEST_SUITE_P(Of, OperatorText, testing::Values(1, 2, 3));

// The column name of an expression on an engine that answers in Spark's way: the expression with
// all its parentheses; or the reason why it has none.
std::string NameOn(Engine& engine, const std::string& expression) {
  const std::string text =
      "SELECT " + expression + " FROM (SELECT NULL AS a, NULL AS b, NULL AS c, NULL AS d) AS t";
  const auto schema = engine.Analyze(MakePlan(Sql{text, {}}), {});
  if (schema.ok()) return (*schema)->field(0)->name();
  const std::string what = FaultOf(schema.status()).what;
  return "[none] " + what.substr(0, what.find("SQLSTATE"));
}

// Every pair, and every 97th triple; not those with only OR, whose trees Spark balances.
TEST(OperatorsOnSpark, AreReadAsWrittenDown) {
  std::vector<Precedence> asked = AllOperators(2);
  const std::vector<Precedence> triples = AllOperators(3);
  for (size_t i = 48; i < triples.size(); i += 97) asked.push_back(triples[i]);
  size_t spark = 0;
  for (const std::string& address : EngineAddresses()) {
    if (!address.starts_with("sc://")) continue;
    const auto engine = EngineAt(address);
    ASSERT_TRUE(engine.ok()) << engine.status();
    ++spark;
    for (const Precedence& each : asked) {
      const std::string name = NameOn(**engine, each.text);
      if (each.grouped) {
        EXPECT_EQ(name, NameOn(**engine, *each.grouped)) << each.text;
      } else {
        EXPECT_NE(name.find('['), std::string::npos) << each.text << " is " << name;
      }
      if (HasFailure()) return;
    }
  }
  if (spark == 0) GTEST_SKIP() << "no Spark server: PROTIUM_ENGINES names none";
}

}  // namespace
}  // namespace protium
