// SPDX-License-Identifier: Apache-2.0
// Pipelines over real tables, the embedded engine and worker processes; training is replaced by a
// stand-in.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"
#include "model/model_state.h"
#include "model/preview.h"
#include "os/file.h"
#include "protium/pipeline.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::vector<StageOptions>& Stages() {
  static const std::vector<StageOptions> stages = {
      StringIndexer({.id = "index", .inputs = {"origin", "hour"}}),
      Imputer({.id = "fill", .inputs = {"temp"}}),
      StandardScaler({.id = "scale", .inputs = OutputsOf("fill") + Columns{"one"}}),
      TorchEstimator({.categorical = OutputsOf("index"),
                      .numeric = OutputsOf("scale"),
                      .label = "delay",
                      .label_scale = Scale::kStandard,
                      .train = {.validation = {.share = 0.2, .by = {"day"}}, .baseline = "hour"},
                      .gang = {.workers = 2}})};
  return stages;
}

class PipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "pipeline-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    WriteTable(300, "");
    Open({});
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }

  // Rows over 30 days; temp is missing in every fifth row.
  void WriteTable(int rows, const std::string& more) {
    std::ofstream out(folder_ / "t.csv");
    out << "origin,hour,temp,one,day,delay\n";
    const char* origins[] = {"JFK", "EWR", "JFK", "LGA"};
    for (int i = 0; i < rows; ++i) {
      const std::string temp = i % 5 == 0 ? "NA" : std::to_string(i % 7) + ".5";
      out << origins[i % 4] << "," << i % 24 << "," << temp << ",1," << i % 30 << ","
          << 2 * (i % 24) + 3 << ".0\n";
    }
    out << more;
  }

  void Open(std::map<std::string, Json> settings, bool resume = false) {
    session_.reset();
    auto session = OpenSession({.engine = "local[2]",
                                .folder = folder_ / "run",
                                .base = folder_,
                                .settings = std::move(settings),
                                .resume = resume});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }

  Sides Tables() {
    session_->Table("t", session_->Read().Csv("t.csv", {.null = "NA"}));
    return session_->Sql("SELECT * FROM t").Split({.by = {"day"}, .test = 0.3, .seed = 0});
  }

  PipelineModel Fitted() {
    auto model = Pipeline(Stages()).Fit(Tables().train);
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }

  static std::shared_ptr<arrow::Table> Read(const DataFrame& frame) {
    auto stream = frame.Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    if (!stream.ok()) return nullptr;
    arrow::RecordBatchVector batches;
    while (auto batch = *(*stream)->Next()) batches.push_back(batch);
    return *arrow::Table::FromRecordBatches((*stream)->schema(), batches);
  }

  Json Text(const std::string& name) { return *ParseJson(*ReadFile(folder_ / "run" / name)); }

  fs::path folder_;
  std::unique_ptr<Session> session_;
};

