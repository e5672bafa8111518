// SPDX-License-Identifier: Apache-2.0
// What one run keeps for the next, as a user sees it.
#include "protium/kept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "frame/session_state.h"
#include "store/local_store.h"
#include "store/testing/flip.h"
#include "whole/own_job.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Kept : public testing::Test {
 protected:
  Outcome Protium(std::vector<std::string> words) {
    words.insert(words.begin(), ProtiumCommand());
    Running command(words, own_.path(), {{"PROTIUM_STORE", own_ / "store"}});
    return command.Wait();
  }
  Outcome Run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"run", own_ / "job.toml", "--runs-dir", own_ / "runs",
                                      "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Protium(words);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return outcome;
  }
  std::string Weights(const Outcome& run) {
    return ReadWeightsHash(run.json["model"].get<std::string>(), own_.path());
  }
  Json ProfileOf(const Outcome& run) {
    const fs::path folder = fs::path(run.json["model"].get<std::string>()).parent_path();
    return Json::parse(ReadText(folder / "profile.json"));
  }
  // The kinds of objects, and the parts of each that are not empty.
  std::map<std::string, std::vector<fs::path>> Parts() {
    std::map<std::string, std::vector<fs::path>> parts;
    for (const auto& each : fs::recursive_directory_iterator(own_ / "store" / "objects")) {
      const fs::path manifest = each.path().parent_path() / "manifest.json";
      if (!each.is_regular_file() || each.path() == manifest || each.file_size() == 0) continue;
      parts[Json::parse(ReadText(manifest))["kind"]].push_back(each.path());
    }
    return parts;
  }
  // Waits until a file has not been written for so long.
  static void AwaitAge(const fs::path& file, std::chrono::seconds age) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (fs::file_time_type::clock::now() - fs::last_write_time(file) <= age) {
      ASSERT_LT(std::chrono::steady_clock::now(), until);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  std::string Why() {
    const Outcome why = Protium({"cache", "why", own_ / "job.toml"});
    EXPECT_EQ(why.exit, 0) << why.err;
    return why.out;
  }
  void ReplaceInJob(const std::string& from, const std::string& to) {
    std::string job = kMachinesJob;
    job.replace(job.find(from), from.size(), to);
    own_.Write("job.toml", job);
  }

  OwnJob own_;
};

TEST_F(Kept, TheSecondRunTakesTheRowsAndLearnsTheSameWeights) {
  const Outcome first = Run();
  EXPECT_THAT(first.err, HasSubstr("etl      600 rows"));
  const std::string run = first.json["run"].get<std::string>();
  const Outcome plan = Protium({"plan", own_ / "job.toml"});
  EXPECT_THAT(plan.out, HasSubstr("kept\n  etl  reused from " + run + ", 600 rows, "));
  EXPECT_THAT(plan.out, HasSubstr("\n  fit  reused from " + run + ", "));
  EXPECT_THAT(plan.out, HasSubstr("\n  rows  reused from " + run + ", "));
  const Outcome second = Run();
  EXPECT_THAT(second.err, HasSubstr("etl      kept from " + run + ", 600 rows  "));
  EXPECT_THAT(second.err, HasSubstr("fit      kept from " + run + ": index, fill, scale  "));
  EXPECT_THAT(second.err, HasSubstr(" rows, kept from " + run + "  "));
  EXPECT_EQ(ProfileOf(second), ProfileOf(first));
  EXPECT_FALSE(Weights(first).empty());
  EXPECT_EQ(Weights(second), Weights(first));
  EXPECT_EQ(second.json["metrics"], first.json["metrics"]);
  EXPECT_THAT(Why(), HasSubstr("etl is reused from " + run));
  const Outcome fresh = Run({"--fresh"});
  EXPECT_THAT(fresh.err, Not(HasSubstr("kept from")));
  EXPECT_EQ(Weights(fresh), Weights(first));
  EXPECT_THAT(Why(), HasSubstr("etl is reused from " + fresh.json["run"].get<std::string>()));
}

