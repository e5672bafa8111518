// SPDX-License-Identifier: Apache-2.0
// Every kind of stage over unusual values gives the same bits in this process and by the engine.
#include "protium/stages.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/json.h"
#include "frame/session_state.h"
#include "inference/testing/own_session_test.h"
#include "protium/scorer.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Rows to learn from, and rows to score, in which every column takes all its unusual values; the
// columns repeat with different periods, so the values are combined in many ways.
constexpr const char* kTame = R"(
  SELECT i, CAST(i AS DOUBLE) * 1.375D - 20 AS x, CAST(i * i % 17 AS DOUBLE) AS y, CAST(i % 5 AS DOUBLE) + 0.5D AS p,
    CAST(i AS FLOAT) / 3 AS f, CAST(i AS DECIMAL(9, 3)) / 7 AS c, CAST(i % 9 AS INT) AS n,
    CAST(i * 1000003 AS BIGINT) AS w, i % 3 = 0 AS b,
    element_at(array('north', 'été', '日本', '', 'N'), i % 5 + 1) AS s,
    date_add(DATE '2024-01-01', CAST(i AS INT)) AS d, TIMESTAMP '2024-01-01 00:00:00' AS t
  FROM (SELECT explode(sequence(1, 60)) AS i))";
constexpr const char* kOdd = R"(
  SELECT i,
    element_at(array(NULL, DOUBLE('NaN'), -0.0D, 0.0D, DOUBLE('Infinity'), DOUBLE('-Infinity'), 4.9e-324D, -1.7e308D,
                     1e300D, -1e-300D, 0.1D, -1.0D, 9007199254740993D), i % 13 + 1) AS x,
    element_at(array(1.0D, NULL, DOUBLE('NaN'), -0.0D, DOUBLE('-Infinity'), 3.0D, 1e200D), i % 7 + 1) AS y,
    element_at(array(0.5D, -1.0D, 0.0D, NULL, 1e-8D), i % 5 + 1) AS p,
    element_at(array(NULL, FLOAT('NaN'), FLOAT('-0.0'), FLOAT('0.1'), FLOAT('Infinity'), FLOAT('16777217')), i % 6 + 1) AS f,
    element_at(array(NULL, CAST('-99999.999' AS DECIMAL(9, 3)), CAST('0.001' AS DECIMAL(9, 3)),
                     CAST('0.1' AS DECIMAL(9, 3))), i % 4 + 1) AS c,
    element_at(array(NULL, 0, -2147483648, 2147483647, 7), i % 5 + 1) AS n,
    element_at(array(NULL, 0L, 9223372036854775807L, -9223372036854775807L, 9007199254740993L, 2000006L), i % 6 + 1) AS w,
    element_at(array(NULL, true, false), i % 3 + 1) AS b,
    element_at(array(NULL, '', 'été', 'e', '日本', 'north', concat('a', chr(31), 'b'), 'ÉTÉ', '😀'), i % 9 + 1) AS s,
    element_at(array(NULL, DATE '1970-01-01', DATE '1969-12-31', DATE '0001-01-01', DATE '9999-12-31',
                     DATE '2024-02-29', DATE '2020-12-31', DATE '2021-01-03', DATE '1900-02-28', DATE '1582-10-10'),
               i % 10 + 1) AS d,
    element_at(array(NULL, TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMP '1970-01-01 00:00:00',
                     TIMESTAMP '0001-01-01 00:00:00.000001', TIMESTAMP '9999-12-31 23:59:59.999999',
                     TIMESTAMP '2024-02-29 12:34:56', TIMESTAMP '1905-06-07 08:09:10.5'), i % 7 + 1) AS t
  FROM (SELECT explode(sequence(1, 200)) AS i))";

