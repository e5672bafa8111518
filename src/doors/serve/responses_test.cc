// SPDX-License-Identifier: Apache-2.0
// Requests from outside: good ones, many at once, bad ones, and models that change.
#include "serve/responses.h"

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "base/fault.h"
#include "serve/testing/test_model.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ServeTest : public WithServedModel {
 protected:
  void SetUp() override {
    WithServedModel::SetUp();
    Start({});
  }
  void Start(ServeOptions options) {
    responses_ = std::make_unique<ServeResponses>(std::move(options), model_);
  }

  HttpResponse Ask(const std::string& method, const std::string& path, const std::string& body = {},
                   const std::string& type = "application/json") {
    return responses_->Respond(
        {.method = method, .path = path, .headers = {{"content-type", type}}}, body);
  }
  HttpResponse Score(const std::string& body, const std::string& type = "application/json") {
    return Ask("POST", "/v1/score", body, type);
  }
  // Returns "400 what" from a response in the form of a fault.
  std::string Said(const HttpResponse& response) {
    const auto json = ParseJson(response.body);
    if (!json.ok() || !json->contains("error"))
      return std::to_string(response.status) + " " + response.body;
    return std::to_string(response.status) + " " + TextAt((*json)["error"], "what");
  }

  std::unique_ptr<ServeResponses> responses_;
};

constexpr const char* kArrow = "application/vnd.apache.arrow.stream";

std::string StreamOf(const arrow::RecordBatchVector& batches) {
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto writer = *arrow::ipc::MakeStreamWriter(sink, batches[0]->schema());
  for (const auto& batch : batches) EXPECT_TRUE(writer->WriteRecordBatch(*batch).ok());
  EXPECT_TRUE(writer->Close().ok());
  return (*sink->Finish())->ToString();
}

Rows BatchOf(const std::vector<double>& x) {
  arrow::DoubleBuilder builder;
  EXPECT_TRUE(builder.AppendValues(x).ok());
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::float64())}),
                                  int64_t(x.size()), {*builder.Finish()});
}

std::string ArrowStream(const std::vector<double>& x) { return StreamOf({BatchOf(x)}); }
std::string ArrowStream(const std::vector<double>& x, const std::vector<double>& more) {
  return StreamOf({BatchOf(x), BatchOf(more)});
}

// Serves trees, or a net, in place of the model of the fixture: y is 10 * x, and z says nothing.
class ExplainingServeTest : public ServeTest {
 protected:
  void SetUp() override {
    ServeTest::SetUp();
    SaveFit("tree_estimator", {{"trees", {{"rounds", 5}, {"leaves", 4}}},
                               {"train", {{"validation", {{"share", 0}}}}}});
    ASSERT_TRUE(model_.Reload().ok()) << Render(FaultOf(model_.last()));
  }
  void SaveFit(const std::string& kind, Json options) {
    std::ofstream out(folder_ / "trees.csv");
    out << "x,z,y\n";
    for (int i = 0; i < 100; ++i) out << i % 10 << "," << i % 7 << "," << 10 * (i % 10) << "\n";
    out.close();
    const auto session = OpenSession({.engine = "local[1]",
                                      .folder = folder_ / ("run-" + kind),
                                      .base = folder_,
                                      .program = OwnLibraryFolder().parent_path() / "bin/protium"});
    ASSERT_TRUE(session.ok()) << session.status();
    options.update({{"numeric", {"x", "z"}}, {"label", "y"}});
    const auto model = Pipeline({{kind, options}}).Fit((*session)->Read().Csv("trees.csv"));
    ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    ASSERT_TRUE(model->Save(folder_ / "model").ok());
  }
  HttpResponse Explained(const std::string& columns, const std::string& body) {
    return responses_->Respond({.method = "POST",
                                .path = "/v1/score",
                                .parameters = {{"explain", columns}},
                                .headers = {{"content-type", "application/json"}}},
                               body);
  }
};

TEST_F(ExplainingServeTest, ExplainsOnRequest) {
  const std::string body = R"({"rows": [{"x": 9, "z": 1}]})";
  const Json plain = *ParseJson(Score(body).body);
  const HttpResponse response = Explained("1", body);
  ASSERT_EQ(response.status, 200) << response.body;
  const Json row = (*ParseJson(response.body))["predictions"][0];
  EXPECT_EQ(row["prediction"], plain["predictions"][0]["prediction"]);
  EXPECT_FALSE(plain["predictions"][0].contains("because_1"));
  EXPECT_EQ(row["because_1"], "x");
  EXPECT_GT(row["because_1_by"].get<double>(), 0);
  double sum = 0;
  for (const char* each : {"because_1_by", "because_others_by", "because_mean"}) {
    sum += row[each].get<double>();
  }
  EXPECT_NEAR(sum, row["prediction"].get<double>(), 1e-4);
  const Json all = (*ParseJson(Explained("all", body).body))["predictions"][0];
  EXPECT_EQ(all["because_of_x"], row["because_1_by"]);
  EXPECT_EQ(all["because_of_z"], row["because_others_by"]);
  EXPECT_EQ(Said(Explained("some", body)), "400 explain=some is not a number of columns");
  EXPECT_EQ(Explained("0", body).status, 400);
}