TEST_F(Kept, WhyNamesWhatHasChanged) {
  EXPECT_EQ(Why(), "etl is computed: nothing like it is kept yet\n");
  const std::string run = Run().json["run"].get<std::string>();
  ReplaceInJob("SELECT * FROM machines", "SELECT *, age + 1 AS older FROM machines");
  EXPECT_EQ(Why(), "etl is computed: since " + run +
                       " kept it, the SQL has changed\n"
                       "  was  SELECT * FROM machines\n"
                       "  now  SELECT *, age + 1 AS older FROM machines\n");
  ReplaceInJob("\"machines.csv\" }", "\"machines.csv\", null = \"NA\" }");
  EXPECT_THAT(Why(), HasSubstr("the files are read with other options"));
  ReplaceInJob("SELECT * FROM machines", "SELECT *, now() AS n FROM machines");
  EXPECT_EQ(Why(), "etl is computed in every run: now: gives a different value in every run\n");
  own_.Write("job.toml", kMachinesJob);
  own_.Write("machines.csv", MachinesTable(601));
  EXPECT_THAT(Why(), HasSubstr("the file " + (own_ / "machines.csv").string() + " has changed"));
  EXPECT_EQ(Run().json["metrics"]["validation"].contains("rmse"), true);
}

TEST_F(Kept, WhatIsKeptIsListedVerifiedAndRemoved) {
  const std::string run = Run().json["run"].get<std::string>();
  const Outcome list = Protium({"cache", "ls", "--json"});
  // The table, its file's types, packed rows, and states of the training and the test rows.
  ASSERT_EQ(list.json["objects"].size(), 5u) << list.out << list.err;
  std::string object;
  for (const Json& each : list.json["objects"]) {
    EXPECT_EQ(each["run"], run);
    EXPECT_EQ(each["inputs"][0]["path"], (own_ / "machines.csv").string());
    if (each["kind"] != "table") continue;
    EXPECT_EQ(each["rows"], 600);
    object = each["object"].get<std::string>();
  }
  EXPECT_THAT(Protium({"cache"}).out, HasSubstr("5 objects, "));
  EXPECT_EQ(Protium({"cache", "verify"}).out, "5 objects are intact\n");
  const auto file = own_ / "store" / "objects" / object.substr(0, 2) / object / "table.duckdb";
  std::fstream(file, std::ios::in | std::ios::out).seekp(9000).put('!');
  EXPECT_THAT(Protium({"cache", "verify"}).out, HasSubstr("was damaged: it is removed"));
  Run();
  const Outcome none = Protium({"cache", "rm", "--input", own_ / "other.csv"});
  EXPECT_THAT(none.out, HasSubstr("0 objects removed"));
  const Outcome gone = Protium({"cache", "rm", "--input", own_ / "machines.csv"});
  EXPECT_THAT(gone.out, HasSubstr("5 objects removed"));
  EXPECT_EQ(Protium({"cache", "rm"}).exit, 2);
  EXPECT_EQ(Protium({"cache", "lss"}).exit, 2);
}

TEST_F(Kept, AWrongHitThatWasPlantedIsFoundWhileNobodyAsks) {
  Run();
  // With the same size and times, so that no use of it would notice.
  const fs::path table = Parts()["table"].front();
  FlipBit(table);
  const Outcome audit = Protium({"cache", "verify", "--sample"});
  const std::string object = table.parent_path().filename().string();
  EXPECT_THAT(audit.out, HasSubstr("5 objects read, "));
  EXPECT_THAT(audit.out, HasSubstr(object.substr(0, 12) + " was damaged: it is removed"));
  EXPECT_FALSE(fs::exists(table));
  EXPECT_EQ(Protium({"cache", "verify", "--sample", "--json"}).json["damaged"].size(), 0u);
  EXPECT_THAT(Run().err, HasSubstr("etl      600 rows"));
}

