// SPDX-License-Identifier: Apache-2.0
// `predict` as a filter: tables from stdin and in many files, chosen columns, models by their runs.
#include <gtest/gtest.h>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

const OwnJob& Machines() {
  static const OwnJob own;
  static const Outcome run = own.Run();
  EXPECT_EQ(run.exit, 0) << run.err;
  return own;
}

// A shell command line, in which $P is the command, with the folder of runs set.
Outcome Shell(const OwnJob& own, const std::string& line) {
  Running command({"/bin/bash", "-c", "set -o pipefail; cd '" + own.path().string() + "'; " + line},
                  own.path(),
                  {{"P", ProtiumCommand()}, {"PROTIUM_RUNS_DIR", (own / "runs").string()}});
  return command.Wait();
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST(Predict, IsAFilterThatKeepsTheOrderOfRows) {
  const OwnJob& own = Machines();
  const Outcome piped = Shell(own,
                              "cat machines.csv | \"$P\" predict --model last --input - --output - "
                              "--columns prediction,id");
  ASSERT_EQ(piped.exit, 0) << piped.err;
  const std::vector<std::string> lines = Lines(piped.out);
  ASSERT_EQ(lines.size(), 601u) << piped.out.substr(0, 500);
  EXPECT_EQ(lines[0], "\"prediction\",\"id\"");
  for (size_t i = 1; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].ends_with("," + std::to_string(i - 1))) << lines[i];
  }
  EXPECT_TRUE(Has(piped.err, "rows    in: stdin 600; out: 600")) << piped.err;
  const Outcome file = Shell(own,
                             "\"$P\" predict --model last --input machines.csv --output s.csv "
                             "--columns prediction,id --force && cat s.csv");
  EXPECT_TRUE(file.out.ends_with(piped.out)) << file.err;
}

TEST(Predict, ReadsAndWritesJsonLinesAndPackedText) {
  const OwnJob& own = Machines();
  const std::string flags = " predict --model last --input - --output - ";
  const Outcome lines =
      Shell(own, R"(echo '{"id": 7, "kind": "press", "age": 3, "load": 1.5}' | "$P")" + flags +
                     "--format jsonl");
  ASSERT_EQ(lines.exit, 0) << lines.err;
  EXPECT_EQ(lines.json["id"], 7) << lines.out;
  EXPECT_TRUE(lines.json["prediction"].is_number()) << lines.out;
  const Outcome packed = Shell(own, "gzip -c machines.csv | \"$P\"" + flags + " | wc -l");
  EXPECT_EQ(packed.out, "601\n") << packed.err;
}

TEST(Predict, ExplainsANet) {
  const OwnJob& own = Machines();
  const std::string flags = "\"$P\" predict --model last --input machines.csv --output - ";
  const Outcome net = Shell(own, flags + "--format jsonl --explain all");
  ASSERT_EQ(net.exit, 0) << net.err;
  const Json row = Json::parse(Lines(net.out).at(0));
  double sum = 0;
  for (const char* each : {"of_kind", "of_age", "of_load", "mean"}) {
    sum += row[fmt::format("because_{}", each)].get<double>();
  }
  EXPECT_NEAR(sum, row["prediction"].get<double>(), 1e-2) << row;
  // Three columns are enumerated, so samples change nothing.
  EXPECT_EQ(Shell(own, flags + "--format jsonl --explain all --samples 3").out, net.out);
  EXPECT_TRUE(Has(Shell(own, flags + "--samples 3").err, "--samples is for --explain"));
  EXPECT_TRUE(Has(Shell(own, flags + "--explain 1 --samples 0").err, "--samples 0 is not 1 to"));
}

TEST(Predict, ExplainsNetsAsShapDoes) {
  const std::string python = (Repository() / ".deps/peers/bin/python3").string();
  if (!fs::exists(python)) GTEST_SKIP() << "no shap: bench/peers/setup.sh sets it up";
  const Scratch scratch;
  Running check({python, (Repository() / "tests/whole/explain_check.py").string(), ProtiumCommand(),
                 scratch.path().string()},
                scratch.path());
  const Outcome checked = check.Wait(std::chrono::seconds(300));
  if (checked.exit == 77) GTEST_SKIP() << checked.out;
  EXPECT_EQ(checked.exit, 0) << checked.out << checked.err;
}

TEST(Predict, RefusesToExplainWhatItCannot) {
  const OwnJob& own = Machines();
  const std::string flags = "\"$P\" predict --model last --input machines.csv --output e.csv ";
  const Outcome none = Shell(own, flags + "--explain none");
  EXPECT_EQ(none.exit, 2);
  EXPECT_TRUE(Has(none.err, "--explain none is not a number of columns")) << none.err;
  EXPECT_FALSE(fs::exists(own / "e.csv"));
}

