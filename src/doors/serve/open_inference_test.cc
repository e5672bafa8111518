// SPDX-License-Identifier: Apache-2.0
// Requests in the Open Inference Protocol, as clients of KServe and Triton write them.
#include "serve/open_inference.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/fault.h"
#include "serve/infer_output.h"
#include "serve/infer_request.h"
#include "serve/infer_tensor.h"
#include "serve/responses.h"
#include "serve/testing/test_model.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr const char* kJsonBytes = "inference-header-content-length";

template <class Value>
std::string BytesOf(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

std::string RawText(const std::string& text) {
  return BytesOf<uint32_t>({uint32_t(text.size())}) + text;
}

class OpenInferenceTest : public WithServedModel {
 protected:
  void SetUp() override {
    WithServedModel::SetUp();
    responses_ = std::make_unique<ServeResponses>(ServeOptions{.name = "shop"}, model_);
  }
  HttpResponse Ask(const std::string& method, const std::string& path, const std::string& body = {},
                   const std::string& json_bytes = {}) {
    HttpRequest request{.method = method, .path = path};
    if (!json_bytes.empty()) request.headers[kJsonBytes] = json_bytes;
    return responses_->Respond(request, body);
  }
  HttpResponse Infer(const std::string& json, const std::string& raw = {}) {
    return Ask("POST", "/v2/models/shop/infer", json + raw, std::to_string(json.size()));
  }
  // "400 what" of a refusal, which is a text in this protocol.
  std::string Said(const HttpResponse& response) {
    const auto json = ParseJson(response.body);
    if (!json.ok()) return response.body;
    return fmt::format("{} {}", response.status, TextAt(*json, "error"));
  }

  std::unique_ptr<ServeResponses> responses_;
};

TEST_F(OpenInferenceTest, SaysWhatItServes) {
  EXPECT_EQ((*ParseJson(Ask("GET", "/v2").body))["extensions"], Json{"binary_tensor_data"});
  EXPECT_EQ(Ask("GET", "/v2/health/live").body, R"({"live":true})");
  EXPECT_EQ(Ask("GET", "/v2/health/ready").body, R"({"ready":true})");
  EXPECT_EQ(Ask("GET", "/v2/models/shop/ready").status, 200);
  const Json facts = *ParseJson(Ask("GET", "/v2/models/shop/versions/1").body);
  EXPECT_EQ(facts["name"], "shop");
  EXPECT_EQ(facts["versions"], Json{"1"});
  EXPECT_EQ(facts["inputs"], Json::parse(R"([{"name": "x", "datatype": "FP64", "shape": [-1]}])"));
  EXPECT_EQ(facts["outputs"][0]["name"], "x__fill");
}

TEST_F(OpenInferenceTest, RefusesOtherModelsPathsAndMethods) {
  EXPECT_THAT(Said(Ask("GET", "/v2/models/other")), HasSubstr("404 no model \"other\""));
  EXPECT_THAT(Said(Ask("GET", "/v2/models/shop/versions/2")), HasSubstr("version 2"));
  EXPECT_EQ(Ask("GET", "/v2/models/shop/versions/1/ready").status, 200);
  EXPECT_EQ(Ask("GET", "/v2/models/shop/config").status, 404);
  EXPECT_EQ(Ask("GET", "/v2/models").status, 404);
  EXPECT_EQ(Ask("GET", "/v2/models/shop/infer").status, 405);
  EXPECT_EQ(Ask("POST", "/v2/health/live").status, 405);
}

TEST_F(OpenInferenceTest, IsNotReadyOnceTheServerEnds) {
  Ask("GET", "/v2/health/ready");
  EXPECT_GT(responses_->Drain().count(), 0);  // Since somebody asked.
  const HttpResponse response = Ask("GET", "/v2/models/shop/ready");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, R"({"ready":false})");
}

TEST_F(OpenInferenceTest, PredictsFromJson) {
  const HttpResponse response = Infer(
      R"({"id": "a7", "inputs": [{"data": [[1.5], [null]], "name": "x", "shape": [2, 1],)"
      R"( "datatype": "FP64"}, {"name": "other", "shape": [1], "datatype": "FP16", "data": [1]}]})");
  ASSERT_EQ(response.status, 200) << response.body;
  const Json read = *ParseJson(response.body);
  EXPECT_EQ(read["model_name"], "shop");
  EXPECT_EQ(read["model_version"], "1");
  EXPECT_EQ(read["id"], "a7");
  const Json& output = read["outputs"].back();
  EXPECT_EQ(output["name"], "x__fill");
  EXPECT_EQ(output["datatype"], "FP64");
  EXPECT_EQ(output["shape"], Json{2});
  EXPECT_EQ(output["data"], Json::parse("[1.5, 7.0]"));
}

