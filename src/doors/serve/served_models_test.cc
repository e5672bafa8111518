// SPDX-License-Identifier: Apache-2.0
// Several models of one server, canaries, and a model that cannot be loaded.
#include "serve/served_models.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "serve/testing/test_model.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// Models that fill what is missing with 7 and with 9.
class ManyModels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    seven_ = ModelPlace();
    nine_ = ModelPlace();
    SaveModel(seven_, 7);
    SaveModel(nine_, 9);
  }
  static void TearDownTestSuite() {
    fs::remove_all(seven_);
    fs::remove_all(nine_);
  }
  void SetUp() override { broken_ = ModelPlace(); }
  void TearDown() override { fs::remove_all(broken_); }

  void Start(std::vector<ModelToServe> models, fs::path log = {}) {
    ServeOptions options{.models = std::move(models), .log = std::move(log)};
    options.note = [this](const std::string& line) { notes_ += line; };
    auto loaded = ServedModels::Load(options);
    ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
    models_ = std::move(*loaded);
  }
  HttpResponse Ask(const std::string& method, const std::string& path, const std::string& body = {},
                   const std::string& key = {}) {
    HttpRequest request{.method = method, .path = path};
    request.headers["content-type"] = "application/json";
    if (!key.empty()) request.headers["x-request-key"] = key;
    return models_->Respond(request, body);
  }
  // What is filled in: 7, 9, or 0 for a refusal.
  int Filled(const std::string& path, const std::string& key = {}) {
    const auto response = Ask("POST", path, R"({"rows": [{"x": null}]})", key);
    if (response.body.find(":7.0") != std::string::npos) return 7;
    return response.body.find(":9.0") != std::string::npos ? 9 : 0;
  }

  static inline fs::path seven_, nine_;
  fs::path broken_;
  std::string notes_;
  std::unique_ptr<ServedModels> models_;
};

TEST_F(ManyModels, AreServedByName) {
  Start({{.name = "a", .model = seven_ / "model"}, {.name = "b", .model = nine_ / "model"}});
  EXPECT_EQ(Filled("/v1/models/a/score"), 7);
  EXPECT_EQ(Filled("/v1/models/b/score"), 9);
  EXPECT_TRUE(models_->IsForRows("/v1/models/b/score"));
  EXPECT_TRUE(models_->IsForRows("/v2/models/b/infer"));
  EXPECT_FALSE(models_->IsForRows("/v1/models/none/score"));
  const std::string tensor =
      R"({"inputs": [{"name": "x", "shape": [1], "datatype": "FP64", "data": [null]}]})";
  EXPECT_THAT(Ask("POST", "/v2/models/b/infer", tensor).body,
              AllOf(HasSubstr("\"model_name\":\"b\""), HasSubstr("[9.0]")));
  EXPECT_EQ(Ask("GET", "/v2/models/a/ready").status, 200);
  EXPECT_THAT(Ask("GET", "/v1/models").body,
              AllOf(HasSubstr("\"name\":\"a\""), HasSubstr("\"name\":\"b\"")));
  EXPECT_EQ(Ask("GET", "/readyz").status, 200);
}

