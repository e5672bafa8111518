// SPDX-License-Identifier: Apache-2.0
// Tests the C interface from C++, which has Arrow to make rows and to read them.
#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "os/file.h"
#include "os/library.h"
#include "protium/c/protium.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

// Fails the test with the error's text, and frees it.
void Expect(pt_error* error) {
  if (error == nullptr) return;
  ADD_FAILURE() << pt_error_text(error);
  pt_error_free(error);
}

struct Parts {
  int exit = 0;
  std::string what, fix;
};
Parts PartsOf(pt_error* error) {
  if (error == nullptr) return {};
  Parts parts{pt_error_exit(error), pt_error_what(error), pt_error_fix(error)};
  pt_error_free(error);
  return parts;
}

// Batches made by a function, until it makes none.
class MadeRows : public arrow::RecordBatchReader {
 public:
  using Make = std::function<std::shared_ptr<arrow::RecordBatch>(int number)>;
  MadeRows(std::shared_ptr<arrow::Schema> schema, Make make)
      : schema_(std::move(schema)), make_(std::move(make)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = make_(number_++);
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  Make make_;
  int number_ = 0;
};

// Rows x, y = 2x + 1 and shop, a text in a dictionary, as pandas makes it.
std::shared_ptr<arrow::RecordBatch> Sales(int first, int rows) {
  arrow::DoubleBuilder x, y;
  arrow::StringDictionary32Builder shop;
  for (int i = first; i < first + rows; ++i) {
    EXPECT_TRUE(x.Append(i % 100 / 10.0).ok() && y.Append(i % 100 / 5.0 + 1).ok());
    EXPECT_TRUE(shop.Append(i % 2 == 0 ? "north" : "south").ok());
  }
  const auto shops = *shop.Finish();
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("x", arrow::float64()), arrow::field("y", arrow::float64()),
                     arrow::field("shop", shops->type())}),
      rows, {*x.Finish(), *y.Finish(), shops});
}

MadeRows::Make FewSales(int rows) {
  return [rows](int number) { return number == 0 ? Sales(0, rows) : nullptr; };
}

std::shared_ptr<arrow::Table> Read(ArrowArrayStream& stream) {
  const auto reader = *arrow::ImportRecordBatchReader(&stream);
  return *reader->ToTable();
}

class C : public testing::Test {
 protected:
  void SetUp() override { Expect(pt_session_open(nullptr, &session_)); }
  void TearDown() override {
    for (pt_frame* frame : frames_) pt_frame_free(frame);
    pt_session_close(session_);
  }
  ArrowArrayStream Stream(MadeRows::Make make) {
    ArrowArrayStream stream;
    const auto schema = Sales(0, 1)->schema();
    EXPECT_TRUE(
        arrow::ExportRecordBatchReader(std::make_shared<MadeRows>(schema, std::move(make)), &stream)
            .ok());
    return stream;
  }
  pt_frame* Own(pt_frame* frame) {
    frames_.push_back(frame);
    return frame;
  }
  pt_frame* Bring(int rows) {
    ArrowArrayStream stream = Stream(FewSales(rows));
    pt_frame* frame = nullptr;
    Expect(pt_session_bring(session_, "sales", &stream, &frame));
    Expect(pt_session_table(session_, "sales", frame));
    return Own(frame);
  }
  pt_frame* Sql(const char* text) {
    pt_frame* frame = nullptr;
    Expect(pt_session_sql(session_, text, &frame));
    return Own(frame);
  }
  static std::shared_ptr<arrow::Table> Rows(const pt_frame* frame) {
    ArrowArrayStream stream;
    Expect(pt_frame_stream(frame, &stream));
    return Read(stream);
  }

  pt_session* session_ = nullptr;
  std::vector<pt_frame*> frames_;
};

TEST_F(C, BringsRowsAndGivesThoseOfAQuery) {
  Bring(10);
  const auto rows =
      Rows(Sql("SELECT shop, sum(y) AS total FROM sales GROUP BY shop ORDER BY shop"));
  ASSERT_EQ(rows->num_rows(), 2);
  EXPECT_EQ((*rows->column(0)->GetScalar(1))->ToString(), "south");
  EXPECT_EQ((*rows->column(1)->GetScalar(0))->ToString(), "9");
}