TEST_F(OpenInferenceTest, PredictsFromBytesAndAnswersWithBytes) {
  const std::string raw = BytesOf<float>({2.5f, 3.5f});
  const HttpResponse response =
      Infer(R"({"inputs": [{"name": "x", "shape": [2], "datatype": "FP32",)"
            R"( "parameters": {"binary_data_size": 8}}],)"
            R"( "outputs": [{"name": "x__fill", "parameters": {"binary_data": true}}]})",
            raw);
  ASSERT_EQ(response.status, 200) << response.body;
  ASSERT_EQ(response.headers.size(), 1u);
  const size_t json_bytes = std::stoul(response.headers[0].second);
  const Json read = *ParseJson(response.body.substr(0, json_bytes));
  EXPECT_EQ(read["outputs"][0]["parameters"]["binary_data_size"], 16);
  EXPECT_EQ(response.body.substr(json_bytes), BytesOf<double>({2.5, 3.5}));
}

TEST_F(OpenInferenceTest, RefusesWhatIsNoRequest) {
  const auto said = [&](const std::string& json, const std::string& raw = {}) {
    return Said(Infer(json, raw));
  };
  const auto input = [&](const std::string& members, const std::string& raw = {}) {
    return said(R"({"inputs": [{"name": "x", )" + members + "}]}", raw);
  };
  EXPECT_THAT(said("{"), HasSubstr("400 not valid JSON"));
  EXPECT_THAT(said("{}"), HasSubstr("has no \"inputs\""));
  EXPECT_THAT(said(R"({"inputs": 3})"), HasSubstr("\"inputs\" is not a list"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "FP64")"), HasSubstr("has no \"data\""));
  EXPECT_THAT(input(R"("shape": [], "datatype": "FP64", "data": [])"),
              HasSubstr("no dimension for rows"));
  EXPECT_THAT(input(R"("shape": [2], "datatype": "FP64", "data": [1])"),
              HasSubstr("the 2 values of its shape [2]"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "FP64", "data": [1, 2])"),
              HasSubstr("the 1 values of its shape"));
  EXPECT_THAT(input(R"("shape": [1, 2], "datatype": "FP64", "data": [1, 2])"),
              HasSubstr("one value in each row"));
  EXPECT_THAT(input(R"("shape": [-1], "datatype": "FP64", "data": [1])"),
              HasSubstr("not one of a tensor in memory"));
  EXPECT_THAT(input(R"("shape": [3037000500, 3037000500, 9], "datatype": "FP64", "data": [1])"),
              HasSubstr("not one of a tensor in memory"));
  EXPECT_THAT(input(R"("shape": [70000], "datatype": "FP64", "data": [1])"),
              HasSubstr("more rows than the 65536"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "FP12", "data": [1])"),
              HasSubstr("datatype \"FP12\""));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "FP64", "data": ["a"])"),
              HasSubstr("\"a\" is not a valid float64 (input \"x\")"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "FP64", "data": [1]}, {"name": "x", "shape": [1],)"
                    R"( "datatype": "FP64", "data": [1])"),
              HasSubstr("comes twice"));
  EXPECT_THAT(said(R"({"inputs": [{"name": "x", "shape": [1], "datatype": "FP64", "data": [1]}],)"
                   R"( "outputs": [{"name": "z"}]})"),
              HasSubstr("no output \"z\""));
}

TEST_F(OpenInferenceTest, RefusesBytesThatDoNotFit) {
  const std::string sized =
      R"({"inputs": [{"name": "x", "shape": [1], "datatype": "%", "parameters": {"binary_data_size": #}}]})";
  const auto said = [&](const std::string& datatype, int size, const std::string& raw) {
    std::string json = sized;
    json.replace(json.find('%'), 1, datatype).replace(json.find('#'), 1, std::to_string(size));
    return Said(Infer(json, raw));
  };
  const std::string eight(8, '\0');
  EXPECT_THAT(said("FP64", 9, eight), HasSubstr("has 9 bytes, and 8 follow"));
  EXPECT_THAT(said("FP64", -1, eight), HasSubstr("has -1 bytes"));
  EXPECT_THAT(said("FP64", 8, eight + "more"), HasSubstr("4 bytes follow"));
  EXPECT_THAT(said("FP32", 8, eight), HasSubstr("values of its shape"));
  EXPECT_THAT(said("BOOL", 1, "\2"), HasSubstr("neither 0 nor 1"));
  EXPECT_THAT(said("BYTES", 8, eight), HasSubstr("is float64, not BYTES"));
  EXPECT_THAT(Said(Ask("POST", "/v2/models/shop/infer", "{}", "70")),
              HasSubstr("70, and the body"));
  EXPECT_THAT(Said(Ask("POST", "/v2/models/shop/infer", "{}", "-7")), HasSubstr("not a number"));
}