TEST_F(Kept, ATableWithANameIsReadExplainedAndRemovedByIt) {
  {
    SessionOptions options{.base = own_.path(), .store = own_ / "store"};
    const auto session = OpenSession(std::move(options)).ValueOrDie();
    session->Table("m", session->Read().File("machines.csv"));
    const auto kept = protium::Keep(session->Sql("SELECT * FROM m"), "clean");
    ASSERT_TRUE(kept.ok()) << kept.status();
  }
  ReplaceInJob("{ csv = \"machines.csv\" }", "\"kept:clean\"");
  EXPECT_THAT(Run().err, HasSubstr("etl      600 rows"));
  own_.Write("machines.csv", MachinesTable(601));
  const Outcome second = Run();
  EXPECT_THAT(second.err, HasSubstr("etl      kept from "));
  EXPECT_THAT(second.err, HasSubstr("clean holds rows of " + (own_ / "machines.csv").string()));
  const Outcome why = Protium({"cache", "why", "clean"});
  EXPECT_THAT(why.out, HasSubstr("clean, version 1: 600 rows that a session has kept on "));
  EXPECT_THAT(why.out, HasSubstr("machines.csv: has changed since\n"));
  EXPECT_THAT(why.out, HasSubstr("SELECT * FROM m"));
  EXPECT_EQ(Protium({"cache", "why", "clean", "--json"}).json["inputs"][0]["is"], "changed");
  EXPECT_THAT(Protium({"cache", "ls"}).out, HasSubstr("snapshot  clean"));
  EXPECT_THAT(Protium({"cache", "rm", "--all"}).out, HasSubstr("clean remains: "));
  EXPECT_THAT(Protium({"cache", "rm", "clean"}).out, HasSubstr("1 object removed"));
  const Outcome gone = Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
  EXPECT_EQ(gone.exit, 3);
  EXPECT_THAT(gone.err, HasSubstr("no table is kept as \"clean\""));
}

// Two machines are two stores with a shared folder.
TEST_F(Kept, AnotherMachineTakesItFromTheSharedStore) {
  fs::create_directory(own_ / "shared");
  const auto on = [&](const std::string& machine, const std::string& verb) {
    std::vector<std::string> words = {ProtiumCommand(), verb, own_ / "job.toml"};
    if (verb == "run") words.insert(words.end(), {"--runs-dir", own_ / "runs", "--json"});
    Running command(words, own_.path(),
                    {{"PROTIUM_STORE", own_ / machine}, {"PROTIUM_STORE_SHARED", own_ / "shared"}});
    Outcome outcome = command.Wait();
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return outcome;
  };
  const Outcome first = on("a", "run");
  const std::string run = first.json["run"].get<std::string>();
  EXPECT_THAT(on("b", "plan").out,
              HasSubstr("etl  reused from " + run + ", from the shared store, 600 rows"));
  const Outcome second = on("b", "run");
  EXPECT_THAT(second.err, HasSubstr("etl      kept from " + run + ", 600 rows  "));
  EXPECT_THAT(second.err, HasSubstr("fit      kept from " + run));
  EXPECT_EQ(Weights(second), Weights(first));
  // A damaged one is said, and made again.
  for (const auto& each : fs::recursive_directory_iterator(own_ / "shared" / "objects")) {
    if (each.path().filename() == "table.duckdb") FlipBit(each.path());
  }
  const Outcome third = on("c", "run");
  EXPECT_THAT(third.err, HasSubstr("table.duckdb is damaged"));
  EXPECT_THAT(third.err, HasSubstr("etl      600 rows"));
  EXPECT_EQ(Weights(third), Weights(first));
}

