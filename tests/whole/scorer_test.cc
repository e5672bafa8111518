// SPDX-License-Identifier: Apache-2.0
// Models scored in this process return the same bits as in workers: for the example's flights, and
// for classes with texts, missing values and unseen values.
#include "protium/scorer.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "frame/session_state.h"
#include "whole/flights.h"
#include "whole/own_job.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;

std::unique_ptr<Session> Open() {
  auto session = OpenSession({.engine = "local[1]", .program = ProtiumCommand()});
  EXPECT_TRUE(session.ok()) << session.status();
  return std::move(*session);
}

// Whether both have the same bits: NaN equals NaN, and 0 does not equal -0.
bool SameBits(const arrow::Array& a, const arrow::Array& b) {
  return a.Equals(b, arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false));
}

// Scores in this process what workers have scored: in batches, and the first rows one by one.
int64_t ExpectSameBits(const PipelineModel& model, const DataFrame& table) {
  const auto scorer = Scorer::Make(model);
  EXPECT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  const auto stream = model.Transform(table).Stream();
  EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
  int64_t rows = 0;
  while (scorer.ok() && stream.ok()) {
    const auto batch = (*stream)->Next();
    EXPECT_TRUE(batch.ok()) << Render(FaultOf(batch.status()));
    if (!batch.ok() || *batch == nullptr) break;
    const int own = (*batch)->num_columns() - scorer->output()->num_fields();
    auto given = *batch;
    while (given->num_columns() > own) given = *given->RemoveColumn(own);
    const auto expect = [&](const std::shared_ptr<arrow::RecordBatch>& some, int64_t at) {
      const auto scored = scorer->Score(*some);
      ASSERT_TRUE(scored.ok()) << Render(FaultOf(scored.status()));
      for (int c = 0; c < (*scored)->num_columns(); ++c) {
        EXPECT_TRUE(SameBits(*(*scored)->column(c),
                             *(*batch)->column(own + c)->Slice(at, some->num_rows())))
            << (*scored)->column_name(c) << " from row " << rows + at;
      }
    };
    expect(given, 0);
    for (int64_t i = 0; i < std::min<int64_t>(100, given->num_rows()); ++i) {
      expect(given->Slice(i, 1), i);
    }
    rows += (*batch)->num_rows();
  }
  return rows;
}

TEST(Scorer, GivesTheBitsOfBatchScoringForFlights) {
  const Scratch scratch;
  const std::string tables = ExampleTables(2000);
  const Outcome run = RunFlights(scratch, tables, {"train.epochs=1"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const auto session = Open();
  const std::filesystem::path folder = run.json["model"].get<std::string>();
  const auto model = PipelineModel::Load(*session, folder);
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  for (const char* name : {"flights", "weather", "planes", "airports", "airlines"}) {
    session->Table(name, session->Read().Csv(tables + "/" + name + ".csv", {.null = "NA"}));
  }
  const Json etl = *ParseJson(ReadText(folder / "etl.json"));
  EXPECT_GT(ExpectSameBits(*model, session->Sql(etl["sql"].get<std::string>())), 1000);
}

TEST(Scorer, GivesTheBitsOfBatchScoringForClasses) {
  std::string job = With(kMachinesJob, "SELECT *",
                         "SELECT id, kind, age, load, CASE WHEN hours < 400 THEN 'low' WHEN hours "
                         "< 700 THEN 'mid' ELSE 'high' END AS grade");
  job = With(job, "inputs = [\"kind\"]", "inputs = [\"kind\"]\nunseen = \"own_index\"");
  job = With(job, "label = \"hours\"",
             "label = \"grade\"\nloss = { name = \"cross_entropy\" }\nprobabilities = \"shares\"\n"
             "net = { name = \"wide_and_deep\", hidden = [20], batch_norm = true }");
  const OwnJob own(MachinesTable(600), job);
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  own.Write("new.csv", MachinesTable(600, 0, false) + "600,saw,,\n601,,3,1.5\n");
  const auto session = Open();
  const auto model = PipelineModel::Load(*session, own.Model());
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  // The number missing in row 600 is no input of the imputer.
  const auto rows = session->Read().Csv((own / "new.csv").string());
  session->Table("new", rows);
  EXPECT_EQ(ExpectSameBits(*model, session->Sql("SELECT * FROM new WHERE age IS NOT NULL")), 601);
  const auto scorer = Scorer::Make(*model);
  const auto row =
      scorer->ScoreJson(R"({"kind": "saw", "age": 3, "load": null, "grade": "unknown"})");
  ASSERT_TRUE(row.ok()) << Render(FaultOf(row.status()));
  EXPECT_EQ((*ParseJson(*row))["shares"].size(), 3u) << *row;
  const Fault null =
      FaultOf(scorer->ScoreJson(R"({"kind": "saw", "age": null, "load": null})").status());
  EXPECT_EQ(null.exit, Exit::kInput);
  EXPECT_THAT(null.what, HasSubstr("age"));
}

}  // namespace
}  // namespace protium::whole