TEST_F(C, ReadsAndWritesFiles) {
  const fs::path file = testing::TempDir() + "c_test_sales.parquet";
  fs::remove(file);
  Expect(pt_frame_write(Bring(10), file.c_str(), nullptr));
  pt_frame* back = nullptr;
  Expect(pt_session_read(session_, file.c_str(), nullptr, &back));
  int64_t rows = 0;
  Expect(pt_frame_count(Own(back), &rows));
  EXPECT_EQ(rows, 10);
  fs::remove(file);
}

TEST_F(C, SplitsSelectsAndLimits) {
  pt_frame *train = nullptr, *test = nullptr, *x = nullptr, *few = nullptr;
  Expect(pt_frame_split(Bring(100), R"({"test": 0.3})", &train, &test));
  EXPECT_EQ(Rows(Own(train))->num_rows() + Rows(Own(test))->num_rows(), 100);
  Expect(pt_frame_select(train, R"(["x"])", &x));
  Expect(pt_frame_limit(Own(x), 3, &few));
  EXPECT_EQ(Rows(Own(few))->num_rows(), 3);
  EXPECT_EQ(Rows(few)->num_columns(), 1);
}

TEST_F(C, TellsWhatIsWrongInParts) {
  Bring(1);
  pt_frame* none = nullptr;
  const Parts column = PartsOf(pt_session_sql(session_, "SELECT z FROM sales", &none));
  EXPECT_EQ(column.exit, 2);
  EXPECT_THAT(column.what, HasSubstr("z"));
  EXPECT_EQ(none, nullptr);
  pt_session* other = nullptr;
  const Parts key = PartsOf(pt_session_open(R"({"engin": "local"})", &other));
  EXPECT_EQ(key.exit, 2);
  EXPECT_THAT(key.fix, HasSubstr("engine"));
  EXPECT_THAT(PartsOf(pt_session_open(R"({"program": "/nowhere"})", &other)).what,
              HasSubstr("/nowhere"));
  EXPECT_THAT(PartsOf(pt_session_open("{", &other)).what, HasSubstr("not JSON"));
  EXPECT_EQ(PartsOf(pt_frame_count(nullptr, nullptr)).exit, 2);
}

TEST_F(C, TellsWhyAStreamFailed) {
  pt_frame* const frame =
      Sql("SELECT CAST(text AS BIGINT) AS n FROM (VALUES ('1'), ('x')) AS t(text)");
  EXPECT_EQ(pt_frame_failure(frame), nullptr);
  ArrowArrayStream stream;
  pt_error* const begun = pt_frame_stream(frame, &stream);
  if (begun != nullptr) {  // The engine may find it before the first row.
    EXPECT_THAT(PartsOf(begun).what, HasSubstr("x"));
    return;
  }
  ArrowArray array;
  EXPECT_NE(stream.get_next(&stream, &array), 0);
  EXPECT_THAT(stream.get_last_error(&stream), HasSubstr("error: "));
  EXPECT_NE(PartsOf(pt_frame_failure(frame)).exit, 0);
  stream.release(&stream);
}

TEST_F(C, TakesRowsThatComeFromTheSessionItself) {
  Bring(10);
  ArrowArrayStream stream;
  Expect(pt_frame_stream(Sql("SELECT x FROM sales"), &stream));
  pt_frame* again = nullptr;
  Expect(pt_session_bring(session_, "again", &stream, &again));
  EXPECT_EQ(Rows(Own(again))->num_rows(), 10);
}

TEST_F(C, IsCancelledAndGoesOn) {
  ArrowArrayStream endless = Stream([this](int number) {
    if (number == 3) pt_session_cancel(session_);
    return Sales(number, 10);
  });
  pt_frame* none = nullptr;
  EXPECT_EQ(PartsOf(pt_session_bring(session_, "endless", &endless, &none)).exit, 75);
  EXPECT_EQ(Rows(Bring(10))->num_rows(), 10);
}

TEST_F(C, HandlesOutliveTheSession) {
  pt_frame* const frame = Bring(10);
  ArrowArrayStream stream;
  Expect(pt_frame_stream(frame, &stream));
  pt_session_close(session_);
  session_ = nullptr;
  EXPECT_THAT(PartsOf(pt_frame_count(frame, nullptr)).what, HasSubstr("closed"));
  // Read to its end or cut short, depending on whether its rows were already available; then
  // released.
  const auto reader = *arrow::ImportRecordBatchReader(&stream);
  (void)reader->ToTable();
}

