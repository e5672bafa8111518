// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "base/fault.h"
#include "job/file_terms.h"
#include "job/read_job.h"

namespace protium {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kJob = R"(name = "small"
data = "tables"
[tables]
zebra = { csv = "z.csv", null = "NA" }
ant = { parquet = "a.parquet" }
[etl]
sql = "SELECT * FROM zebra"
[split]
by = ["day"]
[[pipeline]]
kind = "imputer"
inputs = ["x"]
[[pipeline]]
kind = "torch_estimator"
label = "y"
numeric = ["x"]
[train]
epochs = 3
[gang]
workers = 2
[outputs]
scored = { parquet = "scored.parquet" }
)";

class JobFiles : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("protium-job-{}", getpid());
  fs::path file_ = folder_ / "job.toml";
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  Result<Job> Read(const std::string& text, std::vector<std::string> sets = {}) {
    std::ofstream(file_) << text;
    return ReadJob(file_, sets);
  }
  Fault FaultIn(const std::string& text, std::vector<std::string> sets = {}) {
    return FaultOf(Read(text, std::move(sets)).status());
  }
  static std::string With(std::string from, const std::string& to) {
    std::string text = kJob;
    return text.replace(text.find(from), from.size(), to);
  }
};

TEST_F(JobFiles, LayTheShorthandOverTheEstimatorsOwnOptionsKeyByKey) {
  const std::string own = With("[train]\nepochs = 3\n",
                               "net = { name = \"tabular_mlp\", dropout = 0.5 }\n"
                               "train.validation = { share = 0.1, by = [\"day\"] }\n");
  const Job job = Read(own, {"train.validation.share=0.3", "net={name=\"tabular_mlp\",hidden=[8]}"})
                      .ValueOrDie();
  const Json& estimator = job.file.pipeline[1];
  EXPECT_EQ(estimator["train"]["validation"], Json({{"share", 0.3}, {"by", {"day"}}}));
  EXPECT_EQ(estimator["net"], Json({{"name", "tabular_mlp"}, {"dropout", 0.5}, {"hidden", {8}}}));
  const Job other = Read(own, {"net.name=linear"}).ValueOrDie();
  EXPECT_EQ(other.file.pipeline[1]["net"], Json({{"name", "linear"}}));
}

TEST_F(JobFiles, KeepTheOrderOfTheFileAndMoveTheShorthand) {
  const Job job = Read(kJob).ValueOrDie();
  EXPECT_EQ(job.file.tables.all[0].first, "zebra");
  EXPECT_EQ(job.file.tables.all[0].second.options.null.all, std::vector<std::string>{"NA"});
  EXPECT_EQ(job.file.data, (folder_ / "tables").string());
  EXPECT_EQ(job.estimator, 1u);
  EXPECT_EQ(job.file.pipeline[1]["train"]["epochs"], 3);
  EXPECT_EQ(job.file.pipeline[1]["gang"]["workers"], 2);
  EXPECT_EQ(job.settings.Find("pipeline.1.train.epochs")->value, file_.string() + ":18:10");
}

TEST_F(JobFiles, GiveWayToAssignments) {
  const Job job =
      Read(kJob, {"train.epochs=5", "train.seed=7", "data=2013", "gang.workers=1"}).ValueOrDie();
  EXPECT_EQ(job.file.pipeline[1]["train"], Json::parse(R"({"epochs": 5, "seed": 7})"));
  EXPECT_EQ(job.file.data, (fs::current_path() / "2013").string());
  EXPECT_EQ(job.settings.Find("pipeline.1.train.epochs")->value, "--set train.epochs=5");
  EXPECT_EQ(job.settings.Find("train.epochs")->value, "--set train.epochs=5");
}

TEST_F(JobFiles, AreReadAgainFromARunFolder) {
  const Job job = Read(kJob, {"train.epochs=5"}).ValueOrDie();
  const Job again = ReadSavedJob(job.ToJson(), folder_ / "job.json").ValueOrDie();
  EXPECT_EQ(again.ToJson(), job.ToJson());
}