class Stages : public OwnSession {
 protected:
  // `inputs` has the form used in options.
  void Add(const char* kind, Json inputs, Json options = Json::object()) {
    options["id"] = "s" + std::to_string(stages_.size());
    options["inputs"] = std::move(inputs);
    stages_.push_back({.kind = kind, .options = std::move(options)});
  }
  // Adds a stage whose inputs are the outputs of `stage`.
  void AddBehind(size_t stage, const char* kind, Json options = Json::object()) {
    const Json outputs = {{"stage", "s" + std::to_string(stage)}};
    Add(kind, Json::array({outputs}), std::move(options));
  }

  PipelineModel Fitted() {
    auto model = Pipeline(stages_).Fit(session_->Sql(kTame));
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }

  // Expects the bits of the engine in each column that the stages make of the unusual rows, for all
  // rows at once and row by row.
  void ExpectSame() {
    const PipelineModel model = Fitted();
    const auto scorer = Scorer::Make(model);
    ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
    const auto stream = model.Transform(session_->Sql(kOdd)).Stream();
    ASSERT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    int64_t rows = 0;
    while (true) {
      const auto next = (*stream)->Next();
      ASSERT_TRUE(next.ok()) << Render(FaultOf(next.status()));
      const auto batch = *next;
      if (batch == nullptr) break;
      arrow::ArrayVector given;
      for (const auto& field : scorer->input()->fields()) {
        given.push_back(batch->GetColumnByName(field->name()));
      }
      const auto mine = arrow::RecordBatch::Make(scorer->input(), batch->num_rows(), given);
      Compare(*scorer, *mine, *batch, 0);
      for (int64_t i = 0; i < 60; ++i) Compare(*scorer, *mine->Slice(i, 1), *batch, i);
      rows += batch->num_rows();
    }
    EXPECT_EQ(rows, 200);
  }

  static void Compare(const Scorer& scorer, const arrow::RecordBatch& some,
                      const arrow::RecordBatch& by_engine, int64_t at) {
    const auto scored = scorer.Score(some);
    ASSERT_TRUE(scored.ok()) << Render(FaultOf(scored.status()));
    const auto exactly = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
    for (const auto& field : scorer.output()->fields()) {
      const auto wanted = by_engine.GetColumnByName(field->name())->Slice(at, some.num_rows());
      const auto made = (*scored)->GetColumnByName(field->name());
      ASSERT_TRUE(made->Equals(*wanted, exactly))
          << field->name() << " from row " << at << ":\n"
          << some.ToString() << made->ToString() << "\nbut the engine\n"
          << wanted->ToString();
    }
  }

  std::vector<StageOptions> stages_;
};

TEST_F(Stages, OfNumbersGiveTheBitsOfTheEngine) {
  const Columns numbers = {"x", "y", "p", "f", "c", "n", "w", "b"};
  for (const char* with : {"median", "mean", "mode", "constant"}) {
    Add("imputer", numbers, {{"with", with}, {"indicator", true}});
  }
  for (const char* kind : {"standard_scaler", "min_max_scaler", "max_abs_scaler", "robust_scaler",
                           "quantile_scaler"}) {
    Add(kind, numbers);
  }
  Add("min_max_scaler", numbers, {{"clip", true}});
  for (const char* norm : {"l2", "l1", "max"}) {
    Add("normalizer", {"x", "y", "n"}, {{"norm", norm}});
    Add("normalizer", {"x"}, {{"norm", norm}});
  }
  Add("clip", numbers, {{"low", -1}, {"high", 2.5}});
  for (const char* how : {"log1p", "ln", "log2", "log10", "signed_log1p", "expm1"}) {
    Add("log_transform", numbers, {{"how", how}});
  }
  for (const char* how : {"yeo_johnson", "box_cox", "sqrt", "square"}) {
    Add("power_transform", numbers, {{"how", how}, {"lambda", 0.5}});
  }
  Add("binarizer", numbers, {{"threshold", 0.5}});
  Add("polynomial_expansion", {"x", "y", "n"}, {{"degree", 3}});
  Add("variance_threshold_selector", numbers);
  ExpectSame();
}