struct Heard {
  pt_session* session;
  std::vector<std::string> names;
  Parts refused;
};
void Hear(const char* event, void* user) {
  Heard& heard = *static_cast<Heard*>(user);
  heard.names.push_back(json::parse(event).value("event", ""));
  pt_frame* frame = nullptr;
  heard.refused = PartsOf(pt_session_sql(heard.session, "SELECT 1 AS one", &frame));
}

constexpr char kStages[] = R"([{"kind": "standard_scaler", "id": "scale", "inputs": ["x"]},
                               {"kind": "string_indexer", "id": "index", "inputs": ["shop"]}])";

TEST_F(C, FitsStagesTellsOfItAndTransforms) {
  Heard heard{session_, {}, {}};
  pt_session_on_event(session_, Hear, &heard);
  pt_frame* const sales = Bring(100);
  pt_model* model = nullptr;
  Expect(pt_frame_fit(sales, kStages, &model));
  pt_session_on_event(session_, nullptr, nullptr);
  EXPECT_THAT(heard.names, testing::Contains("fit"));
  EXPECT_THAT(heard.refused.what, HasSubstr("receives events"));
  pt_frame* scored = nullptr;
  Expect(pt_model_transform(model, sales, nullptr, &scored));
  EXPECT_THAT(Rows(Own(scored))->ColumnNames(), testing::Contains("x__scale"));
  pt_model_free(model);
}

// The bounds of a column in a file exclude NaN, and an engine must not conclude that there is none.
TEST_F(C, FillsWhatIsNotANumber) {
  ArrowArrayStream stream = Stream([](int number) -> std::shared_ptr<arrow::RecordBatch> {
    if (number > 0) return nullptr;
    const auto sales = Sales(0, 3);
    arrow::DoubleBuilder x;
    EXPECT_TRUE(x.AppendValues({1, std::nan(""), 3}).ok());
    return *sales->SetColumn(0, sales->schema()->field(0), *x.Finish());
  });
  pt_frame *frame = nullptr, *filled = nullptr;
  Expect(pt_session_bring(session_, "holes", &stream, &frame));
  pt_model* model = nullptr;
  Expect(pt_frame_fit(Own(frame), R"([{"kind": "imputer", "id": "fill", "inputs": ["x"],
                                      "with": "constant", "value": 2}])",
                      &model));
  Expect(pt_model_transform(model, frame, nullptr, &filled));
  const auto column = Rows(Own(filled))->GetColumnByName("x__fill");
  EXPECT_EQ((*column->GetScalar(1))->ToString(), "2");
  pt_model_free(model);
}

// A few bytes that claim more rows than fit into memory.
TEST_F(C, RefusesRowsThatNoByteStandsBehind) {
  const int64_t rows = int64_t{1} << 40;
  const auto nulls = std::make_shared<arrow::NullArray>(rows);
  const auto bomb =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::null())}), rows, {nulls});
  ArrowArrayStream stream;
  const auto once = [bomb](int number) { return number == 0 ? bomb : nullptr; };
  ASSERT_TRUE(
      arrow::ExportRecordBatchReader(std::make_shared<MadeRows>(bomb->schema(), once), &stream)
          .ok());
  pt_frame* none = nullptr;
  const Parts brought = PartsOf(pt_session_bring(session_, "bomb", &stream, &none));
  EXPECT_EQ(brought.exit, 3);
  EXPECT_THAT(brought.what, HasSubstr("column \"x\" has 1099511627776 cells without content"));

  pt_model* model = nullptr;
  Expect(pt_frame_fit(Bring(10), kStages, &model));
  pt_scorer* scorer = nullptr;
  Expect(pt_scorer_open(model, &scorer));
  ArrowSchema schema, made_schema;
  ArrowArray given, made;
  ASSERT_TRUE(arrow::ExportRecordBatch(*bomb, &given, &schema).ok());
  const Parts scored = PartsOf(pt_scorer_score(scorer, &schema, &given, &made_schema, &made));
  EXPECT_EQ(scored.exit, 3);
  EXPECT_THAT(scored.what, HasSubstr("cells without content"));
  pt_scorer_free(scorer);
  pt_model_free(model);
}