TEST_F(JobFiles, NameThePlaceOfAnUnknownKey) {
  const Fault fault = FaultIn(With("null =", "nul ="));
  EXPECT_EQ(fault.what, "unknown key \"nul\" in tables.zebra");
  EXPECT_EQ(fault.where, file_.string() + ":4:26");
  EXPECT_EQ(fault.fix, "did you mean \"null\"?");
  EXPECT_EQ(fault.exit, Exit::kUsage);
}

TEST_F(JobFiles, NameThePlaceOfAWrongType) {
  const Fault fault = FaultIn(With("[\"day\"]", "\"day\""));
  EXPECT_EQ(fault.what, "split.by must be a list, got \"day\"");
  EXPECT_EQ(fault.where, file_.string() + ":9:6");
}

TEST_F(JobFiles, NameTheAssignmentThatIsWrong) {
  EXPECT_EQ(FaultIn(kJob, {"split.sed=1"}).where, "--set split.sed=1");
  EXPECT_EQ(FaultIn(kJob, {"splt.seed=1"}).fix, "did you mean \"split\"?");
  EXPECT_EQ(FaultIn(kJob, {"epochs=3"}).fix, "did you mean \"train.epochs\"?");
  EXPECT_THAT(FaultIn(kJob, {"train"}).what, HasSubstr("key=value"));
  EXPECT_THAT(FaultIn(kJob, {"pipeline.7.id=x"}).what, HasSubstr("no \"7\""));
}

TEST_F(JobFiles, SayWhatNumbersAre) {
  const auto advice = [&](const std::string& set) { return FaultIn(kJob, {set}).fix; };
  EXPECT_EQ(advice("train.epochs=abc"), "");
  EXPECT_EQ(advice("train.epochs='7'"), "write it without quotes: epochs = 7");
  EXPECT_EQ(advice("train.seed=12345678901234567890"),
            "whole numbers go up to 9223372036854775807");
  EXPECT_EQ(FaultIn(With("epochs = 3", "seed = 12345678901234567890")).fix,
            "whole numbers go up to 9223372036854775807");
  EXPECT_EQ(FaultIn(kJob, {"train.clip_norm=nan"}).what,
            "train.clip_norm must be a number, got \"nan\"");
  const Fault fault = FaultIn(With("epochs = 3", "clip_norm = -inf"));
  EXPECT_EQ(fault.what, "train.clip_norm is -inf, which no setting takes");
  EXPECT_EQ(fault.where, file_.string() + ":18:13");
}

TEST_F(JobFiles, NameTheNearestOfSeveralWords) {
  const std::string part = "kind = \"datetime_parts\"\ninputs = [\"x\"]\nparts = [\"seconds\"]";
  const Fault fault = FaultIn(With("kind = \"imputer\"\ninputs = [\"x\"]", part));
  EXPECT_TRUE(fault.what.ends_with(", second, unix_time, got \"seconds\"")) << fault.what;
  EXPECT_EQ(fault.fix, "did you mean \"second\"?");
}

TEST_F(JobFiles, AreNoTables) {
  for (const char* name : {"titanic.csv", "t.parquet"}) {
    std::ofstream(folder_ / name) << "id,age\n1,2\n";
    const Fault fault = FaultOf(ReadJob(folder_ / name, {}).status());
    EXPECT_THAT(fault.what, HasSubstr("is a table, not a job file"));
    EXPECT_THAT(fault.fix, HasSubstr("protium init "));
  }
}

TEST_F(JobFiles, AreStrictToml) {
  const Fault fault = FaultIn("name = \"a\"\nname = \"b\"\n");
  EXPECT_THAT(fault.where, HasSubstr("job.toml:2:"));
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(FaultIn("name = 1999-01-01\n").where, HasSubstr("job.toml:1:8"));
  EXPECT_EQ(FaultOf(ReadJob(folder_ / "none.toml", {}).status()).exit, Exit::kInput);
}