TEST_F(Kept, WhatFollowsIsNamedByTheRowsAndNotByTheSql) {
  const Outcome first = Run();
  const std::string run = first.json["run"].get<std::string>();
  ReplaceInJob("SELECT * FROM machines", "SELECT m.*  FROM machines m -- the same");
  const Outcome second = Run();
  EXPECT_THAT(second.err, HasSubstr("etl      600 rows  "));
  EXPECT_THAT(second.err, HasSubstr("fit      kept from " + run));
  EXPECT_THAT(second.err, HasSubstr(" rows, kept from " + run));
  EXPECT_EQ(Weights(second), Weights(first));
  // The same rows in another order.
  std::istringstream text(own_.Text("machines.csv"));
  std::string head, line, rows;
  std::getline(text, head);
  while (std::getline(text, line)) rows = line + "\n" + rows;
  own_.Write("machines.csv", head + "\n" + rows);
  const Outcome third = Run();
  EXPECT_THAT(third.err, HasSubstr("fit      kept from " + run));
  ReplaceInJob("SELECT * FROM machines", "SELECT *, 1 AS one FROM machines");
  const Outcome more = Run();
  EXPECT_THAT(more.err, Not(HasSubstr("kept from")));
  EXPECT_EQ(Weights(more), Weights(first));
}

TEST_F(Kept, AnotherStageIsFittedAndPackedAgain) {
  const std::string run = Run().json["run"].get<std::string>();
  ReplaceInJob("id = \"fill\"", "with = \"mean\"\nid = \"fill\"");
  EXPECT_THAT(Why(), HasSubstr("fit is computed: since " + run +
                               " kept it, the stages need something else of the rows\n"));
  const Outcome mean = Run();
  EXPECT_THAT(mean.err, HasSubstr("etl      kept from " + run));
  EXPECT_THAT(mean.err, Not(HasSubstr("fit      kept from")));
  EXPECT_THAT(mean.err, Not(HasSubstr("rows, kept from")));
  EXPECT_EQ(Weights(mean), Weights(Run({"--fresh"})));
  // What only training reads leaves the rows as they are.
  own_.Write("job.toml", kMachinesJob);
  const Outcome more = Run({"--set", "train.epochs=3"});
  EXPECT_THAT(more.err, HasSubstr("rows, kept from " + run));
  EXPECT_EQ(Weights(more), Weights(Run({"--set", "train.epochs=3", "--fresh"})));
  ReplaceInJob("batch_size = 64", "batch_size = 64\nshards = 2");
  EXPECT_THAT(Why(), HasSubstr("rows is computed: since "));
  EXPECT_THAT(Why(), HasSubstr(" kept it, train.shards has changed\n"));
  EXPECT_THAT(Run().err, Not(HasSubstr("rows, kept from")));
}

TEST_F(Kept, AFlippedBitIsNeverAWrongAnswer) {
  const Outcome first = Run();
  const auto kinds = Parts();
  EXPECT_EQ(kinds.size(), 4u);
  for (const auto& [kind, parts] : kinds) {
    for (const fs::path& part : parts) {
      FlipBit(part);
      // Of a table only size and time are compared before the next boot.
      if (kind == "table") fs::last_write_time(part, fs::file_time_type::clock::now());
    }
    const Outcome run = Run();
    EXPECT_THAT(run.err, HasSubstr("was damaged and is dropped")) << kind;
    EXPECT_EQ(Weights(run), Weights(first)) << kind;
    EXPECT_EQ(ProfileOf(run), ProfileOf(first)) << kind;
    EXPECT_EQ(Protium({"cache", "verify"}).out, "5 objects are intact\n") << kind;
  }
}

TEST_F(Kept, AFileRewrittenWithinTheSecondIsReadAgain) {
  const Outcome first = Run();
  std::string text = own_.Text("machines.csv");
  const size_t at = text.rfind(',') + 1;
  text[at] = text[at] == '9' ? '8' : '9';
  own_.Write("machines.csv", text);
  const Outcome second = Run();
  EXPECT_THAT(second.err, Not(HasSubstr("kept from")));
  const Outcome fresh = Run({"--fresh"});
  EXPECT_EQ(Weights(second), Weights(fresh));
  EXPECT_EQ(ProfileOf(second), ProfileOf(fresh));
}

