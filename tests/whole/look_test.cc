// SPDX-License-Identifier: Apache-2.0
// Looking at tables before there is a job: `inspect` and `sql`.
#include <gtest/gtest.h>

#include <regex>

#include "whole/own_job.h"

namespace protium::whole {

TEST(Inspect, ShowsWhatATableHolds) {
  const OwnJob own;
  const Outcome seen = own.Protium({"inspect", own / "machines.csv"});
  ASSERT_EQ(seen.exit, 0) << seen.err;
  for (const char* part : {"600 rows, 5 columns",
                           "kind    string         0         3  lathe          press  lathe (33%)",
                           "id has a different value in every row", "first rows"}) {
    EXPECT_TRUE(Has(seen.out, part)) << part << "\n" << seen.out;
  }
  const Outcome json = own.Protium({"inspect", own / "machines.csv", "--json"});
  EXPECT_EQ(json.json["rows"], 600);
  EXPECT_EQ(json.json["columns"][3]["name"], "load");
  EXPECT_EQ(json.json["columns"][3]["missing"], 35);
}

TEST(Sql, AnswersFromTheTablesOfAFolder) {
  const OwnJob own;
  const std::string data = own.path().string();
  const Outcome rows =
      own.Protium({"sql", "SELECT kind, count(*) AS n FROM Machines GROUP BY kind ORDER BY kind",
                   "--data", data});
  ASSERT_EQ(rows.exit, 0) << rows.err;
  EXPECT_EQ(
      rows.out,
      "kind        n\nstring  int64\nlathe     200\nmill      200\npress     200\n\n3 rows\n");
  const Outcome json =
      own.Protium({"sql", "SELECT id, load FROM m ORDER BY id", "--table",
                   "m=" + (own / "machines.csv").string(), "--rows", "6", "--json"});
  EXPECT_EQ(Dump(json.json["rows"][5]), "[5,null]");
  EXPECT_EQ(json.json["more"], true);
  EXPECT_EQ(json.json["columns"][1]["type"], "float64");
}

// An empty file and one with rows cut short, which no query names.
TEST(TablesThatCannotBeRead, FailOnlyWhereTheyAreNamed) {
  const OwnJob own;
  const std::string data = own.Write("data/machines.csv", MachinesTable(60)).parent_path().string();
  own.Write("data/kinds.csv", "kind,price\nlathe,3\npress,4\nmill,5\n");
  own.Write("data/kind.csv", "");
  own.Write("data/load.csv", "a,b\n1,2\n3\n");
  // Columns have these names.
  const Outcome rows = own.Protium(
      {"sql", "SELECT kind, sum(load) AS l FROM machines GROUP BY kind", "--data", data});
  EXPECT_EQ(rows.exit, 0) << rows.err;
  EXPECT_TRUE(Has(rows.out, "3 rows")) << rows.out;
  const Outcome empty = own.Protium({"sql", "SELECT * FROM Kind", "--data", data});
  EXPECT_EQ(empty.exit, 3) << empty.err;
  EXPECT_TRUE(Has(empty.err, "the file is empty") && Has(empty.err, "kind.csv")) << empty.err;
  const Outcome ragged = own.Protium({"sql", "SELECT a FROM load, machines", "--data", data});
  EXPECT_EQ(ragged.exit, 3) << ragged.err;
  EXPECT_TRUE(Has(ragged.err, "load.csv:3")) << ragged.err;

  const Outcome seen = own.Protium({"inspect", data});
  EXPECT_EQ(seen.exit, 0) << seen.err;
  for (const char* part : {"4 tables", "machines    60  id, kind, age, load, hours",
                           "tables that cannot be read\n  kind: the file is empty (", "  load: "}) {
    EXPECT_TRUE(Has(seen.out, part)) << part << "\n" << seen.out;
  }
  const Outcome json = own.Protium({"inspect", data, "--json"});
  EXPECT_EQ(json.json["kind"], "folder") << json.out;
  EXPECT_EQ(json.json["tables"].size(), 4u);
  EXPECT_TRUE(json.json["tables"][0].contains("error")) << json.out;
  EXPECT_EQ(json.json["tables"][3]["rows"], 60);

  const Outcome made = own.Protium(
      {"init", data, "--label", "hours", "--estimator", "trees", "--output", own / "job2.toml"});
  EXPECT_EQ(made.exit, 0) << made.err;
  EXPECT_TRUE(Has(made.out, "kind is left out, it cannot be read: the file is empty")) << made.out;
  EXPECT_TRUE(Has(own.Text("job2.toml"), "LEFT JOIN kinds")) << own.Text("job2.toml");
  const Outcome named = own.Protium({"init", data, "--label", "hours", "--table", "kind"});
  EXPECT_EQ(named.exit, 3) << named.err;
  EXPECT_TRUE(Has(named.err, "the file is empty")) << named.err;
}

TEST(Sql, WritesAllRowsToAFile) {
  const OwnJob own;
  const std::string data = own.path().string();
  const Outcome written = own.Protium({"sql", "SELECT age FROM machines WHERE id < 50", "--data",
                                       data, "--output", own / "ages.csv"});
  ASSERT_EQ(written.exit, 0) << written.err;
  EXPECT_TRUE(Has(written.out, "50 rows in ")) << written.out;
  EXPECT_EQ(own.Text("ages.csv").substr(0, 10), "\"age\"\n0\n7\n");
  const Outcome again = own.Protium(
      {"sql", "SELECT age FROM machines", "--data", data, "--output", own / "ages.csv"});
  EXPECT_EQ(again.exit, 2) << again.err;
  EXPECT_TRUE(Has(again.err, "--force")) << again.err;
}

TEST(Sql, SaysWhichTablesThereAreAndWhereAQueryIsWrong) {
  const OwnJob own;
  own.Write("machines.parquet", "x");
  const Outcome none = own.Protium({"sql", "SELECT * FROM machins", "--data", own.path().string()});
  EXPECT_EQ(none.exit, 2) << none.err;
  EXPECT_TRUE(Has(none.err, "there is no table \"machins\"")) << none.err;
  EXPECT_TRUE(Has(none.err, "the tables here are machines")) << none.err;
  const Outcome two = own.Protium({"sql", "SELECT * FROM machines", "--data", own.path().string()});
  EXPECT_TRUE(Has(two.err, "say which: --table machines=")) << two.err;
  const Outcome wrong = own.Protium({"sql", "SELECT foo(1)"});
  EXPECT_EQ(wrong.exit, 2) << wrong.err;
  EXPECT_TRUE(Has(wrong.err, "foo")) << wrong.err;
  const Outcome format = own.Protium({"sql", "SELECT 1", "--output", "x.txt"});
  EXPECT_EQ(format.exit, 2);
}

TEST(Init, WritesAJobThatRunsAndBeatsItsBaseline) {
  const OwnJob own;
  const Outcome made = own.Protium(
      {"init", own / "machines.csv", "--label", "hours", "--output", own / "machines.toml"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_TRUE(Has(made.out, "predicts hours (regression)")) << made.out;
  EXPECT_TRUE(Has(made.out, "left out: id has a different value in every row")) << made.out;
  EXPECT_TRUE(Has(made.out, "next: protium run ")) << made.out;
  const Outcome run =
      own.Protium({"run", own / "machines.toml", "--json", "--runs-dir", own / "runs"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json metrics = run.json["metrics"];
  EXPECT_LT(metrics["test"]["rmse"], metrics["baseline"]["rmse"]) << run.out;
  const Outcome again = own.Protium(
      {"init", own / "machines.csv", "--label", "hours", "--output", own / "machines.toml"});
  EXPECT_EQ(again.exit, 2);
  EXPECT_TRUE(Has(again.err, "machines.toml already exists")) << again.err;
}

// The lines of its search without the signs before them; those that explain it stay.
std::string WithItsSearch(const std::string& job) {
  const size_t from = job.find("# [search]\n"), to = job.find("\n\n", from);
  std::string text = job.substr(0, from);
  for (size_t at = from; at < to; at = job.find('\n', at) + 1) {
    text += job.substr(at + 2, job.find('\n', at) + 1 - at - 2);
  }
  return text + job.substr(to + 1);
}

TEST(Init, WritesASearchThatRunsWhenItsLinesAreUncommented) {
  const OwnJob own;
  for (const char* estimator : {"trees", "net"}) {
    const std::string name = std::string(estimator) + ".toml";
    ASSERT_EQ(own.Protium({"init", own / "machines.csv", "--label", "hours", "--output", own / name,
                           "--estimator", estimator})
                  .exit,
              0);
    own.Write(name, WithItsSearch(own.Text(name)));
    const Outcome run = own.Protium(
        {"run", own / name, "--json", "--runs-dir", own / "runs", "--set", "search.trials=2",
         "--set", estimator == std::string("net") ? "train.epochs=2" : "trees.rounds=20"});
    ASSERT_EQ(run.exit, 0) << run.err << own.Text(name);
    EXPECT_EQ(run.json["search"]["trials"], 2);
  }
}

TEST(Init, TriesTreesAndANetAndTakesTheBetterOne) {
  const OwnJob own;
  const auto init = [&](const std::string& name) {
    return own.Protium({"init", own / "machines.csv", "--label", "hours", "--output", own / name});
  };
  const Outcome made = init("one.toml");
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_TRUE(std::regex_search(
      made.out, std::regex("(trees fit|a net fits) .*rmse .* \\(on [0-9]+ rows in [0-9.]+ s\\)\n")))
      << made.out;
  const std::string job = own.Text("one.toml");
  EXPECT_TRUE(std::regex_search(
      job, std::regex("\n# (Trees fit|A net fits) .*\n# For .* instead: protium init --esti")))
      << job;
  // The figures are part of the file, as is its own name; the seconds are not.
  ASSERT_EQ(init("two.toml").exit, 0);
  std::string again = own.Text("two.toml");
  const size_t name = again.find("protium run two.toml\n");
  ASSERT_NE(name, again.npos) << again;
  EXPECT_EQ(again.replace(name, 20, "protium run one.toml"), job);
}

TEST(Init, TakesTheEstimatorThatIsAskedFor) {
  const OwnJob own;
  const auto init = [&](const std::string& estimator) {
    return own.Protium({"init", own / "machines.csv", "--label", "hours", "--output",
                        own / (estimator + ".toml"), "--estimator", estimator});
  };
  for (const auto& [name, kind] :
       {std::pair("trees", "tree_estimator"), {"net", "tabm"}, {"linear", "\"linear\""}}) {
    const Outcome made = init(name);
    ASSERT_EQ(made.exit, 0) << made.err;
    EXPECT_FALSE(Has(made.out, "fit")) << made.out;
    EXPECT_TRUE(Has(own.Text(name + std::string(".toml")), kind));
  }
  const Outcome wrong = init("tree");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_TRUE(Has(wrong.err, "did you mean \"trees\"")) << wrong.err;
}

// 600 sales of 20 shops: the sales depend on the shop's size and fall over the days.
void WriteShop(const OwnJob& own) {
  std::string sales = "day,shop,weather,sold\n", shops = "shop,size,city\n";
  for (int i = 0; i < 600; ++i) {
    const int shop = i * 7 % 20, day = i / 24;
    sales += fmt::format("{:02}.{:02}.2024,s{},{},{}\n", 1 + day % 25, 1 + day / 25, shop,
                         i % 3 == 0 ? "rain" : "sun", 500 + 40 * shop - day + i % 5);
  }
  for (int i = 0; i < 20; ++i) shops += fmt::format("s{},{},c{}\n", i, 50 + 10 * i, i % 4);
  own.Write("shop/sales.csv", sales);
  own.Write("shop/shops.csv", shops);
  own.Write("shop/notes.csv", "note,by\nhello,me\nbye,you\n");
}

TEST(Init, NamesTheJobOfThisFolderAfterIt) {
  const OwnJob own;
  Running command({"/bin/sh", "-c", R"(cd "$0" && "$1" init . --label hours --estimator trees)",
                   own.path().string(), ProtiumCommand()},
                  own.path());
  const Outcome written = command.Wait();
  ASSERT_EQ(written.exit, 0) << written.err;
  const std::string name = own.path().filename().string();
  EXPECT_TRUE(Has(own.Text(name + ".toml"), "[[pipeline]]")) << written.out;
}

TEST(Init, JoinsTheTablesOfAFolderAndReadsItsDates) {
  const OwnJob own;
  WriteShop(own);
  const Outcome made =
      own.Protium({"init", own / "shop", "--label", "sold", "--output", own / "shop.toml"});
  ASSERT_EQ(made.exit, 0) << made.err;
  for (const char* part :
       {"shops is joined by shop: one row for each, found for 100% of the rows of sales",
        "notes is not joined: it shares no column with sales",
        "day is read as a date written dd.MM.yyyy", "the test rows are the last 20% by day"}) {
    EXPECT_TRUE(Has(made.out, part)) << part << "\n" << made.out;
  }
  const std::string job = own.Text("shop.toml");
  EXPECT_TRUE(Has(job, "LEFT JOIN shops ON shops.shop = sales.shop\n")) << job;
  const Outcome run = own.Protium({"run", own / "shop.toml", "--json", "--runs-dir", own / "runs"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const Json metrics = run.json["metrics"];
  EXPECT_LT(metrics["test"]["rmse"], metrics["baseline"]["rmse"]) << run.out;
}

TEST(Inspect, ListsTheTablesOfAFolderAndSaysHowDatesAreRead) {
  const OwnJob own;
  WriteShop(own);
  const Outcome folder = own.Protium({"inspect", own / "shop"});
  ASSERT_EQ(folder.exit, 0) << folder.err;
  EXPECT_TRUE(Has(folder.out, "3 tables")) << folder.out;
  EXPECT_TRUE(Has(folder.out, "  sales   600  day, shop, weather, sold\n")) << folder.out;
  const Outcome sales = own.Protium({"inspect", own / "shop/sales.csv"});
  EXPECT_TRUE(Has(sales.out, "  day: to_date(day, 'dd.MM.yyyy') AS day\n")) << sales.out;
}

// tests/consumer builds such a program.
TEST(Init, WritesAProgram) {
  const OwnJob own;
  WriteShop(own);
  const Outcome made =
      own.Protium({"init", own / "shop", "--label", "sold", "--cpp", "--output", own / "program"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_TRUE(Has(own.Text("program/main.cc"), "Split({.test = 0.2, .by_time = \"day\"})"));
  EXPECT_TRUE(Has(own.Text("program/CMakeLists.txt"), "add_executable(shop main.cc)"));
  const Outcome again =
      own.Protium({"init", own / "shop", "--label", "sold", "--cpp", "--output", own / "program"});
  EXPECT_TRUE(Has(again.err, "main.cc already exists")) << again.err;
}

TEST(Init, WritesTheOptionsThatTheFileNeeds) {
  const OwnJob own;
  std::string text = "region;area;price\n";
  for (int i = 0; i < 400; ++i) {
    const int area = 20 + i * 7 % 60;
    text += fmt::format("{};{};{},5\n", i % 3 == 0 ? "north" : "south",
                        i % 9 == 0 ? "NA" : fmt::format("{},25", area), area * 2 + i % 3);
  }
  own.Write("odd.csv", text);
  const Outcome made =
      own.Protium({"init", own / "odd.csv", "--label", "price", "--output", own / "odd.toml"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_TRUE(Has(made.out, "read with null = \"NA\", delimiter = \";\", decimal = \",\""))
      << made.out;
  const Outcome run = own.Protium({"run", own / "odd.toml", "--json", "--runs-dir", own / "runs"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_LT(run.json["metrics"]["test"]["rmse"], run.json["metrics"]["baseline"]["rmse"]);
  const Outcome asked = own.Protium({"sql", "SELECT sum(area) AS a FROM odd", "--table",
                                     "odd=" + (own / "odd.csv").string(), "--delimiter", ";",
                                     "--csv", "decimal=,", "--csv", "null=NA", "--json"});
  EXPECT_EQ(asked.exit, 0) << asked.err;
  EXPECT_EQ(asked.json["columns"][0]["type"], "float64") << asked.out;
}

TEST(Init, SaysWhatIsMissing) {
  const OwnJob own;
  EXPECT_TRUE(Has(own.Protium({"init", own / "machines.csv"}).err, "init needs --label"));
  EXPECT_TRUE(
      Has(own.Protium({"init", own / "none.csv", "--label", "x"}).err, "there is no table"));
  const Outcome label = own.Protium(
      {"init", own / "machines.csv", "--label", "hour", "--output", own / "machines.toml"});
  EXPECT_EQ(label.exit, 2);
  EXPECT_TRUE(Has(label.err, "did you mean \"hours\"")) << label.err;
  EXPECT_FALSE(std::filesystem::exists(own / "machines.toml"));
}

// Runs are folders, so a few that look like runs are enough.
TEST(Runs, AreListedLabelledAndRemoved) {
  const OwnJob own;
  for (const auto& [name, state, rmse] : {std::tuple{"a-1", "done", 3.0},
                                          {"b-1", "failed", 0.0},
                                          {"a-2", "done", 2.0},
                                          {"a-3", "done", 4.0}}) {
    own.Write(
        fmt::format("kept/{}/run.json", name),
        fmt::format(R"({{"name": "x", "state": "{}", "started": "2026-01-0{}"}})", state, name[2]));
    if (rmse == 0) continue;
    own.Write(fmt::format("kept/{}/result.json", name),
              fmt::format(R"({{"metrics": {{"test": {{"rmse": {}}}}}}})", rmse));
  }
  const auto runs = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {ProtiumCommand(), "runs"});
    Running command(std::move(words), own.path(), {{"PROTIUM_RUNS_DIR", own / "kept"}});
    return command.Wait();
  };
  const auto names = [&](std::vector<std::string> words) {
    words.push_back("--json");
    std::string all;
    for (const Json& run : runs(words).json) all += run["run"].get<std::string>() + " ";
    return all;
  };
  EXPECT_EQ(names({"--sort", "test", "--limit", "2"}), "a-2 a-1 ");
  EXPECT_EQ(names({"--limit", "1"}), "a-3 ");
  EXPECT_EQ(names({"--state", "failed"}), "b-1 ");
  EXPECT_EQ(names({"--name", "a", "--sort", "name"}), "a-1 a-2 a-3 ");
  EXPECT_TRUE(Has(runs({"--limit", "1"}).err, "1 of 4 runs in " + (own / "kept").string()));
  EXPECT_EQ(runs({"--sort", "tset"}).exit, 2);
  EXPECT_EQ(runs({"tag", "a-2", "best"}).exit, 0);
  EXPECT_EQ(runs({"tag", "a-1", "best"}).exit, 2);
  EXPECT_EQ(runs({"note", "best", "with weather"}).out, "a-2  best  with weather\n");
  EXPECT_TRUE(Has(runs({}).out, "best")) << runs({}).out;
  const Outcome removed = runs({"rm", "best", "b-1"});
  EXPECT_EQ(removed.exit, 0) << removed.err;
  EXPECT_TRUE(Has(removed.out, "a-2, ")) << removed.out;
  EXPECT_EQ(names({"list"}), "a-1 a-3 ");
  EXPECT_EQ(runs({"rm", "a-1", "none"}).exit, 3);
  EXPECT_EQ(names({"list"}), "a-1 a-3 ");
}

TEST(Doctor, RunsAGangOfTwoAndSaysWhatIsWrong) {
  const OwnJob own;
  const Outcome well = own.Protium({"doctor", "--json"});
  ASSERT_EQ(well.exit, 0) << well.err << well.out;
  EXPECT_EQ(well.json["ok"], true);
  EXPECT_EQ(well.json["findings"].back()["name"], "training") << well.out;
  EXPECT_FALSE(std::filesystem::exists(own / "runs"));
  own.Write("file", "x");
  const Outcome runs = own.Protium({"doctor", "--engine", "locl", "--runs-dir", own / "file"});
  EXPECT_EQ(runs.exit, 4) << runs.out;
  EXPECT_TRUE(Has(runs.out, "WRONG  disk")) << runs.out;
  EXPECT_TRUE(Has(runs.out, "WRONG  engine         unknown engine \"locl\"")) << runs.out;
  // No service still in use has port 1.
  const Outcome far = own.Protium({"doctor", "--engine", "sc://127.0.0.1:1"});
  EXPECT_EQ(far.exit, 5) << far.out;
  EXPECT_TRUE(Has(far.out, "nothing answers at sc://127.0.0.1:1")) << far.out;
}

TEST(Check, SaysWithoutReadingTablesWhetherAJobIsRight) {
  const OwnJob own;
  const Outcome right = own.Protium({"check", own / "job.toml"});
  EXPECT_EQ(right.exit, 0) << right.err;
  EXPECT_TRUE(Has(right.out, "1 table, 5 columns, 4 stages, a gang of ")) << right.out;
  const Outcome wrong = own.Protium({"check", own / "job.toml", "--json", "--set", "train.epoch=1",
                                     "--set", "pipeline.1.with=\"medium\""});
  EXPECT_EQ(wrong.exit, 2) << wrong.err;
  EXPECT_EQ(wrong.json["ok"], false);
  ASSERT_EQ(wrong.json["errors"].size(), 2u) << wrong.out;
  EXPECT_EQ(wrong.json["errors"][0]["where"], "--set pipeline.1.with=\"medium\"");
  EXPECT_TRUE(Has(wrong.err, "unknown key \"epoch\"")) << wrong.err;
  EXPECT_FALSE(std::filesystem::exists(own / "runs"));
}

// Who is in a boat survives, with few exceptions.
TEST(Check, AndARunWarnOfAColumnThatGivesTheLabelAway) {
  const OwnJob own;
  std::string table = "age,boat,survived\n";
  for (int i = 0; i < 600; ++i) {
    const bool survived = i % 3 == 0, boat = survived != (i % 100 == 7);
    table += std::to_string(i * 37 % 80) + (boat ? "," + std::to_string(i % 16) : ",") +
             (survived ? ",1\n" : ",0\n");
  }
  own.Write("boats.csv", table);
  own.Write(
      "boats.toml",
      "tables.boats = \"boats.csv\"\netl.sql = \"SELECT * FROM boats\"\nsplit.test = 0.2\n"
      "trees.rounds = 3\n[[pipeline]]\nkind = \"tree_estimator\"\n"
      "numeric = [\"age\", \"boat\"]\nlabel = \"survived\"\nloss = \"binary_cross_entropy\"\n");
  const std::string says = "possible target leak: boat gives survived away in all but ";
  const Outcome check = own.Protium({"check", own / "boats.toml"});
  EXPECT_EQ(check.exit, 0) << check.err;
  EXPECT_TRUE(Has(check.out, "warning  " + says)) << check.out;
  const std::string known = "leaks.known=[\"boat\"]";
  const Outcome silent = own.Protium({"check", own / "boats.toml", "--json", "--set", known});
  EXPECT_FALSE(silent.json.contains("leaks")) << silent.out;
  const auto run = [&](const std::string& set) {
    return own.Protium(
        {"run", own / "boats.toml", "--json", "--quiet", "--runs-dir", own / "runs", "--set", set});
  };
  const Outcome warned = run("leaks.results=false");
  ASSERT_EQ(warned.exit, 0) << warned.err;
  EXPECT_TRUE(Has(warned.err, "warning  " + says)) << warned.err;
  const std::string folder = warned.json["folder"].get<std::string>();
  EXPECT_TRUE(Has(ReadText(folder + "/result.json"), says));
  const Outcome quiet = run(known);
  ASSERT_EQ(quiet.exit, 0) << quiet.err;
  EXPECT_EQ(quiet.err, "");
}

TEST(Runs, AreFoundFromAnyFolderOfAProject) {
  const OwnJob own;
  own.Write(".protium", "");
  own.Write("runs/a-1/run.json", R"({"name": "x", "state": "done", "started": "2026-01-01"})");
  own.Write("notes/deep/x", "");
  const std::string below = (own / "notes/deep").string();
  Running command({"/bin/sh", "-c", "cd " + below + " && " + ProtiumCommand() + " runs"},
                  own.path());
  EXPECT_TRUE(Has(command.Wait().err, "1 run in " + (own / "runs").string()));
}

}  // namespace protium::whole