TEST_F(JobFiles, RefuseAShorthandThatCouldMeanTwo) {
  const std::string two = With("[train]", "[[pipeline]]\nkind = \"torch_estimator\"\n[train]");
  EXPECT_THAT(FaultIn(two).what, HasSubstr("two estimators"));
  EXPECT_THAT(FaultIn(two).where, HasSubstr("job.toml:17:"));
  const std::string twice = With("label = \"y\"", "train = { epochs = 2 }");
  EXPECT_THAT(FaultIn(twice).what, HasSubstr("set twice"));
}

TEST_F(JobFiles, TakeTheEngineAsAnAddressOrInFull) {
  const Job job = Read("engine = \"local[3]\"\n" + std::string(kJob),
                       {"engine.rows_memory=\"64KiB\"", "engine.memory=2GiB"})
                      .ValueOrDie();
  EXPECT_EQ(job.file.engine.address, "local[3]");
  EXPECT_EQ(job.rows_memory_bytes, 65536);
  EXPECT_EQ(job.memory_bytes, int64_t{2} << 30);
  EXPECT_EQ(Read(kJob, {"engine=local[2]"}).ValueOrDie().file.engine.address, "local[2]");
  const Job both = Read(std::string(kJob) + "\n[engine]\nmemory = \"3GiB\"\n",
                        {"engine=local[2]", "engine.rows_memory=\"64KiB\""})
                       .ValueOrDie();
  EXPECT_EQ(both.file.engine.address, "local[2]");
  EXPECT_EQ(both.memory_bytes, int64_t{3} << 30);
  EXPECT_EQ(both.rows_memory_bytes, 65536);
  EXPECT_EQ(FaultIn(kJob, {"engine.memory=lots"}).where, "--set engine.memory=lots");
  EXPECT_THAT(FaultIn(kJob, {"engine.memroy=1"}).fix, HasSubstr("\"memory\""));
}

TEST_F(JobFiles, NameThePlaceThatAFaultOfTheSqlPointsAt) {
  const Job job =
      Read(With("\"SELECT * FROM zebra\"", "\"\"\"\nSELECT *\nFROM zebra\n\"\"\"")).ValueOrDie();
  const Status located =
      InFileTerms(job,
                  Fail({.exit = Exit::kUsage,
                        .what = "no such table",
                        .where = "the SQL text\nLINE 2: FROM zebra\n             ^"}),
                  "");
  EXPECT_EQ(FaultOf(located).where, file_.string() + ":9:6\nLINE 2: FROM zebra\n             ^");
  EXPECT_EQ(FaultOf(InFileTerms(job, Fail({.what = "anything", .where = "etl.sql"}), "")).where,
            file_.string() + ":7:7");
  const Status told = Fail({.what = "bad", .where = "the SQL text, line 2, column 6"});
  EXPECT_EQ(FaultOf(InFileTerms(job, told, "")).where, file_.string() + ":9:6");
  const Job beside =
      Read(With("\"SELECT * FROM zebra\"", "\"\"\"SELECT *\nFROM zebra\n\"\"\"")).ValueOrDie();
  EXPECT_EQ(FaultOf(InFileTerms(beside, told, "")).where, file_.string() + ":8:6");
  const Status first = Fail({.what = "bad", .where = "the SQL text, line 1, column 8"});
  EXPECT_EQ(FaultOf(InFileTerms(beside, first, "")).where, file_.string() + ":7:17");
}