// An object whose name promises the rows of another query.
TEST_F(Kept, AWrongHitIsFoundByMakingTheTableAgain) {
  Run();
  ReplaceInJob("SELECT * FROM machines", "SELECT * FROM machines WHERE age < 20");
  const Outcome right = Run();
  EXPECT_THAT(Protium({"cache", "verify", own_ / "job.toml"}).out,
              HasSubstr("holds the rows that its SQL makes, "));
  {
    const auto store = LocalStore::Open({.folder = own_ / "store"}).ValueOrDie();
    std::optional<Manifest> all, some;
    for (const Manifest& each : store->List()) {
      if (each.kind == "table") (each.facts["rows"] == 600 ? all : some) = each;
    }
    ASSERT_TRUE(all && some);
    ASSERT_TRUE(store->Remove(some->cause).ValueOrDie());
    auto begun =
        store->FindOrBegin({.kind = "table", .causes = some->causes, .run = "planted"}, {});
    auto& draft = std::get<Draft>(*begun);
    const auto object = store->Find(all->cause).ValueOrDie();
    ASSERT_TRUE(draft.TakePart("table.duckdb", object->Path("table.duckdb")).ok());
    ASSERT_TRUE(draft.Commit({.content = all->content, .facts = all->facts}).ok());
  }
  EXPECT_THAT(Run().err, HasSubstr("etl      kept from planted, 600 rows"));
  const Outcome verify = Protium({"cache", "verify", own_ / "job.toml"});
  EXPECT_EQ(verify.exit, 3);
  EXPECT_THAT(verify.err, HasSubstr("planted has kept holds other rows than its SQL makes"));
  const Outcome again = Run();
  EXPECT_THAT(again.err, Not(HasSubstr("etl      kept from")));
  EXPECT_EQ(Weights(again), Weights(right));
}

// What the engine said of the SQL is found again once the file is two seconds old.
TEST_F(Kept, AMistakeIsRefusedWhateverIsKept) {
  const Outcome first = Run();
  AwaitAge(own_ / "machines.csv", std::chrono::seconds(2));
  Run();
  EXPECT_EQ(Weights(Run()), Weights(first));
  const auto refused = [&](const std::string& what) {
    const Outcome run = Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "refused"});
    EXPECT_EQ(run.exit, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(what));
    EXPECT_THAT(run.err, HasSubstr("nothing was started"));
  };
  for (int i = 0; i < 2; ++i) {
    ReplaceInJob("SELECT * FROM machines", "SELECT *, zebra FROM machines");
    refused("column \"zebra\" not found");
    ReplaceInJob("by = [\"id\"]\n[[pipeline]]", "by = [\"zebra\"]\n[[pipeline]]");
    refused("\"zebra\"");
  }
  own_.Write("job.toml", kMachinesJob);
  std::string text = own_.Text("machines.csv");
  own_.Write("machines.csv", text.replace(text.find("load"), 4, "lode"));
  refused("\"load\"");
}

TEST_F(Kept, AWarningIsGivenInEveryRun) {
  ReplaceInJob("SELECT * FROM machines", "SELECT *, hours AS copy FROM machines");
  std::string job = own_.Text("job.toml");
  own_.Write("job.toml", job.replace(job.find("[\"age\", "), 8, "[\"age\", \"copy\", "));
  const std::string leak = "possible target leak: copy equals hours in every row";
  const Outcome first = Run();
  EXPECT_THAT(first.err, HasSubstr(leak));
  const Outcome second = Run();
  EXPECT_THAT(second.err, HasSubstr("etl      kept from"));
  EXPECT_THAT(second.err, HasSubstr(leak));
  EXPECT_THAT(Run({"--set", "leaks.known=[\"copy\"]"}).err, Not(HasSubstr(leak)));
  EXPECT_THAT(Run({"--set", "leaks.look=false"}).err, Not(HasSubstr(leak)));
  EXPECT_THAT(Run().err, HasSubstr(leak));
}

TEST_F(Kept, SwitchedOffNothingIsKeptOrTaken) {
  Run();
  for (int i = 0; i < 2; ++i) {
    const Outcome off = own_.Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
    EXPECT_EQ(off.exit, 0) << off.err;
    EXPECT_THAT(off.err, Not(HasSubstr("kept from")));
  }
  const Outcome refused = own_.Protium({"cache", "ls"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("the store is switched off"));
}

}  // namespace
}  // namespace protium::whole