TEST_F(C, RefusesWhatAPipelineCannotBe) {
  pt_frame* const sales = Bring(10);
  pt_model* none = nullptr;
  EXPECT_THAT(PartsOf(pt_frame_fit(sales, R"([{"kind": "standard_scalar"}])", &none)).fix,
              HasSubstr("standard_scaler"));
  EXPECT_THAT(PartsOf(pt_frame_fit(sales, "{}", &none)).what, HasSubstr("list of stages"));
  char* text = nullptr;
  Expect(pt_frame_check(sales, kStages, &text));
  EXPECT_EQ(json::parse(text)["stages"].size(), 2U);
  pt_string_free(text);
}

TEST(CSearch, IsToldSeveralMetricsByName) {
  pt_search* several = nullptr;
  Expect(pt_search_open(R"({"space": {"x": [1, 2]}, "metric": ["auc", "cost"],
                            "higher_is_better": "auc"})",
                        &several));
  char* text = nullptr;
  Expect(pt_search_ask(several, &text));
  pt_string_free(text);
  EXPECT_THAT(PartsOf(pt_search_tell(several, 1, 0.5, nullptr)).what, HasSubstr("one value"));
  EXPECT_THAT(PartsOf(pt_search_tell_all(several, 1, R"({"auc": 1})")).what,
              HasSubstr("lacks cost"));
  Expect(pt_search_tell_all(several, 1, R"({"auc": 0.9, "cost": 3})"));
  pt_search_free(several);
}

TEST(CSearch, AsksAndIsTold) {
  pt_search* search = nullptr;
  Expect(pt_search_open(R"({"space": {"x": {"uniform": [-1, 1]}}, "trials": 12, "method": "tpe",
                            "prune": "asha"})",
                        &search));
  double least = 9;
  for (int64_t number = 1; number <= 12; ++number) {
    char* text = nullptr;
    Expect(pt_search_ask(search, &text));
    const json trial = json::parse(text);
    pt_string_free(text);
    ASSERT_EQ(trial["trial"], number);
    const double value = std::fabs(trial["values"]["x"].get<double>());
    int32_t prune = 0;
    Expect(pt_search_report(search, number, 1, value));
    Expect(pt_search_should_prune(search, number, &prune));
    EXPECT_FALSE(number == 1 && prune != 0);
    Expect(pt_search_tell(search, number, prune ? std::nan("") : value, nullptr));
    least = std::min(least, value);
  }
  char* text = nullptr;
  Expect(pt_search_ask(search, &text));
  EXPECT_STREQ(text, "null");
  pt_string_free(text);
  Expect(pt_search_table(search, &text));
  const json table = json::parse(text);
  pt_string_free(text);
  EXPECT_EQ(table["trials"][table["best"].get<size_t>() - 1]["value"], least);
  EXPECT_THAT(PartsOf(pt_search_tell(search, 3, 0.5, nullptr)).what, HasSubstr("told already"));
  EXPECT_THAT(PartsOf(pt_search_ask(nullptr, &text)).what, HasSubstr("NULL"));
  EXPECT_THAT(PartsOf(pt_search_open(R"({"prune": "ash"})", &search)).what, HasSubstr("asha"));
  pt_search_free(search);
}

constexpr char kNet[] = R"([
  {"kind": "standard_scaler", "id": "scale", "inputs": ["x"]},
  {"kind": "torch_estimator", "net": {"name": "tabular_mlp", "hidden": [8]},
   "numeric": [{"stage": "scale"}], "label": "y", "loss": {"name": "mse"},
   "train": {"epochs": 2, "batch_size": 64}, "gang": {"workers": 1}}])";