TEST(Predict, NamesTheColumnsThatHaveDrifted) {
  const OwnJob& own = Machines();
  const std::string flags = "\"$P\" predict --model last --force --output d.csv --input ";
  const Outcome same = Shell(own, flags + "machines.csv");
  EXPECT_EQ(same.exit, 0) << same.err;
  EXPECT_FALSE(Has(same.err, "differ")) << same.err;
  // Every press is of a new kind, and the load has a unit of its own.
  const std::string other =
      "sed -e 's/,press,/,saw,/' machines.csv | "
      "awk -F, -v OFS=, 'NR > 1 && $4 != \"\" {$4 = 100 + $4} {print}' > other.csv; ";
  const Outcome drifted = Shell(own, other + flags + "other.csv");
  EXPECT_EQ(drifted.exit, 0) << drifted.err;
  EXPECT_TRUE(Has(drifted.err, "2 of 3 columns of the rows differ")) << drifted.err;
  EXPECT_TRUE(Has(drifted.err, "kind: other values in 33% of the rows, 0% in training"))
      << drifted.err;
  const Outcome json = Shell(own, flags + "other.csv --json");
  EXPECT_EQ(json.json["drift"]["rows"], 600) << json.out;
  EXPECT_EQ(json.json["drift"]["columns"].size(), 2u) << json.out;
  const Outcome few = Shell(own, flags + "other.csv --json --drift 300");
  // Evenly drawn, so about as many.
  EXPECT_NEAR(few.json["drift"]["rows"].get<double>(), 300, 60) << few.out;
  const Outcome none = Shell(own, flags + "other.csv --json --drift 0");
  EXPECT_FALSE(none.json.contains("drift")) << none.out;
  EXPECT_TRUE(Has(Shell(own, flags + "other.csv --drift some").err, "--drift some is not"));
}

TEST(Predict, TakesSeveralInputsAsOneTable) {
  const OwnJob& own = Machines();
  own.Write("a.csv", "id,kind,age,load\n1,press,3,1\n");
  own.Write("b.jsonl", "{\"kind\": \"mill\", \"age\": 4, \"id\": 2, \"load\": 2.5}\n");
  own.Write("other.csv", "id,kind,age,load,more\n1,press,3,1,1\n");
  const std::string flags = "\"$P\" predict --model last --input a.csv --output - --columns id ";
  const Outcome both = Shell(own, flags + "--input b.jsonl --format csv");
  ASSERT_EQ(both.exit, 0) << both.err;
  EXPECT_EQ(both.out, "\"id\"\n1\n2\n");
  EXPECT_TRUE(Has(both.err, "in: a.csv 1, b.jsonl 1; out: 2")) << both.err;
  const Outcome other = Shell(own, flags + "--input other.csv");
  EXPECT_NE(other.exit, 0) << other.out;
  EXPECT_TRUE(Has(other.err, "other.csv has other columns")) << other.err;
  EXPECT_TRUE(Has(other.err, "\"more\"")) << other.err;
}

TEST(Predict, FindsAModelByItsRun) {
  const OwnJob& own = Machines();
  own.Write("a.csv", "id,kind,age,load\n1,press,3,1\n");
  const std::string flags = "\"$P\" predict --input a.csv --output - --columns prediction --model ";
  const Outcome last = Shell(own, flags + "last");
  ASSERT_EQ(last.exit, 0) << last.err;
  const std::string folder = own.Model(), run = fs::path(folder).parent_path().filename();
  for (const std::string& model : {folder, run, fs::path(folder).parent_path().string()}) {
    EXPECT_EQ(Shell(own, flags + model).out, last.out) << model;
  }
  ASSERT_EQ(Shell(own, "\"$P\" runs tag last best").exit, 0);
  EXPECT_EQ(Shell(own, flags + "best").out, last.out);
  const Outcome none = Shell(own, flags + "last~7");
  EXPECT_EQ(none.exit, 3) << none.err;
  EXPECT_TRUE(Has(none.err, "no run \"last~7\" in ")) << none.err;
  own.Write("runs/broken/run.json", ReadText(fs::path(folder).parent_path() / "run.json"));
  const Outcome broken = Shell(own, flags + "broken");
  EXPECT_EQ(broken.exit, 3) << broken.err;
  EXPECT_TRUE(Has(broken.err, "the run broken has no model")) << broken.err;
  fs::remove_all(own / "runs/broken");
}

TEST(Predict, SaysWhatIsWrongWithItsStreams) {
  const OwnJob& own = Machines();
  const auto said = [&](const std::string& line) {
    const Outcome outcome = Shell(own, line);
    EXPECT_EQ(outcome.out, "") << line;
    return fmt::format("{} {}", outcome.exit, outcome.err);
  };
  const std::string predict = "\"$P\" predict --model last ";
  const std::string bad =
      said("printf 'id,kind,age,load\\n7,press,old,1\\n' | " + predict + "--input - --output -");
  EXPECT_TRUE(bad.starts_with("3 ") && Has(bad, "stdin:2")) << bad;
  EXPECT_TRUE(Has(said(": | " + predict + "--input - --output -"), "stdin is empty"));
  const std::string none = said(predict + "--input machines.csv --output - --columns ID,predicton");
  EXPECT_TRUE(none.starts_with("2 ") && Has(none, "did you mean \"prediction\"")) << none;
  EXPECT_TRUE(Has(said(predict + "--input - --output - --format xml"), "unknown format \"xml\""));
  EXPECT_TRUE(Has(said(predict + "--input a.csv --output b.csv --format csv"), "--format is for"));
  const std::string streams = predict + "--input - --input - --output -";
  EXPECT_TRUE(Has(said(streams), "stdin can be read once"));
}

}  // namespace protium::whole