// A request for columns that the model of the fixture does not have.
Result<InferRequest> Read(const arrow::Schema& input, const std::string& json,
                          const std::string& raw = {}) {
  return ReadInferRequest(json + raw, json.size(), input, 100);
}

TEST(InferRequests, HaveTextsDatesAndListsAsBytes) {
  const auto input =
      arrow::schema({arrow::field("shop", arrow::utf8()), arrow::field("day", arrow::date32()),
                     arrow::field("v", arrow::list(arrow::float32()))});
  const std::string shops = RawText("north") + RawText(""),
                    days = RawText("2024-01-31") + RawText("1970-01-02");
  const std::string vectors = BytesOf<float>({1, 2, 3, 4, 5, 6});
  const auto tensor = [](const std::string& name, const std::string& shape,
                         const std::string& datatype, size_t bytes) {
    return fmt::format(
        R"({{"name": "{}", "shape": {}, "datatype": "{}", "parameters": {{"binary_data_size": {}}}}})",
        name, shape, datatype, bytes);
  };
  const auto read = Read(*input,
                         R"({"inputs": [)" + tensor("v", "[2, 3]", "FP32", vectors.size()) + "," +
                             tensor("shop", "[2]", "BYTES", shops.size()) + "," +
                             tensor("day", "[2]", "BYTES", days.size()) + "]}",
                         vectors + shops + days);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->rows->schema()->Equals(*input)) << read->rows->schema()->ToString();
  EXPECT_TRUE(read->rows->ValidateFull().ok());
  const auto& texts = static_cast<const arrow::StringArray&>(*read->rows->column(0));
  EXPECT_EQ(texts.GetString(0) + "|" + texts.GetString(1), "north|");
  EXPECT_EQ(static_cast<const arrow::Date32Array&>(*read->rows->column(1)).Value(1), 1);
  EXPECT_EQ(*JsonValues(*input->field(2), *read->rows->column(2)),
            Json::parse("[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"));
}

TEST(InferTensors, ComeBackAsTheyWere) {
  const auto field = arrow::field("v", arrow::list(arrow::int16()));
  const InferTensor tensor{.name = "v", .datatype = "INT16", .shape = {2, 2}};
  const auto size = SizeOf(tensor, 10);
  ASSERT_TRUE(size.ok());
  const std::string bytes = BytesOf<int16_t>({1, -2, 3, -4});
  const auto column = ReadRawTensor(bytes, tensor, *size, *field);
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_EQ(*ShapeOf(*field, **column), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(*RawValues(*field, **column), bytes);
  EXPECT_EQ(Dump(*JsonValues(*field, **column)), "[1,-2,3,-4]");
  EXPECT_EQ(*RawValues(*field, *(*column)->Slice(1)), bytes.substr(4));
}

TEST(InferTensors, SayWhatBytesCannotTell) {
  arrow::Int64Builder whole;
  ASSERT_TRUE(whole.AppendNull().ok());
  EXPECT_FALSE(RawValues(*arrow::field("n", arrow::int64()), **whole.Finish()).ok());
  arrow::DoubleBuilder real;
  ASSERT_TRUE(real.AppendNull().ok());
  const auto bytes = RawValues(*arrow::field("r", arrow::float64()), **real.Finish());
  ASSERT_TRUE(bytes.ok());
  double value = 0;
  std::memcpy(&value, bytes->data(), sizeof(value));
  EXPECT_TRUE(std::isnan(value));
  arrow::BinaryBuilder binary;
  ASSERT_TRUE(binary.Append("\xff").ok());
  const auto picture = arrow::field("p", arrow::binary());
  const auto pictures = *binary.Finish();
  EXPECT_FALSE(JsonValues(*picture, *pictures).ok());
  EXPECT_EQ(*RawValues(*picture, *pictures), RawText("\xff"));
  EXPECT_FALSE(DatatypeOf(*arrow::field("l", arrow::list(arrow::list(arrow::int8())))).ok());
}

}  // namespace
}  // namespace protium
