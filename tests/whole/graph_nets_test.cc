// SPDX-License-Identifier: Apache-2.0
// Models whose nets LibTorch trained, scored in this process by ONNX Runtime: the predictions of
// `protium predict` within rounding, the same bits alone and among others, and no LibTorch.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/fault.h"
#include "frame/session_state.h"
#include "onnx_runtime/net.h"
#include "protium/scorer.h"
#include "whole/own_job.h"

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
    const auto& torch =
        static_cast<const arrow::DoubleArray&>(*batch->GetColumnByName("prediction"));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      EXPECT_NEAR(ours.Value(i), torch.Value(i), 1e-5 * std::max(1.0, std::abs(torch.Value(i))));
      if (i >= 20) continue;
      const auto alone =
          *scorer->Score(*batch->Slice(i, 1)->RemoveColumn(batch->num_columns() - 1).ValueOrDie());
      EXPECT_TRUE(alone->column(0)->Equals(all->column(0)->Slice(i, 1))) << "row " << i;
    }
    rows += batch->num_rows();
  }
  EXPECT_EQ(rows, 300);
  EXPECT_FALSE(LoadsLibTorch());
}

INSTANTIATE_TEST_SUITE_P(Of, NetAsGraph, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace protium::whole