TEST_F(ExplainingServeTest, ExplainsANet) {
  SaveFit("torch_estimator", {{"net", "linear"}, {"train", {{"epochs", 2}, {"batch_size", 10}}}});
  ASSERT_TRUE(model_.Reload().ok()) << Render(FaultOf(model_.last()));
  // The rows to compare with are in memory.
  std::filesystem::remove(folder_ / "model" / "background.safetensors");
  const HttpResponse response = Explained("all", R"({"rows": [{"x": 9, "z": 1}]})");
  ASSERT_EQ(response.status, 200) << response.body;
  const Json row = (*ParseJson(response.body))["predictions"][0];
  double sum = 0;
  for (const char* each : {"because_of_x", "because_of_z", "because_mean"}) {
    sum += row[each].get<double>();
  }
  EXPECT_NEAR(sum, row["prediction"].get<double>(), 1e-3);
}

TEST_F(ExplainingServeTest, ExplainsTheModelThatIsServedNow) {
  const std::string body = R"({"rows": [{"x": 9, "z": 1}]})";
  ASSERT_EQ(Explained("1", body).status, 200);
  SaveModel(folder_, 7);
  ASSERT_TRUE(model_.Reload().ok());
  EXPECT_THAT(Said(Explained("1", R"({"rows": [{"x": 1}]})")), HasSubstr("without an estimator"));
}

TEST_F(ServeTest, ScoresRowsColumnsAndArrow) {
  EXPECT_EQ(Score(R"({"rows": [{"x": 1.25}, {"x": null}]})").body,
            R"({"predictions":[{"x__fill":1.25},{"x__fill":7.0}]})");
  EXPECT_EQ(Score(R"({"columns": {"x": [1.25, null]}})").body,
            R"({"columns":{"x__fill":[1.25,7.0]}})");
  EXPECT_EQ(Score(R"({"rows": []})").body, R"({"predictions":[]})");
  const HttpResponse arrow = Score(ArrowStream({0.5, 3}), kArrow);
  ASSERT_EQ(arrow.status, 200) << arrow.body;
  const auto reader = *arrow::ipc::RecordBatchStreamReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(arrow.body)));
  const auto table = *reader->ToTable();
  EXPECT_EQ((*table->column(0)->GetScalar(1))->ToString(), "3");
  EXPECT_EQ(arrow.type, kArrow);
}

TEST_F(ServeTest, TellsWhatTheModelNeedsAndHowItIs) {
  const Json facts = *ParseJson(Ask("GET", "/v1/model").body);
  EXPECT_EQ(facts["input"].dump(), R"([{"name":"x","type":"float64"}])");
  EXPECT_EQ(facts["output"][0]["name"], "x__fill");
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
  EXPECT_EQ(Ask("GET", "/readyz").status, 200);
  Score(R"({"rows": [{"x": 1}]})");
  EXPECT_THAT(Ask("GET", "/metrics").body, HasSubstr("protium_serve_rows_total 1\n"));
  responses_->Drain();
  EXPECT_EQ(Ask("GET", "/readyz").status, 503);
}

TEST_F(ServeTest, RefusesAmbiguousRows) {
  EXPECT_EQ(Said(Score(R"({"rows": [{"x": 1, "x": 2}]})")), "400 the row has column \"x\" twice");
  EXPECT_EQ(Said(Score(R"({"rows": [{"x": 1}], "rows": []})")), "400 the body has \"rows\" twice");
  EXPECT_EQ(Said(Score(R"({"rows": [{"x": 1e999}]})")), "400 1e999 is not a valid float64");
}

