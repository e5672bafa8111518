// SPDX-License-Identifier: Apache-2.0
// Requests as they come from outside: good ones, many at once, bad ones, and models that change.
#include "serve/answers.h"

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "base/fault.h"
#include "serve/test_model.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ServeTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = ModelPlace();
    SaveModel(folder_, 7);
    model_ = std::make_unique<ServedModel>(folder_ / "model", LoadServed);
    ASSERT_TRUE(model_->Reload().ok()) << Render(FaultOf(model_->last()));
    Start({});
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Start(ServeOptions options) {
    answers_ = std::make_unique<ServeAnswers>(std::move(options), *model_);
  }

  HttpAnswer Ask(const std::string& method, const std::string& path, const std::string& body = {},
                 const std::string& type = "application/json") {
    return answers_->Answer({.method = method, .path = path, .headers = {{"content-type", type}}},
                            body);
  }
  HttpAnswer Score(const std::string& body, const std::string& type = "application/json") {
    return Ask("POST", "/v1/score", body, type);
  }
  // "400 what", of an answer in the form of a fault.
  std::string Said(const HttpAnswer& answer) {
    const auto json = ParseJson(answer.body);
    if (!json.ok() || !json->contains("error"))
      return std::to_string(answer.status) + " " + answer.body;
    return std::to_string(answer.status) + " " + TextAt((*json)["error"], "what");
  }

  fs::path folder_;
  std::unique_ptr<ServedModel> model_;
  std::unique_ptr<ServeAnswers> answers_;
};

constexpr const char* kArrow = "application/vnd.apache.arrow.stream";

std::string ArrowStream(const std::vector<double>& x) {
  arrow::DoubleBuilder builder;
  EXPECT_TRUE(builder.AppendValues(x).ok());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::float64())}),
                                              int64_t(x.size()), {*builder.Finish()});
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto writer = *arrow::ipc::MakeStreamWriter(sink, batch->schema());
  EXPECT_TRUE(writer->WriteRecordBatch(*batch).ok() && writer->Close().ok());
  return (*sink->Finish())->ToString();
}

TEST_F(ServeTest, ScoresRowsColumnsAndArrow) {
  EXPECT_EQ(Score(R"({"rows": [{"x": 1.25}, {"x": null}]})").body,
            R"({"predictions":[{"x__fill":1.25},{"x__fill":7.0}]})");
  EXPECT_EQ(Score(R"({"columns": {"x": [1.25, null]}})").body,
            R"({"columns":{"x__fill":[1.25,7.0]}})");
  EXPECT_EQ(Score(R"({"rows": []})").body, R"({"predictions":[]})");
  const HttpAnswer arrow = Score(ArrowStream({0.5, 3}), kArrow);
  ASSERT_EQ(arrow.status, 200) << arrow.body;
  const auto reader = *arrow::ipc::RecordBatchStreamReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(arrow.body)));
  const auto table = *reader->ToTable();
  EXPECT_EQ((*table->column(0)->GetScalar(1))->ToString(), "3");
  EXPECT_EQ(arrow.type, kArrow);
}

TEST_F(ServeTest, TellsWhatTheModelNeedsAndHowItIs) {
  const Json told = *ParseJson(Ask("GET", "/v1/model").body);
  EXPECT_EQ(told["input"].dump(), R"([{"name":"x","type":"float64"}])");
  EXPECT_EQ(told["output"][0]["name"], "x__fill");
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
  EXPECT_EQ(Ask("GET", "/readyz").status, 200);
  Score(R"({"rows": [{"x": 1}]})");
  EXPECT_THAT(Ask("GET", "/metrics").body, HasSubstr("protium_serve_rows_total 1\n"));
  answers_->Drain();
  EXPECT_EQ(Ask("GET", "/readyz").status, 503);
}

TEST_F(ServeTest, RefusesBadRequestsInClearWords) {
  EXPECT_EQ(Said(Score(R"({"rows": [{"x": "many"}]})")), "400 \"many\" is no float64");
  EXPECT_EQ(Said(Score(R"({"rows": [{"y": 1}]})")),
            "400 the table lacks 1 column that the model reads: \"x\"");
  EXPECT_EQ(Said(Score("[1]")), "400 the body holds neither \"rows\" nor \"columns\"");
  EXPECT_THAT(Said(Score("{\"rows\": [{")), HasSubstr("400 "));
  EXPECT_EQ(Said(Score("x", "text/csv")), "415 rows cannot come as text/csv");
  EXPECT_EQ(Said(Score("ARROW1", kArrow)), "400 the body is no stream of Arrow record batches");
  EXPECT_EQ(Said(Ask("GET", "/v1/score")), "405 /v1/score does not take GET");
  EXPECT_EQ(Said(Ask("GET", "/v2")), "404 there is nothing at this path");
  const std::string deep(100'000, '[');
  EXPECT_THAT(Said(Score("{\"rows\": " + deep)), HasSubstr("400 "));
}

// Any change of a good body gets an answer or a refusal, never an end.
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
        const HttpAnswer answer = Score(body);
        right += bad ? answer.status == 400
                     : answer.body ==
                           fmt::format(R"({{"predictions":[{{"x__fill":{}.5}}]}})", t * 100 + i);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 400);
}

TEST_F(ServeTest, RefusesMoreRowsThanMayWait) {
  Start({.most_waiting_rows = 1});
  const HttpAnswer answer = Score(R"({"rows": [{"x": 1}, {"x": 2}]})");
  EXPECT_EQ(Said(answer), "503 0 rows wait already, no more than 1 may");
  EXPECT_EQ(answer.headers.at(0), (std::pair<std::string, std::string>("Retry-After", "1")));
}

TEST_F(ServeTest, ServesAnotherModelAndKeepsTheOldOneForABrokenOne) {
  EXPECT_FALSE(model_->Changed());
  fs::remove_all(folder_ / "run");
  SaveModel(folder_, 9);
  EXPECT_TRUE(model_->Changed());
  EXPECT_EQ((*ParseJson(Ask("POST", "/v1/reload").body))["generation"], 2);
  EXPECT_FALSE(model_->Changed());
  const std::string nine = R"({"predictions":[{"x__fill":9.0}]})";
  EXPECT_EQ(Score(R"({"rows": [{"x": null}]})").body, nine);
  std::ofstream(folder_ / "model/stages.json") << "{}";
  const HttpAnswer broken = Ask("POST", "/v1/reload");
  EXPECT_EQ(broken.status, 409);
  EXPECT_THAT(broken.body, HasSubstr("stages.json"));
  EXPECT_THAT(broken.body, HasSubstr("still is"));
  EXPECT_EQ(Score(R"({"rows": [{"x": null}]})").body, nine);
  EXPECT_TRUE((*ParseJson(Ask("GET", "/v1/model").body)).contains("failed_reload"));
}

}  // namespace
}  // namespace protium