TEST_F(Stages, OfBucketsAndCyclesGiveTheBitsOfTheEngine) {
  const Columns numbers = {"x", "y", "p", "f", "c", "n", "w", "b"};
  for (const char* strange : {"keep", "null"}) {
    Add("bucketizer", numbers,
        {{"splits", {-1, 0, 0.1, 2}}, {"nan", strange}, {"missing", strange}});
    Add("quantile_discretizer", numbers, {{"nan", strange}, {"missing", strange}});
  }
  Add("cyclic_encoder", numbers, {{"period", 7}, {"start", 0.25}});
  Add("datetime_parts", {"d", "t"},
      {{"parts",
        {"year", "quarter", "month", "week_of_year", "day", "day_of_year", "day_of_week", "weekend",
         "hour", "minute", "second", "unix_time"}}});
  Add("holidays", {"d", "t"},
      {{"countries", {"DE", "US"}}, {"dates", {"2024-02-29", "2013-12-31"}}});
  AddBehind(5, "cyclic_encoder", {{"period", 12}});
  ExpectSame();
}

TEST_F(Stages, OfCategoriesGiveTheBitsOfTheEngine) {
  const Columns categories = {"s", "n", "w", "b"};
  Add("string_indexer", categories);
  Add("string_indexer", categories, {{"unseen", "null"}, {"missing", "null"}});
  Add("one_hot_encoder", {"s", "n", "b"}, {{"unseen", "other"}, {"missing", "own_column"}});
  Add("one_hot_encoder", {"s", "n", "b"}, {{"max_categories", 3}, {"drop_first", true}});
  for (const char* how : {"share", "count"}) Add("frequency_encoder", categories, {{"how", how}});
  Add("target_encoder", categories, {{"label", "y"}});
  for (const char* missing : {"own_index", "null"}) {
    Add("hasher", categories, {{"buckets", 97}, {"missing", missing}});
    Add("hashed_cross", categories, {{"buckets", 1009}, {"missing", missing}});
  }
  Add("imputer", {"x", "p"}, {{"by", {"s", "b"}}});
  ExpectSame();
}

TEST_F(Stages, OfListsGiveTheBitsOfTheEngine) {
  Add("vector_assembler", {"x", "n", "c", "b"}, {{"invalid", "keep"}});
  Add("vector_assembler", {"y", "w"}, {{"invalid", "null"}});
  AddBehind(0, "vector_columns");
  AddBehind(1, "vector_columns");
  AddBehind(2, "imputer", {{"with", "constant"}, {"value", 1}});
  AddBehind(4, "vector_assembler");
  AddBehind(5, "pca", {{"k", 3}, {"center", true}});
  AddBehind(6, "vector_columns");
  ExpectSame();
}

// Rows that a stage refuses are refused here with the engine's message.
TEST_F(Stages, RefuseRowsAsTheEngineDoes) {
  const std::pair<const char*, Json> refusing[] = {
      {"string_indexer", {{"inputs", {"s"}}, {"unseen", "error"}, {"missing", "error"}}},
      {"one_hot_encoder", {{"inputs", {"s"}}, {"unseen", "error"}}},
      {"hasher", {{"inputs", {"s"}}, {"missing", "error"}}},
      {"hashed_cross", {{"inputs", {"s", "b"}}, {"missing", "error"}}},
      {"bucketizer", {{"inputs", {"y"}}, {"splits", {0, 1}}}},
      {"bucketizer", {{"inputs", {"n"}}, {"splits", {0, 9}}, {"ends", "closed"}, {"nan", "keep"}}},
      {"quantile_discretizer", {{"inputs", {"p"}}, {"missing", "error"}}}};
  for (const auto& [kind, options] : refusing) {
    stages_ = {{.kind = kind, .options = options}};
    const PipelineModel model = Fitted();
    const auto scorer = Scorer::Make(model);
    ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
    const DataFrame odd = session_->Sql(kOdd);
    const auto batches = odd.Stream();
    ASSERT_TRUE(batches.ok());
    const auto batch = *(*batches)->Next();
    const auto here = scorer->Score(*batch);
    const auto there = model.Transform(odd).Stream();
    const Status by_engine = there.ok() ? (*there)->Next().status() : there.status();
    EXPECT_EQ(FaultOf(here.status()).what, FaultOf(by_engine).what) << kind;
    EXPECT_EQ(FaultOf(here.status()).exit, Exit::kInput);
  }
}