// Expects the workers' predictions, computed in this process.
void ExpectScores(const pt_scorer* scorer, const arrow::Table& scored) {
  const auto x = scored.GetColumnByName("x"), predicted = scored.GetColumnByName("prediction");
  const auto batch = *arrow::Table::Make(arrow::schema({arrow::field("x", arrow::float64())}), {x})
                          ->CombineChunksToBatch();
  ArrowSchema schema, made_schema;
  ArrowArray rows, made;
  ASSERT_TRUE(arrow::ExportRecordBatch(*batch, &rows, &schema).ok());
  Expect(pt_scorer_score(scorer, &schema, &rows, &made_schema, &made));
  const auto out = *arrow::ImportRecordBatch(&made, &made_schema);
  EXPECT_TRUE(arrow::ChunkedArray(out->GetColumnByName("prediction")).Equals(*predicted));
  char* text = nullptr;
  const json row = {{"x", std::static_pointer_cast<arrow::DoubleScalar>(*x->GetScalar(7))->value}};
  Expect(pt_scorer_score_json(scorer, row.dump().c_str(), &text));
  EXPECT_EQ(json::parse(text)["prediction"].get<double>(),
            std::static_pointer_cast<arrow::DoubleScalar>(*predicted->GetScalar(7))->value);
  pt_string_free(text);
  EXPECT_THAT(PartsOf(pt_scorer_score_json(scorer, "{}", &text)).what, HasSubstr("\"x\""));
  EXPECT_THAT(PartsOf(pt_scorer_score_json(nullptr, "{}", &text)).what, HasSubstr("NULL"));
  EXPECT_THAT(PartsOf(pt_frame_failure(nullptr)).what, HasSubstr("NULL"));
  Expect(pt_scorer_describe(scorer, &text));
  EXPECT_EQ(json::parse(text)["output"][0]["name"], "prediction") << text;
  pt_string_free(text);
}

TEST_F(C, TrainsSavesLoadsAndPredictsTheSame) {
  if (!fs::exists(protium::OwnLibraryFolder() / "libprotium_torch.so")) {
    GTEST_SKIP() << "this build has no LibTorch";
  }
  pt_frame* const sales = Bring(1000);
  pt_model *model = nullptr, *loaded = nullptr;
  Expect(pt_frame_fit(sales, kNet, &model));
  char* text = nullptr;
  Expect(pt_model_describe(model, &text));
  EXPECT_EQ(json::parse(text)["metrics"]["training"]["steps"].is_number(), true) << text;
  EXPECT_TRUE(fs::exists(fs::path(json::parse(text)["run"].get<std::string>()) / "result.json"));
  pt_string_free(text);
  Expect(pt_model_evaluate(model, sales, &text));
  const json measured = json::parse(text)["metrics"];
  EXPECT_EQ(measured["rows"], 1000) << text;
  pt_string_free(text);
  // The rows of its training: their metrics are not far from those of the validation rows.
  const std::string options = json{{"measured", measured}, {"known", {"x"}}}.dump();
  Expect(pt_model_doubts(model, sales, options.c_str(), &text));
  EXPECT_EQ(json::parse(text), json::array()) << text;
  pt_string_free(text);
  const fs::path folder = testing::TempDir() + "c_test_model";
  fs::remove_all(folder);
  Expect(pt_model_save(model, folder.c_str()));
  Expect(pt_session_load(session_, folder.c_str(), &loaded));
  pt_frame *one = nullptr, *other = nullptr;
  Expect(pt_model_transform(model, sales, R"(["x"])", &one));
  Expect(pt_model_transform(loaded, sales, R"(["x"])", &other));
  EXPECT_TRUE(Rows(Own(one))->Equals(*Rows(Own(other))));
  EXPECT_EQ(Rows(one)->num_rows(), 1000);
  pt_scorer* scorer = nullptr;
  Expect(pt_scorer_open(loaded, &scorer));
  pt_model_free(model);
  pt_model_free(loaded);
  fs::remove_all(folder);
  ExpectScores(scorer, *Rows(one));
  ArrowSchema schema;
  ArrowArray rows;
  const auto forecast = [&](const char* options) {
    return PartsOf(pt_scorer_forecast(scorer, options, nullptr, nullptr, &schema, &rows)).what;
  };
  EXPECT_THAT(forecast(R"({"horizon": "28d"})"), HasSubstr("reads no earlier rows"));
  EXPECT_THAT(forecast(R"({"horizon": "soon"})"), HasSubstr("not a horizon"));
  EXPECT_THAT(forecast(R"({"steps": 3})"), HasSubstr("unknown key \"steps\""));
  EXPECT_THAT(forecast("{}"), HasSubstr("no rows to predict"));
  pt_scorer_free(scorer);
}

}  // namespace