TEST_F(JobFiles, TakeOptionsOfANetThatIsNamedElsewhereOrNotAtAll) {
  const auto estimator = [this](const std::string& text, std::vector<std::string> sets) {
    return Read(text, std::move(sets)).ValueOrDie().file.pipeline[1];
  };
  EXPECT_EQ(estimator(kJob, {"train.optimizer.learning_rate=0.5"})["train"]["optimizer"],
            *ParseJson(R"({"learning_rate": 0.5})"));
  const std::string named = With("label = \"y\"", "label = \"y\"\nloss = \"huber\"");
  EXPECT_EQ(estimator(named, {"loss.delta=2"})["loss"],
            *ParseJson(R"({"name": "huber", "delta": 2})"));
  EXPECT_EQ(estimator(named, {"pipeline.1.loss.delta=2"})["loss"],
            *ParseJson(R"({"name": "huber", "delta": 2})"));
  EXPECT_EQ(estimator("net = \"tabular_mlp\"\n" + std::string(kJob), {"net.dropout=0.1"})["net"],
            *ParseJson(R"({"name": "tabular_mlp", "dropout": 0.1})"));
  EXPECT_EQ(
      estimator(With("label = \"y\"", "label = \"y\"\nloss = { name = \"huber\", delta = 2 }"),
                {"loss=mse"})["loss"],
      *ParseJson(R"({"name": "mse"})"));
  EXPECT_THAT(FaultIn("loss = \"mse\"\n" + named).what, HasSubstr("set twice"));
}

TEST_F(JobFiles, HoldASearchWhoseTrialsAreCheckedBeforeAnyTableIsRead) {
  const std::string search = std::string(kJob) + R"([folds]
k = 3
by = ["day"]
[search]
method = "grid"
[search.space]
"train.epochs" = [1, 2]
)";
  const auto job = Read(search);
  ASSERT_TRUE(job.ok()) << job.status();
  ASSERT_TRUE(job->search.has_value());
  EXPECT_EQ(job->search->options().space.size(), 1u);
  EXPECT_EQ(job->search->folds()->k, 3);
  const auto again = ReadSavedJob(job->ToJson(), "job.json");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToJson(), job->ToJson());
  const auto where = [&](const std::string& set) { return FaultIn(search, {set}).where; };
  EXPECT_EQ(where("search.space.net.hiden=[1]"), "--set search.space.net.hiden=[1]");
  EXPECT_EQ(where("folds.k=1"), "--set folds.k=1");
  EXPECT_EQ(where("search.metric=r2"), "--set search.metric=r2");
}

TEST_F(JobFiles, GiveEachOutputAFileOfItsOwn) {
  const std::string two = kJob + std::string("again = { parquet = \"./scored.parquet\" }\n");
  EXPECT_THAT(FaultIn(two).what, HasSubstr("the same file"));
}

TEST_F(JobFiles, NameTablesAndOutputsByTheirFiles) {
  std::string text = With("{ csv = \"z.csv\", null = \"NA\" }", "\"z.jsonl.gz\"");
  text.replace(text.find("{ parquet = \"a.parquet\" }"), 25,
               "{ file = \"a.log\", format = \"csv\", null = [\"NA\", \"N/A\"], ragged = \"skip\", "
               "types = { zip = \"string\" } }");
  text.replace(text.find("{ parquet = \"scored.parquet\" }"), 30, "\"scored.csv\"");
  const auto read = Read(text);
  ASSERT_TRUE(read.ok()) << Render(FaultOf(read.status()));
  const auto& tables = read->file.tables.all;
  EXPECT_EQ(*tables[0].second.file, "z.jsonl.gz");
  EXPECT_EQ(tables[1].second.options.null.all, (std::vector<std::string>{"NA", "N/A"}));
  EXPECT_EQ(tables[1].second.options.types.all.front().second, "string");
  EXPECT_EQ(read->file.outputs.all[0].second.path(), "scored.csv");
  // The saved job says the same.
  const auto saved = ReadSavedJob(read->ToJson(), file_);
  ASSERT_TRUE(saved.ok()) << Render(FaultOf(saved.status()));
  EXPECT_EQ(saved->ToJson(), read->ToJson());
}