TEST_F(PipelineTest, LearnsFromTrainingRowsOnly) {
  const PipelineModel model = Fitted();
  const Json results = StateOf(*session_).record().results();
  const int64_t learning = StateOf(model).trained.rows,
                held_out = StateOf(model).trained.validation_rows;
  EXPECT_GT(held_out, 0);
  EXPECT_EQ(Read(Tables().train)->num_rows(), learning + held_out);
  EXPECT_LT(learning + held_out, 300);
  EXPECT_EQ(results["metrics"]["validation"]["rows"], held_out);
  EXPECT_GT(results["seconds"]["first_step"].get<double>(), 0);
  const Json learned = Text("stages.json");
  EXPECT_EQ(learned["stages"][0]["learned"][0]["keys"][0], "JFK");
  EXPECT_EQ(learned["stages"][2]["learned"][1]["deviation"], 0);
  EXPECT_DOUBLE_EQ(learned["baseline"]["slope"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(learned["baseline"]["intercept"].get<double>(), 3);
}

TEST_F(PipelineTest, LearnsTheSameFromAnyOrderOfRows) {
  Fitted();
  const Json first = Text("stages.json");
  std::ifstream in(folder_ / "t.csv");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ofstream out(folder_ / "t.csv");
  out << lines[0] << "\n";
  for (size_t i = lines.size() - 1; i > 0; --i) out << lines[i] << "\n";
  out.close();
  Open({});
  Fitted();
  EXPECT_EQ(Text("stages.json"), first);
}

TEST_F(PipelineTest, AddsThePredictionToTheTable) {
  const PipelineModel model = Fitted();
  const DataFrame test = Tables().test;
  const auto scored = Read(model.Transform(test));
  EXPECT_EQ(
      scored->schema()->field_names(),
      (std::vector<std::string>{"origin", "hour", "temp", "one", "day", "delay", "prediction"}));
  EXPECT_EQ(scored->num_rows(), Read(test)->num_rows());
  EXPECT_EQ(StateOf(*session_).record().results()["metrics"]["test"]["rows"], scored->num_rows());
}

TEST_F(PipelineTest, WritesScoredRows) {
  const PipelineModel model = Fitted();
  const Status written =
      model.Transform(Tables().test).Select({"day", "prediction"}).Write().Parquet("p.parquet");
  ASSERT_TRUE(written.ok()) << Render(FaultOf(written));
  EXPECT_TRUE(fs::exists(folder_ / "run" / "p.parquet"));
  EXPECT_EQ(StateOf(*session_).record().results()["outputs"][0],
            (folder_ / "run" / "p.parquet").string());
  EXPECT_GT(StateOf(*session_).record().results()["seconds"]["score"].get<double>(), 0);
}

TEST_F(PipelineTest, ScoresTheSameFromASavedModel) {
  const PipelineModel model = WithEtl(Fitted(), {{"sql", "SELECT 1"}});
  const auto before = Read(model.Transform(Tables().test).Select({"prediction"}));
  ASSERT_TRUE(model.Save("model").ok());
  Open({});
  auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  const auto after = Read(loaded->Transform(Tables().test).Select({"prediction"}));
  EXPECT_EQ(after->num_rows(), before->num_rows());
  EXPECT_EQ(StateOf(*loaded).trained.weights_sha256, "cafe");
  EXPECT_EQ(StateOf(*loaded).etl["sql"], "SELECT 1");
  EXPECT_EQ(PipelineToJson(StateOf(*loaded)), PipelineToJson(StateOf(model)));
}

TEST_F(PipelineTest, NamesEveryColumnThatAModelMisses) {
  const PipelineModel model = Fitted();
  const Fault fault =
      FaultOf(model.Transform(Tables().test.Select({"hour", "one"})).Stream().status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, HasSubstr("\"origin\", \"temp\""));
}

TEST_F(PipelineTest, ScoresAColumnWithoutAnyValue) {
  const PipelineModel model = Fitted();
  std::ofstream(folder_ / "one.csv") << "origin,hour,temp,one\nJFK,7,NA,1\n";
  const auto scored = Read(model.Transform(session_->Read().Csv("one.csv", {.null = "NA"})));
  ASSERT_EQ(scored->num_rows(), 1);
  EXPECT_TRUE((*scored->GetColumnByName("prediction")->GetScalar(0))->is_valid);
  std::ofstream(folder_ / "bad.csv") << "origin,hour,temp,one\nJFK,7,warm,1\n";
  auto stream = model.Transform(session_->Read().Csv("bad.csv")).Stream();
  const Status status = stream.ok() ? (*stream)->Next().status() : stream.status();
  EXPECT_THAT(status.message(), HasSubstr("warm"));
}

// The same rule as for job files: job/job_test.cc.
TEST_F(PipelineTest, LaysSettingsOverTheEstimatorsOwnOptionsKeyByKey) {
  Open({{"net", {{"name", "tabular_mlp"}, {"hidden", {8}}}},
        {"train", {{"validation", {{"share", 0.3}}}}}});
  std::vector<StageOptions> stages = Stages();
  stages.back() = TorchEstimator({.net = TabularMlp({.dropout = 0.5}),
                                  .numeric = OutputsOf("scale"),
                                  .label = "delay",
                                  .train = {.validation = {.share = 0.1, .by = {"day"}}}});
  const Result<Preview> preview = MakePreview(Pipeline(stages), Tables().train);
  ASSERT_TRUE(preview.ok()) << preview.status();
  const Json estimator = preview->pipeline.back();
  EXPECT_EQ(estimator["net"]["hidden"], Json({8}));
  EXPECT_EQ(estimator["net"]["dropout"], 0.5);
  EXPECT_EQ(estimator["train"]["validation"]["share"], 0.3);
  EXPECT_EQ(estimator["train"]["validation"]["by"], Json({"day"}));
}

TEST_F(PipelineTest, TakesSettingsForTheOnlyEstimator) {
  Open({{"train.epochs", 3}, {"gang.workers", 1}, {"train.optimizer", {{"name", "sgd"}}}});
  const PipelineModel model = Fitted();
  EXPECT_EQ(PipelineToJson(StateOf(model))[3]["train"]["epochs"], 3);
  EXPECT_EQ(PipelineToJson(StateOf(model))[3]["train"]["optimizer"]["momentum"], 0);
  EXPECT_EQ(StateOf(*session_).record().results()["workers"], 1);
  Open({{"train.epoch", 3}});
  const Status refused = Pipeline(Stages()).Fit(Tables().train).status();
  EXPECT_EQ(FaultOf(refused).where, "train.epoch");
}

TEST_F(PipelineTest, ResumesWithoutFittingAgain) {
  Fitted();
  Json learned = Text("stages.json");
  learned["objective"]["labels"][0]["mean"] = 12345.0;
  ASSERT_TRUE(WriteFile(folder_ / "run" / "stages.json", Pretty(learned)).ok());
  Open({}, true);
  const PipelineModel model = Fitted();
  EXPECT_EQ(StateOf(model).trained.steps, 2);
  EXPECT_EQ(Text("stages.json")["objective"]["labels"][0]["mean"], 12345.0);
}

TEST_F(PipelineTest, ResumesOnlyFromTheSameInputs) {
  Fitted();
  WriteTable(299, "");
  const Status refused =
      OpenSession({.engine = "local", .folder = folder_ / "run", .resume = true}).status();
  EXPECT_EQ(FaultOf(refused).exit, Exit::kInput);
  EXPECT_THAT(FaultOf(refused).what, HasSubstr("t.csv"));
}

TEST_F(PipelineTest, LooksBeforeAnythingRuns) {
  const auto preview = MakePreview(Pipeline(Stages()), Tables().train);
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->stages[2]["level"], 2);
  EXPECT_EQ(preview->training["shards"], 4);
  EXPECT_FALSE(fs::exists(folder_ / "run" / "stages.json"));
}

TEST_F(PipelineTest, RefusesAGangThatNeverFitsBeforeAnyRowIsRead) {
  Open({{"gang.workers", 3}});
  const Fault fault = FaultOf(Pipeline(Stages()).Fit(Tables().train).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(fault.what, HasSubstr("can never fit"));
  EXPECT_FALSE(StateOf(*session_).record().results().contains("seconds"));
}

TEST_F(PipelineTest, SaysThatThereAreNoRows) {
  session_->Table("t", session_->Read().Csv("t.csv", {.null = "NA"}));
  const DataFrame none = session_->Sql("SELECT * FROM t WHERE hour > 99");
  const Fault fault = FaultOf(Pipeline(Stages()).Fit(none).status());
  EXPECT_THAT(fault.what, HasSubstr("no rows to learn from"));
}

TEST_F(PipelineTest, SaysThatAColumnIsEmpty) {
  session_->Table("t", session_->Read().Csv("t.csv", {.null = "NA"}));
  const DataFrame rows =
      session_->Sql("SELECT origin, hour, CAST(NULL AS DOUBLE) AS temp, one, day, delay FROM t");
  const std::vector<StageOptions> stages = {StringIndexer({.id = "index", .inputs = {"origin"}}),
                                            StandardScaler({.id = "scale", .inputs = {"temp"}})};
  const Fault fault = FaultOf(Pipeline(stages).Fit(rows).status());
  EXPECT_THAT(fault.what, HasSubstr("\"temp\" has no value"));
  EXPECT_THAT(fault.where, HasSubstr("pipeline.1"));
}

TEST_F(PipelineTest, NamesTheColumnThatHoldsAnInfinity) {
  session_->Table("t", session_->Read().Csv("t.csv", {.null = "NA"}));
  const DataFrame rows = session_->Sql(
      "SELECT one, CASE WHEN hour = 3 THEN CAST('Infinity' AS DOUBLE) ELSE 1D END AS wide FROM t");
  const std::vector<StageOptions> stages = {
      Imputer({.id = "fill", .inputs = {"one", "wide"}}),
      StandardScaler({.id = "scale", .inputs = OutputsOf("fill")})};
  const Fault fault = FaultOf(Pipeline(stages).Fit(rows).status());
  EXPECT_EQ(fault.what, "column \"wide\": an infinite value");
}

TEST_F(PipelineTest, RefusesForbiddenValuesByColumn) {
  const Pipeline pipeline({StringIndexer(
      {.id = "index", .inputs = {"origin"}, .unseen = Unseen::kError, .missing = Unseen::kError})});
  session_->Table("t", session_->Read().Csv("t.csv", {.null = "NA"}));
  const auto model = pipeline.Fit(session_->Sql("SELECT origin FROM t"));
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  EXPECT_EQ(Read(model->Transform(session_->Sql("SELECT origin FROM t")))->num_rows(), 300);
  const auto fails = [&](const char* sql) {
    auto stream = model->Transform(session_->Sql(sql)).Stream();
    const Status status = stream.ok() ? (*stream)->Next().status() : stream.status();
    return status.message();
  };
  EXPECT_THAT(fails("SELECT 'XXX' AS origin FROM t"), HasSubstr("never seen"));
  EXPECT_THAT(fails("SELECT CAST(NULL AS VARCHAR) AS origin FROM t"), HasSubstr("NULL"));
}

TEST_F(PipelineTest, MissingFilesAreReportedByTheFirstAction) {
  const DataFrame frame = session_->Read().Csv("s.csv");
  const Fault fault = FaultOf(frame.Schema().status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, HasSubstr("s.csv"));
  EXPECT_THAT(fault.fix, HasSubstr("\"t.csv\""));
}

}  // namespace
}  // namespace protium
