// SPDX-License-Identifier: Apache-2.0
// Spark's own page, and hashes of rows, on a real server.
#include <arrow/api.h>

#include "connect/testing/test_real_server.h"
#include "os/file.h"
#include "spark/page/own_page.h"
#include "spark_worker/row_sums.h"

namespace protium {
namespace {

using namespace connect;  // NOLINT: the builders read like the plans they make.

// The server sends no figures for it; its own page has them, if there is one.
TEST_F(RealServer, TellsAWritesOperatorsFromItsOwnPageAlone) {
  const auto folder = *TemporaryFolder::Make();
  std::vector<Json> plans;
  call_.events = [&](const Json& event) {
    if (event["event"] == "engine_plan") plans.push_back(event);
  };
  const auto address = *ParseSparkAddress(std::getenv("PROTIUM_TEST_SPARK"));
  const auto hints = AskPageHints(*session_, address.host, "", call_);
  ASSERT_TRUE(hints.ok()) << hints.status().ToString();
  OwnPage page(*hints);
  page.Begin();
  const auto write = [&](const char* name, TellMore more) {
    return session_->Command(Write(Range(0, 1000, 1), {.path = folder.path() / name}),
                             {.name = "write", .more = std::move(more)}, call_);
  };
  ASSERT_TRUE(write("a", {}).ok());
  EXPECT_TRUE(plans.empty());
  const auto ask = [&](const std::string& operation, bool operators) {
    EXPECT_TRUE(operators);
    return page.Read(operation, operators);
  };
  ASSERT_TRUE(write("b", ask).ok());
  ASSERT_EQ(plans.size(), hints->port > 0 ? 1u : 0u);
  if (plans.empty()) return;
  const Json& operators = plans[0]["operators"];
  EXPECT_TRUE(TextAt(operators[0], "name").starts_with("Execute Insert")) << plans[0];
  EXPECT_EQ(operators[0]["rows"], 1000);
  EXPECT_EQ(operators.back()["name"], "Range");
  EXPECT_EQ(plans[0]["jobs"].size(), 1u);
  EXPECT_EQ(plans[0]["stages"].size(), 1u);
  EXPECT_EQ(plans[0]["executions"].size(), 1u);
}

// Of every type that is hashed, with nulls and the numbers that have two spellings.
constexpr const char* kHashedRows = R"(
  SELECT * FROM VALUES
    (true, 1Y, 2S, 3, 4L, 1.5F, 2.5D, 'text', DATE'2013-01-31', X'0001FF',
     TIMESTAMP_NTZ'2013-01-31 12:34:56.789012'),
    (false, -1Y, -2S, -3, -4L, -0.0F, -0.0D, '', DATE'1900-01-01', X'',
     TIMESTAMP_NTZ'1900-01-01 00:00:00'),
    (true, 1Y, 2S, 3, 4L, 0.0F, 0.0D, 'long enough for all lanes of the hash: äöü', NULL, NULL, NULL),
    (NULL, NULL, NULL, NULL, NULL, float('NaN'), double('-Infinity'), NULL, DATE'9999-12-31', X'00',
     TIMESTAMP_NTZ'9999-12-31 23:59:59')
  AS t(a, b, `c "d`, d, e, f, g, h, i, j, k))";

TEST_F(RealServer, AddsUpHashesOfRowsAsWorkersDo) {
  ASSERT_TRUE(session_->SetConf({{"spark.sql.ansi.doubleQuotedIdentifiers", "true"}}, call_).ok());
  const auto rows = Rows(Sql(kHashedRows));
  ASSERT_NE(rows, nullptr);
  const auto batch = rows->CombineChunksToBatch();
  ASSERT_TRUE(batch.ok());
  for (const auto& field : rows->schema()->fields()) {
    const auto one = arrow::schema({field});
    ExecuteOptions options;
    options.observed = std::make_shared<ObservedMetrics>();
    Rows(Observe(Sql(kHashedRows), "sums", RowSumsInSql(*one)), options);
    const auto found = RowSumsFromJson((*options.observed)["sums"]);
    ASSERT_TRUE(found.ok()) << found.status().ToString();
    EXPECT_EQ(*found,
              SumRows(**(*batch)->SelectColumns({rows->schema()->GetFieldIndex(field->name())})))
        << field->ToString();
  }
  ExecuteOptions options;
  options.observed = std::make_shared<ObservedMetrics>();
  Rows(Observe(Sql(kHashedRows), "sums", RowSumsInSql(*rows->schema())), options);
  EXPECT_EQ(*RowSumsFromJson((*options.observed)["sums"]), SumRows(**batch));
}

}  // namespace
}  // namespace protium