TEST_F(JobFiles, RefuseFilesThatAreNotWhatTheySay) {
  EXPECT_THAT(FaultIn(With("csv = \"z.csv\"", "csv = \"z.csv\", format = \"jsonl\"")).what,
              HasSubstr("has two formats"));
  EXPECT_THAT(FaultIn(With("null = \"NA\"", "types = { zip = \"text\" }")).what,
              HasSubstr("tables.zebra.types.zip must be one of string, int64"));
  EXPECT_THAT(FaultIn(With("null = \"NA\"", "encoding = \"latin1\"")).what,
              HasSubstr("must be one of utf-8, utf-16, latin-1, windows-1252"));
  EXPECT_THAT(FaultIn(With("parquet = \"scored.parquet\"", "parquet = \"scored.csv\"")).what,
              HasSubstr("is named as csv and was to be parquet"));
  EXPECT_THAT(FaultIn(With("parquet = \"scored.parquet\"", "file = \"scored.xls\"")).what,
              HasSubstr("does not say which format"));
}

TEST_F(JobFiles, SayWhatIsMissing) {
  EXPECT_THAT(FaultIn("name = \"a\"").what, HasSubstr("no tables"));
  EXPECT_THAT(FaultIn(With("csv = \"z.csv\", ", "")).what,
              HasSubstr("needs one of file, csv, parquet and table"));
  EXPECT_THAT(FaultIn(With("sql = \"SELECT * FROM zebra\"", "")).what, HasSubstr("no [etl] sql"));
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Refused long before recursion would overflow its stack, naming the position that is too deep.
TEST_F(JobFiles, RefuseWhatIsNestedTooDeep) {
  const std::string names = Repeated(".a", 10000);
  for (const std::string& text :
       {"\n[a" + names + "]\nx = 1\n", "\n[[a" + names + "]]\n", "\na" + names + " = 1\n",
        "\nx = " + Repeated("[", 10000) + Repeated("]", 10000) + "\n",
        "\nx = " + Repeated("{a=", 10000) + "1" + Repeated("}", 10000) + "\n",
        "\nx = " + Repeated("{a.b.c.d=[", 2000) + Repeated("]}", 2000) + "\n"}) {
    const Fault fault = FaultIn(text);
    EXPECT_EQ(fault.exit, Exit::kUsage);
    EXPECT_THAT(fault.what, HasSubstr("nests deeper than 100 levels")) << text.substr(0, 20);
    EXPECT_THAT(fault.where, HasSubstr("job.toml:2:"));
  }
  // No statement is too deep by itself.
  const Fault sum = FaultIn("[a" + Repeated(".a", 80) + "]\nb" + Repeated(".b", 80) + " = 1\n");
  EXPECT_THAT(sum.what, HasSubstr("nests deeper than 100 levels"));
  EXPECT_THAT(sum.where, HasSubstr("job.toml:2:"));
}

TEST_F(JobFiles, RefuseASetThatNamesTooMuch) {
  for (const int dots : {100, 10000, 1000000}) {
    const Fault fault = FaultIn(kJob, {"a" + Repeated(".a", dots) + "=1"});
    EXPECT_EQ(fault.exit, Exit::kUsage);
    EXPECT_THAT(fault.what, HasSubstr("--set names a setting deeper than 100 levels"));
  }
  EXPECT_THAT(FaultIn(kJob, {"a" + Repeated(".a", 99) + "=1"}).what, HasSubstr("unknown key"));
}

// Eight times the keys take about eight times as long; if each were compared with all others, 64
// times.
TEST_F(JobFiles, AreReadInATimeThatGrowsWithTheirKeys) {
  const auto seconds = [&](const std::string& before, int keys) {
    std::string text = before;
    for (int i = 0; i < keys; ++i) text += fmt::format("unknown{} = {}\n", i, i);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THAT(FaultIn(text).what, HasSubstr("unknown"));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (const std::string& text : {std::string(), With("[train]\nepochs = 3\n", "") + "[train]\n"}) {
    const double few = std::min(seconds(text, 10'000), seconds(text, 10'000));
    EXPECT_LT(seconds(text, 80'000), 30 * few + 0.2);
  }
}

}  // namespace protium