TEST_F(ManyModels, RefuseNamesThatThereAreNot) {
  Start({{.name = "a", .model = seven_ / "model"}, {.name = "b", .model = nine_ / "model"}});
  for (const char* path : {"/v1/models/c/score", "/v2/models/c/infer"}) {
    const HttpResponse response = Ask("POST", path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_THAT(response.body, HasSubstr("one of a, b")) << path;
  }
  const HttpResponse unnamed = Ask("POST", "/v1/score");
  EXPECT_EQ(unnamed.status, 404);
  EXPECT_THAT(unnamed.body, HasSubstr("/v1/models/NAME/score"));
  EXPECT_EQ(Ask("POST", "/v1/models/a/versions/canary/score").status, 404);
  EXPECT_EQ(Ask("POST", "/v1/models/a/versions/4/score").status, 404);
  EXPECT_EQ(Ask("GET", "/v1/models/a/score").status, 405);
}

TEST_F(ManyModels, GiveACanaryItsShare) {
  Start(
      {{.name = "a", .model = seven_ / "model", .canary = nine_ / "model", .canary_share = 0.25}});
  std::string filled;
  for (int i = 0; i < 8; ++i) filled += std::to_string(Filled("/v1/models/a/score"));
  EXPECT_EQ(filled, "77797779");
  EXPECT_EQ(Filled("/v1/models/a/versions/canary/score"), 9);
  EXPECT_EQ(Filled("/v1/models/a/versions/stable/score"), 7);
  // By key: always the same, and of many about the share.
  int nines = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string key = "client " + std::to_string(i);
    const int first = Filled("/v1/models/a/score", key);
    EXPECT_EQ(Filled("/v1/models/a/score", key), first);
    nines += first == 9;
  }
  EXPECT_GT(nines, 70);
  EXPECT_LT(nines, 130);
  const std::string text = Ask("GET", "/metrics").body;
  EXPECT_THAT(text, HasSubstr(R"(protium_serve_generation{model="a",version="canary"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(protium_serve_requests_total{model="a",version="stable",status)"));
  EXPECT_THAT(Ask("GET", "/v1/models/a").body, HasSubstr("\"share\":0.25"));
  EXPECT_THAT(Ask("GET", "/v2/models/a").body, HasSubstr(R"("versions":["1","canary-1"])"));
}

TEST_F(ManyModels, ThatCannotBeLoadedLeaveTheOthers) {
  fs::create_directories(broken_ / "model");
  std::ofstream(broken_ / "model/model.json") << "{";
  Start({{.name = "a", .model = broken_ / "model"}, {.name = "b", .model = nine_ / "model"}});
  EXPECT_THAT(notes_, HasSubstr("model.json"));
  EXPECT_EQ(Filled("/v1/models/b/score"), 9);
  const HttpResponse refused = Ask("POST", "/v1/models/a/score", "{}");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("the model \\\"a\\\" could not be loaded"));
  EXPECT_EQ(Ask("GET", "/v2/models/a/ready").status, 503);
  EXPECT_EQ(Ask("GET", "/v2/models/b/ready").status, 200);
  EXPECT_THAT(Ask("GET", "/metrics").body,
              HasSubstr(R"(protium_serve_generation{model="a",version="stable"} 0)"));
  EXPECT_EQ(Ask("POST", "/v1/reload").status, 409);
  fs::remove_all(broken_ / "model");
  fs::copy(seven_ / "model", broken_ / "model", fs::copy_options::recursive);
  models_->Reload(false);
  EXPECT_EQ(Filled("/v1/models/a/score"), 7);
}

TEST_F(ManyModels, AreAFaultIfNoneCanBeLoaded) {
  const auto loaded = ServedModels::Load({.models = {{.name = "a", .model = broken_ / "none"}}});
  EXPECT_FALSE(loaded.ok());
}

TEST_F(ManyModels, KeepRequestsByNameWithTheVersion) {
  Start({{.name = "a", .model = seven_ / "model", .canary = nine_ / "model", .canary_share = 0.5}},
        broken_ / "log");
  EXPECT_EQ(Filled("/v1/models/a/score"), 7);
  EXPECT_EQ(Filled("/v1/models/a/score"), 9);
  models_.reset();  // Writes what is left.
  const auto session = OpenSession({.engine = "local[1]",
                                    .folder = broken_ / "reading",
                                    .base = broken_,
                                    .program = OwnLibraryFolder().parent_path() / "bin/protium"});
  const auto stream = (*session)->Read().Parquet("log/a/*.parquet").Stream();
  ASSERT_TRUE(stream.ok()) << stream.status();
  std::string versions;
  while (auto batch = *(*stream)->Next()) {
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      versions += (*batch->GetColumnByName("version")->GetScalar(i))->ToString() + " ";
      versions += (*batch->GetColumnByName("x__fill")->GetScalar(i))->ToString() + " ";
    }
  }
  EXPECT_EQ(versions, "stable 7 canary 9 ");
}

TEST(Canary, GetsItsShareOfAnyNumberOfRequests) {
  int given = 0;
  for (uint64_t n = 0; n < 1000; ++n) given += IsForCanary(n, 0.1);
  EXPECT_EQ(given, 100);
}

}  // namespace
}  // namespace protium