TEST_F(Stages, OfWordsGiveTheBitsOfTheEngine) {
  Add("tokenizer", {"s"}, {{"pattern", "[^\\p{L}]*"}, {"min_length", 1}});
  AddBehind(0, "stop_words_remover", {{"words", {"n", "日"}}});
  AddBehind(1, "n_gram");
  AddBehind(1, "count_vectorizer", {{"vocab_size", 7}});
  AddBehind(2, "hashing_tf", {{"num_features", 9}});
  AddBehind(3, "tf_idf");
  AddBehind(0, "text_indexer", {{"length", 3}});
  AddBehind(5, "vector_columns");
  AddBehind(7, "standard_scaler");
  ExpectSame();
}

TEST_F(Stages, OfSqlGiveTheBitsOfTheEngine) {
  Add("imputer", {"x"});
  // Decimals, which are doubles outside the engine, and texts of doubles exist only in the engine.
  Add("sql_transformer", {"x__s0", "c", "n", "s"},
      {{"statement",
        "SELECT *, CAST(x__s0 AS STRING) AS shown, CAST(n AS DECIMAL(12, 2)) / 7 AS part, upper(s) "
        "AS high, CAST(n AS BIGINT) % 5 AS rest FROM __THIS__"}});
  Add("sql_transformer", {"part", "high"},
      {{"statement", "SELECT *, part / 3 AS less, length(high) AS letters FROM __THIS__"}});
  Add("standard_scaler", {"less", "letters", "rest"});
  Add("string_indexer", {"shown", "high"});
  ExpectSame();
}

// The engine itself then refuses a row, and still works for the next call.
TEST_F(Stages, OfSqlMayRefuseRows) {
  Add("sql_transformer", {"n"}, {{"statement", "SELECT *, 1 / (n - 7) AS turned FROM __THIS__"}});
  auto scorer = Scorer::Make(Fitted());
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  session_.reset();  // It is needed no longer.
  const Fault fault = FaultOf(scorer->ScoreJson(R"({"n": 7})").status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, HasSubstr("ivision by zero"));
  EXPECT_EQ(*scorer->ScoreJson(R"([{"n": 9}, {"n": 6}, {"n": null}])"),
            R"([{"turned":0.5},{"turned":-1.0},{"turned":null}])");
  EXPECT_EQ(*scorer->ScoreJson("[]"), "[]");
  // More sets of columns than are cached: the first ones are prepared again.
  for (int extra = 0; extra < 20; ++extra) {
    const auto n = arrow::field("n", extra % 2 == 0 ? arrow::int32() : arrow::int64());
    arrow::FieldVector fields(size_t(extra), arrow::field("more", arrow::boolean()));
    fields.push_back(n);
    arrow::ArrayVector columns(size_t(extra), *arrow::MakeArrayOfNull(arrow::boolean(), 1));
    columns.push_back(*arrow::MakeArrayFromScalar(**arrow::MakeScalar(n->type(), 5), 1));
    const auto scored = scorer->Score(*arrow::RecordBatch::Make(arrow::schema(fields), 1, columns));
    ASSERT_TRUE(scored.ok()) << Render(FaultOf(scored.status()));
    EXPECT_EQ((*scored)->column(0)->ToString(), "[\n  -0.5\n]");
  }
}

}  // namespace
}  // namespace protium
