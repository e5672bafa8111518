// SPDX-License-Identifier: Apache-2.0
#include "local/estimate.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/json.h"
#include "local/database.h"
#include "local/inputs.h"
#include "local/questions.h"
#include "local/sql_reader.h"
#include "os/file.h"

namespace protium {
namespace {

class Estimate : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }

  // A table of `rows` rows.
  Plan Table(const std::string& name, int64_t rows) {
    const std::string path = Path(name + ".csv");
    std::ofstream file(path);
    file << "k,j," << name << "\n";
    for (int64_t i = 0; i < rows; ++i) file << i << ",a,x\n";
    const auto schema =
        arrow::schema({arrow::field("k", arrow::int64()), arrow::field("j", arrow::utf8()),
                       arrow::field(name, arrow::utf8())});
    return MakePlan(Scan{.table = name, .paths = {path}, .schema = schema});
  }

  // How DuckDB would run the SQL over `tables`.
  Json ExplainPlan(const std::string& text, std::vector<std::pair<std::string, int64_t>> tables) {
    Sql sql{.text = text};
    std::vector<Plan> inputs;
    for (const auto& [name, rows] : tables) {
      sql.names.push_back(name);
      inputs.push_back(Table(name, rows));
    }
    Questions questions(connection_);
    const RelationSql written =
        WriteFor(questions, MakePlan(sql, inputs), {}, nullptr).ValueOrDie();
    duck::Answer answer;
    const std::string explain = "EXPLAIN (FORMAT JSON) " + written.text;
    if (duckdb_query(connection_.get(), explain.c_str(), answer.out()) == DuckDBError) {
      ADD_FAILURE() << duckdb_result_error(answer.out());
      return Json::array();
    }
    const duck::Chunk chunk(duckdb_fetch_chunk(*answer.out()));
    const duckdb_vector plans = duckdb_data_chunk_get_vector(chunk.get(), 1);
    auto* const texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(plans));
    return ParseJson({duckdb_string_t_data(&texts[0]), duckdb_string_t_length(texts[0])})
        .ValueOrDie();
  }

  // The rows of the largest table below.
  static int64_t Largest(const Json& node) {
    int64_t most = 0;
    if (node["name"] == "PT_ESTIMATE") {
      most = std::stoll(node["extra_info"]["Estimated Cardinality"].get<std::string>());
    }
    for (const Json& child : node["children"]) most = std::max(most, Largest(child));
    return most;
  }

  static int CountJoins(const Json& node) {
    int joins = node["extra_info"].contains("Join Type") ? 1 : 0;
    for (const Json& child : node["children"]) joins += CountJoins(child);
    return joins;
  }

  // The number of joins that build their hash table from the larger table.
  static int CountWrong(const Json& node) {
    int wrong = 0;
    for (const Json& child : node["children"]) wrong += CountWrong(child);
    const Json& inputs = node["children"];
    if (inputs.size() != 2 || !node["extra_info"].contains("Join Type")) return wrong;
    const bool of_a_table = CountJoins(inputs[1]) == 0;
    return wrong + (of_a_table && Largest(inputs[1]) > Largest(inputs[0]) ? 1 : 0);
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  Database database_{DatabaseOptions{}};
  duck::Connection connection_ = database_.Connect().ValueOrDie();
};

TEST_F(Estimate, JoinsOfFilesBuildTheirTablesFromTheSmallerSide) {
  const std::string texts[] = {
      "SELECT * FROM a LEFT JOIN b ON a.k = b.k",
      "SELECT * FROM b RIGHT JOIN a ON a.k = b.k",
      "SELECT * FROM a JOIN b ON a.k = b.k",
      "SELECT * FROM b JOIN a ON a.k = b.k",
      "SELECT * FROM b LEFT JOIN a ON a.k = b.k",
      "SELECT * FROM a WHERE k IN (SELECT k FROM b)",
      "WITH l AS (SELECT *, lag(k) OVER (PARTITION BY j ORDER BY k) AS p FROM a WHERE j IS NOT "
      "NULL AND k > 0) SELECT * FROM l LEFT JOIN b ON l.k = b.k LEFT JOIN c ON l.j = c.j",
      "SELECT * FROM c LEFT JOIN b ON c.k = b.k JOIN a ON a.j = c.j"};
  for (const std::string& text : texts) {
    const Json plan = ExplainPlan(text, {{"a", 20000}, {"b", 2000}, {"c", 200}});
    EXPECT_GT(CountJoins(plan[0]), 0) << text;
    EXPECT_EQ(CountWrong(plan[0]), 0) << text << "\n" << plan.dump(1);
  }
}

TEST_F(Estimate, IsTakenFromEveryTableHoweverTheyAreOrdered) {
  std::vector<std::pair<std::string, int64_t>> tables = {
      {"a", 10}, {"b", 100}, {"c", 1000}, {"d", 10000}};
  do {
    std::string text = "SELECT * FROM " + tables[0].first;
    for (size_t i = 1; i < tables.size(); ++i) {
      text += " JOIN " + tables[i].first + " USING (k)";
    }
    const Json plan = ExplainPlan(text, tables);
    EXPECT_EQ(CountJoins(plan[0]), 3) << text;
    EXPECT_EQ(CountWrong(plan[0]), 0) << text << "\n" << plan.dump(1);
  } while (std::next_permutation(tables.begin(), tables.end()));
}

TEST_F(Estimate, ComesFromTheFirstLinesAndTheSize) {
  const auto rows = [&](int64_t count) {
    return double(ExpectedRows(std::get<Scan>(Table("t", count)->verb)));
  };
  EXPECT_NEAR(rows(0), 1, 1);
  EXPECT_NEAR(rows(3), 3, 1);
  EXPECT_NEAR(rows(200000), 200000, 40000);
  EXPECT_EQ(ExpectedRows(Scan{.paths = {Path("none.csv")}}), -1);
}

TEST_F(Estimate, ChangesNoAnswer) {
  const Plan t = Table("t", 5000);
  const auto ask = [&](const std::string& text, bool with) {
    SqlContext context{.dialect = &DuckDbDialect()};
    if (with) context.expected_rows = ExpectedRows;
    const RelationSql sql = WriteSql(MakePlan(Sql{text, {"t"}}, {t}), context).ValueOrDie();
    EXPECT_EQ(sql.text.find("pt_estimate") != sql.text.npos, with);
    return duck::AskText(connection_, sql.text).ValueOrDie();
  };
  for (const char* text : {"SELECT CAST(k AS VARCHAR) FROM t LIMIT 1 OFFSET 2500",
                           "SELECT string_agg(k, ' ') FROM t WHERE k % 1000 = 1",
                           "SELECT CAST(count(*) AS VARCHAR) FROM t WHERE j IS NULL"}) {
    EXPECT_EQ(ask(text, true), ask(text, false)) << text;
  }
}

}  // namespace
}  // namespace protium