TEST_F(ServeTest, RefusesBadRequestsInClearWords) {
  EXPECT_EQ(Said(Score(R"({"rows": [{"x": "many"}]})")), "400 \"many\" is not a valid float64");
  EXPECT_EQ(Said(Score(R"({"rows": [{"y": 1}]})")),
            "400 the table lacks 1 column that the model reads: \"x\"");
  EXPECT_EQ(Said(Score("[1]")), "400 the body holds neither \"rows\" nor \"columns\"");
  EXPECT_THAT(Said(Score("{\"rows\": [{")), HasSubstr("400 "));
  EXPECT_EQ(Said(Score("x", "text/csv")), "415 rows cannot come as text/csv");
  EXPECT_EQ(Said(Score("ARROW1", kArrow)), "400 the body is not a stream of Arrow record batches");
  EXPECT_EQ(Said(Ask("GET", "/v1/score")), "405 /v1/score does not take GET");
  EXPECT_EQ(Said(Ask("GET", "/v3")), "404 there is nothing at this path");
  const std::string deep(100'000, '[');
  EXPECT_THAT(Said(Score("{\"rows\": " + deep)), HasSubstr("400 "));
}

// Any change of a good body gets a response or a refusal; the server never ends.
TEST_F(ServeTest, SurvivesDamagedBodies) {
  std::mt19937 random(5);
  for (const auto& [good, type] :
       {std::pair<std::string, const char*>{R"({"rows": [{"x": 1.25}, {"x": null}]})",
                                            "application/json"},
        {ArrowStream({0.5, 3, 4}), kArrow}}) {
    for (int i = 0; i < 400; ++i) {
      std::string body = good;
      for (int k = 0; k <= i % 4; ++k) body[random() % body.size()] = char(random());
      if (i % 3 == 0) body.resize(random() % body.size());
      const int status = Score(body, type).status;
      EXPECT_TRUE(status == 200 || status == 400) << status;
    }
  }
}

TEST_F(ServeTest, ScoresManyRequestsTogetherAndBlamesTheRightOne) {
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const bool bad = t == 3;
        const std::string body = bad ? R"({"rows": [{"y": 1}]})"
                                     : fmt::format(R"({{"rows": [{{"x": {}.5}}]}})", t * 100 + i);
        const HttpResponse response = Score(body);
        right += bad ? response.status == 400
                     : response.body ==
                           fmt::format(R"({{"predictions":[{{"x__fill":{}.5}}]}})", t * 100 + i);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 400);
}

// They would not fit later either.
TEST_F(ServeTest, RefusesMoreRowsThanMayEverWait) {
  Start({.most_waiting_rows = 2});
  const std::string what = "400 more rows than the 2 that one request may hold";
  for (const HttpResponse& response :
       {Score(R"({"rows": [{"x": 1}, {"x": 2}, {}]})"), Score(R"({"columns": {"x": [1, 2, 3]}})"),
        Score(ArrowStream({1, 2, 3}), kArrow), Score(ArrowStream({1, 2}, {3}), kArrow)}) {
    EXPECT_EQ(Said(response), what);
    EXPECT_TRUE(response.headers.empty());
    EXPECT_THAT(response.body, HasSubstr("several requests"));
  }
  EXPECT_EQ(Score(ArrowStream({1}, {2}), kArrow).status, 200);
}

// A few bytes that claim an endless number of null columns.
TEST_F(ServeTest, RefusesRowsThatLieNowhere) {
  const auto claim = [](const std::shared_ptr<arrow::DataType>& type, int64_t rows) {
    const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", type)}), rows,
                                                {*arrow::MakeArrayOfNull(type, rows)});
    return StreamOf({batch});
  };
  std::string bomb = claim(arrow::null(), 7654321);
  ASSERT_LT(bomb.size(), 2000u);
  EXPECT_EQ(Said(Score(bomb, kArrow)), "400 more rows than the 65536 that one request may hold");
  const int64_t own = 7654321, claimed = int64_t{1} << 40;
  const std::string from(reinterpret_cast<const char*>(&own), 8);
  const std::string to(reinterpret_cast<const char*>(&claimed), 8);
  for (size_t at = bomb.find(from); at != bomb.npos; at = bomb.find(from, at)) {
    bomb.replace(at, 8, to);
  }
  EXPECT_EQ(Said(Score(bomb, kArrow)), "400 more rows than the 65536 that one request may hold");
  const std::string few = claim(arrow::fixed_size_list(arrow::null(), 1 << 28), 4);
  EXPECT_THAT(Said(Score(few, kArrow)), HasSubstr("cells without content"));
}

TEST_F(ServeTest, ServesAnotherModelAndKeepsTheOldOneForABrokenOne) {
  EXPECT_FALSE(model_.Changed());
  fs::remove_all(folder_ / "run");
  SaveModel(folder_, 9);
  EXPECT_TRUE(model_.Changed());
  EXPECT_EQ((*ParseJson(Ask("POST", "/v1/reload").body))["generation"], 2);
  EXPECT_FALSE(model_.Changed());
  const std::string nine = R"({"predictions":[{"x__fill":9.0}]})";
  EXPECT_EQ(Score(R"({"rows": [{"x": null}]})").body, nine);
  std::ofstream(folder_ / "model/stages.json") << "{}";
  const HttpResponse broken = Ask("POST", "/v1/reload");
  EXPECT_EQ(broken.status, 409);
  EXPECT_THAT(broken.body, HasSubstr("stages.json"));
  EXPECT_THAT(broken.body, HasSubstr("still is"));
  EXPECT_EQ(Score(R"({"rows": [{"x": null}]})").body, nine);
  EXPECT_TRUE((*ParseJson(Ask("GET", "/v1/model").body)).contains("failed_reload"));
}

}  // namespace
}  // namespace protium
