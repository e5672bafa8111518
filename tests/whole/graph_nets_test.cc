// SPDX-License-Identifier: Apache-2.0
// Models whose nets LibTorch trained, scored by ONNX Runtime: the same bits by workers as in this
// process, alone and among others, and no LibTorch. Whether they agree with LibTorch's is what
// `protium export` checks.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/fault.h"
#include "frame/session_state.h"
#include "onnx_runtime/net.h"
#include "protium/scorer.h"
#include "whole/own_job.h"
#include "whole/predictions_in.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;

struct Case {
  const char* name;
  const char* net;
  bool lists;  // It reads the lists `pixels` or `words` instead of the usual columns.
};

constexpr Case kCases[] = {
    {"FtTransformer", R"({ name = "ft_transformer", width = 16, heads = 2, layers = 2 })", false},
    {"Cnn",
     R"({ name = "cnn", filters = [4], batch_norm = true, divide_by = 10 })"
     "\nvectors = [{ column = \"pixels\", length = 16 }]",
     true},
    {"TextClassifier",
     R"({ name = "text_classifier", vocabulary = 30, embedding = 8, layers = 1 })"
     "\nvectors = [{ column = \"words\", length = 4 }]",
     true}};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// The job on machines with this net. A machine's image and text are related to its hours.
std::string JobOf(const Case& c) {
  std::string job = With(kMachinesJob, "SELECT * FROM machines",
                         "SELECT *, transform(sequence(1, 16), i -> (age * i) % 10 + 1) AS pixels,"
                         " array(age + 1, id % 5, 0, 0) AS words FROM machines");
  job = With(job, "label = ", std::string("net = ") + c.net + "\nlabel = ");
  return c.lists ? With(job, "categorical = [{ stage = \"index\" }]\n", "") : job;
}

bool LoadsLibTorch() { return ReadText("/proc/self/maps").find("libtorch") != std::string::npos; }

class NetAsGraph : public testing::TestWithParam<Case> {};

TEST_P(NetAsGraph, PredictsWithoutLibTorch) {
  if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  const OwnJob own(MachinesTable(300), JobOf(GetParam()));
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const Outcome written =
      own.Protium({"export", own.Model(), "--to", "onnx", "--output", (own / "m.onnx").string()});
  EXPECT_EQ(written.exit, 0) << written.err;
  EXPECT_THAT(written.err, HasSubstr("of LibTorch's, on 10000 rows"));
  const auto session = OpenSession({.engine = "local[1]", .program = ProtiumCommand()});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto model = PipelineModel::Load(**session, own.Model());
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  (*session)->Table("machines", (*session)->Read().Csv((own / "machines.csv").string()));
  const Json etl = *ParseJson(ReadText(std::filesystem::path(own.Model()) / "etl.json"));
  const auto stream = model->Transform((*session)->Sql(etl["sql"].get<std::string>())).Stream();
  ASSERT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
  const auto scorer = Scorer::Make(*model);
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  int64_t rows = 0;
  while (const auto batch = *(*stream)->Next()) {
    const auto all = *scorer->Score(*batch->RemoveColumn(batch->num_columns() - 1).ValueOrDie());
    const auto& ours = static_cast<const arrow::DoubleArray&>(*all->column(0));
    const auto& workers =
        static_cast<const arrow::DoubleArray&>(*batch->GetColumnByName("prediction"));
    EXPECT_TRUE(ours.Equals(workers));
    for (int64_t i = 0; i < std::min<int64_t>(20, batch->num_rows()); ++i) {
      const auto alone =
          *scorer->Score(*batch->Slice(i, 1)->RemoveColumn(batch->num_columns() - 1).ValueOrDie());
      EXPECT_TRUE(alone->column(0)->Equals(all->column(0)->Slice(i, 1))) << "row " << i;
    }
    rows += batch->num_rows();
  }
  EXPECT_EQ(rows, 300);
  EXPECT_FALSE(LoadsLibTorch());
}

// The environment names a LibTorch that is not there: what needs one fails.
TEST_P(NetAsGraph, IsScoredByTheCommandAndInSqlWithoutLibTorch) {
  if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  const OwnJob own(MachinesTable(300), JobOf(GetParam()));
  ASSERT_EQ(own.Run().exit, 0);
  const std::map<std::string, std::string> without = {{"PROTIUM_LIBTORCH", own / "nowhere"}};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), ProtiumCommand());
    Running command(std::move(words), own.path(), without);
    return command.Wait();
  };
  const std::string model = own.Model();
  const Outcome trained = run({"run", own / "job.toml", "--runs-dir", own / "runs"});
  EXPECT_NE(trained.exit, 0);
  EXPECT_THAT(trained.err, HasSubstr("there is no LibTorch"));
  const Outcome scored =
      run({"predict", "--model", model, "--data", own.path(), "--output", own / "out.parquet"});
  EXPECT_EQ(scored.exit, 0) << scored.err;
  const Json etl = *ParseJson(ReadText(std::filesystem::path(model) / "etl.json"));
  const std::string query = fmt::format("SELECT count(prediction) AS n FROM score('{}', ({}))",
                                        model, etl["sql"].get<std::string>());
  const Outcome sql = run({"sql", query, "--data", own.path(), "--json"});
  EXPECT_EQ(sql.exit, 0) << sql.err;
  EXPECT_THAT(sql.out, HasSubstr("300"));
}

// The export compares the graph with LibTorch, which computes with the same weights.
TEST_P(NetAsGraph, IsScoredAndWrittenWithWeightsOf8Bits) {
  if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  const OwnJob own(MachinesTable(300), JobOf(GetParam()));
  ASSERT_EQ(own.Run().exit, 0);
  const auto written = [&](std::vector<std::string> more) {
    const std::string file = own / ("m" + std::to_string(more.size()) + ".onnx");
    more.insert(more.begin(), {"export", own.Model(), "--to", "onnx-net", "--output", file});
    const Outcome out = own.Protium(more);
    EXPECT_EQ(out.exit, 0) << out.err;
    return std::pair(out.err, std::filesystem::file_size(file));
  };
  const auto [said, bytes] = written({"--precision", "int8", "--most-loss", "1"});
  EXPECT_THAT(said, HasSubstr("note: in int8: "));
  EXPECT_THAT(said, HasSubstr("of LibTorch's with the same weights, on 10000 rows"));
  EXPECT_LT(bytes, written({}).second);
  const auto predict = [&](std::vector<std::string> more, const std::string& file) {
    more.insert(more.begin(), {"predict", "--model", own.Model(), "--data", own.path(), "--columns",
                               "prediction", "--output", own / file});
    const Outcome out = own.Protium(more);
    EXPECT_EQ(out.exit, 0) << out.err;
    return PredictionsIn(own, file);
  };
  const auto exact = predict({}, "float32.csv");
  const auto rounded = predict({"--precision", "int8", "--most-loss", "1"}, "int8.csv");
  ASSERT_EQ(rounded.size(), 300);
  EXPECT_NE(rounded, exact);
  const auto [low, high] = std::ranges::minmax(exact);
  for (size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(rounded[i], exact[i], 0.1 * (high - low)) << "row " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, NetAsGraph, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace protium::whole
