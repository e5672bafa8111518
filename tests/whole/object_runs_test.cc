// SPDX-License-Identifier: Apache-2.0
// Runs whose folders lie on an object store, with a server that speaks S3's protocol.
#include <gtest/gtest.h>
#include <signal.h>

#include <random>
#include <thread>

#include "whole/object_server.h"
#include "whole/table_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;
using std::chrono::seconds;

namespace {

constexpr int kRows = 4000;

// With a checkpoint every few steps. On an idle machine 20 epochs take about a second.
std::string LongJob(int epochs) {
  return With(
      kMachinesJob, "epochs = 2\nbatch_size = 64",
      fmt::format("epochs = {}\nbatch_size = 16\ncheckpoint = {{ every_steps = 40 }}", epochs));
}

// A user's machine: a job, a cache of its own, and the store.
class Machine {
 public:
  Machine(const ObjectServer& server, const OwnJob& job, const std::string& name)
      : server_(server), job_(job), cache_(job / ("cache-" + name)) {}

  fs::path cache() const { return cache_; }
  std::unique_ptr<Running> Start(std::vector<std::string> words) const {
    words.insert(words.begin(), ProtiumCommand());
    return std::make_unique<Running>(std::move(words), job_.path(), server_.Environment(cache_));
  }
  Outcome Protium(std::vector<std::string> words) const { return Start(std::move(words))->Wait(); }
  std::unique_ptr<Running> StartRun(const std::string& runs) const {
    return Start({"run", (job_ / "job.toml").string(), "--json", "--runs-dir", runs});
  }
  // The only run in `runs` by its address; empty: there is none.
  std::string OnlyRunIn(const std::string& runs) const {
    const Outcome list = Protium({"runs", "list", "--json", "--runs-dir", runs});
    if (list.exit != 0 || list.json.size() != 1) return "";
    return runs + "/" + list.json[0]["run"].get<std::string>();
  }
  std::string Weights(const std::string& run) const {
    const Outcome shown = Protium({"inspect", run + "/model", "--json"});
    return shown.exit == 0 ? shown.json.value("weights_sha256", "") : shown.err;
  }

 private:
  const ObjectServer& server_;
  const OwnJob& job_;
  fs::path cache_;
};

// Waits until the run can be continued elsewhere, which is before it trains; returns its address.
std::string AwaitRun(const Machine& there, const std::string& runs) {
  for (int i = 0; i < 100; ++i) {
    const std::string address = there.OnlyRunIn(runs);
    if (!address.empty() && there.Protium({"runs", "show", address}).exit == 0) return address;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return "";
}

// Those of the run that nobody disturbs, in a local folder.
std::string UndisturbedWeights(const OwnJob& job) {
  const Outcome run = job.Run();
  EXPECT_EQ(run.exit, 0) << run.err;
  return ReadWeightsHash(job.Model(), job.path());
}

std::unique_ptr<ObjectServer> StartStore(int busy_every, std::string& why) {
  why = "not here: ./dev setup --sources s3";
  if (!fs::exists(Repository() / ".deps/py/pyarrow/libarrow_s3.so.2600")) return nullptr;
  return ObjectServer::Start(busy_every, why);
}

// Of the only run in a cache.
std::string OnlyToken(const fs::path& cache) {
  for (const auto& entry : fs::recursive_directory_iterator(cache)) {
    if (entry.path().parent_path().filename() == ".state" && entry.path().extension() == ".json") {
      return ParseJson(ReadText(entry.path())).ValueOrDie()["token"];
    }
  }
  return "";
}

// One store for all tests; each has a folder of its own in it.
ObjectServer* Store(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<ObjectServer> server = StartStore(0, reason);
  why = reason;
  return server.get();
}

ObjectServer* BusyStore(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<ObjectServer> server = StartStore(5, reason);
  why = reason;
  return server.get();
}

#define NEED_STORE(name, which)                       \
  std::string name##_why;                             \
  const ObjectServer* const name = which(name##_why); \
  if (name == nullptr) GTEST_SKIP() << name##_why

}  // namespace

TEST(ObjectRuns, AreReadFromAnEmptyCacheAsTheyWereWritten) {
  NEED_STORE(store, Store);
  const OwnJob job(MachinesTable(600));
  const std::string runs = "s3://lake/whole";
  const Machine here(*store, job, "here"), there(*store, job, "there");
  const Outcome run = here.StartRun(runs)->Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string address = there.OnlyRunIn(runs);
  EXPECT_EQ(run.json["folder"], address);
  EXPECT_EQ(run.json["model"], address + "/model");
  EXPECT_EQ(there.Weights(address), UndisturbedWeights(job));
  const Outcome list = there.Protium({"runs", "--runs-dir", runs});
  EXPECT_TRUE(Has(list.out, "done")) << list.out << list.err;
  EXPECT_TRUE(Has(list.err, "1 run in " + runs)) << list.err;
  EXPECT_EQ(there.Protium({"runs", "show", "last", "--runs-dir", runs}).exit, 0);
  EXPECT_EQ(there.Protium({"logs", address}).exit, 0);
  const Outcome same =
      there.Protium({"runs", "compare", "last", address, "--json", "--runs-dir", runs});
  EXPECT_EQ(same.json["weights"]["equal"], true) << same.out << same.err;
  const Outcome scored = there.Protium({"predict", "--model", address + "/model", "--data",
                                        job.path(), "--output", job / "scored.csv"});
  EXPECT_EQ(scored.exit, 0) << scored.err;
  const Outcome again = there.Protium({"resume", "last", "--json", "--runs-dir", runs});
  EXPECT_EQ(again.json["model"], address + "/model") << again.err;
  EXPECT_FALSE(AnyFileHas(job.path(), kStoreCanary));
}

TEST(ObjectRuns, KilledAtAnyMomentGoOnElsewhereToTheSameBits) {
  NEED_STORE(store, Store);
  const OwnJob job(MachinesTable(kRows), LongJob(40));
  const std::string whole = UndisturbedWeights(job);
  ASSERT_EQ(whole.size(), 64u);
  std::mt19937 random(37);
  int resumed = 0;
  for (int i = 0; i < 2; ++i) {
    const std::string runs = fmt::format("s3://lake/killed-{}", i);
    const Machine here(*store, job, fmt::format("a{}", i));
    const Machine there(*store, job, fmt::format("b{}", i));
    const auto run = here.StartRun(runs);
    const std::string address = AwaitRun(there, runs);
    ASSERT_FALSE(address.empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1000));
    run->Signal(SIGKILL);
    const Outcome killed = run->Wait();
    const Outcome outcome = there.Protium({"resume", address, "--json"});
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(there.Weights(address), whole);
    const Machine third(*store, job, fmt::format("c{}", i));
    EXPECT_EQ(third.Weights(address), whole);
    resumed += killed.exit == -SIGKILL ? 1 : 0;
  }
  EXPECT_GE(resumed, 1);
}

TEST(ObjectRuns, AreLabelledAndRemovedFromAnywhere) {
  NEED_STORE(store, Store);
  const OwnJob job;
  const std::string runs = "s3://lake/labelled";
  const Machine here(*store, job, "here"), there(*store, job, "there"), third(*store, job, "third");
  const Outcome run = here.StartRun(runs)->Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string address = there.OnlyRunIn(runs);
  const std::string weights = here.Weights(address);
  const Outcome tagged = there.Protium({"runs", "tag", address, "best"});
  ASSERT_EQ(tagged.exit, 0) << tagged.err;
  const Outcome noted = third.Protium({"runs", "note", "best", "by canal", "--runs-dir", runs});
  ASSERT_EQ(noted.exit, 0) << noted.err;
  const Outcome shown = here.Protium({"runs", "show", "best", "--json", "--runs-dir", runs});
  EXPECT_EQ(shown.json["tags"], Json::array({"best"})) << shown.err;
  EXPECT_EQ(shown.json["note"], "by canal");
  EXPECT_EQ(third.Weights(address), weights);
  const Outcome resumed = there.Protium({"resume", address, "--set", "train.epochs=3"});
  EXPECT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_NE(here.Weights(address), weights);
  const Outcome removed = third.Protium({"runs", "rm", "best", "--json", "--runs-dir", runs});
  ASSERT_EQ(removed.exit, 0) << removed.err;
  EXPECT_GT(removed.json["removed"][0]["bytes"], 1000);
  const Outcome none = here.Protium({"runs", "list", "--json", "--runs-dir", runs});
  EXPECT_EQ(none.out, "[]\n") << none.err;
  const Outcome gone = here.Protium({"runs", "show", address});
  EXPECT_EQ(gone.exit, 3) << gone.err;
}

TEST(ObjectRuns, InUseElsewhereAreRefused) {
  NEED_STORE(store, Store);
  const OwnJob job(MachinesTable(kRows), LongJob(100'000));
  const std::string runs = "s3://lake/used";
  const Machine here(*store, job, "here"), there(*store, job, "there");
  const auto run = here.StartRun(runs);
  const std::string address = AwaitRun(there, runs);
  ASSERT_FALSE(address.empty());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"resume", address}, {"runs", "rm", address}}) {
    const Outcome refused = there.Protium(words);
    EXPECT_EQ(refused.exit, 4) << refused.err;
    EXPECT_TRUE(Has(refused.err, "is in use by another job")) << refused.err;
  }
  EXPECT_TRUE(run->alive());
  run->Signal(SIGKILL);
  run->Wait();
}

TEST(ObjectRuns, TakenOverElsewhereEnd) {
  NEED_STORE(store, Store);
  const OwnJob job(MachinesTable(kRows), LongJob(50));
  const std::string whole = UndisturbedWeights(job), runs = "s3://lake/twice";
  const Machine here(*store, job, "here"), there(*store, job, "there");
  const auto run = here.StartRun(runs);
  const std::string address = AwaitRun(there, runs);
  ASSERT_FALSE(address.empty());
  ASSERT_TRUE(run->alive());
  run->Signal(SIGSTOP);
  const Outcome taken = there.Protium({"resume", address, "--json"});
  ASSERT_EQ(taken.exit, 0) << taken.err;
  EXPECT_EQ(there.Weights(address), whole);
  run->Signal(SIGCONT);
  const Outcome late = run->Wait();
  EXPECT_EQ(late.exit, 4) << late.err;
  EXPECT_TRUE(Has(late.err, "has taken over")) << late.err;
  const Machine third(*store, job, "third");
  EXPECT_EQ(third.Weights(address), whole);
}

TEST(ObjectRuns, ResumedByTwoAtOnceGoOnOnce) {
  NEED_STORE(store, Store);
  const OwnJob job(MachinesTable(kRows), LongJob(40));
  const std::string whole = UndisturbedWeights(job), runs = "s3://lake/both";
  const Machine here(*store, job, "here"), a(*store, job, "a"), b(*store, job, "b");
  const auto run = here.StartRun(runs);
  const std::string address = AwaitRun(a, runs);
  ASSERT_FALSE(address.empty());
  run->Signal(SIGKILL);
  run->Wait();
  const auto first = a.Start({"resume", address}), second = b.Start({"resume", address});
  const Outcome one = first->Wait(), other = second->Wait();
  EXPECT_EQ(std::min(one.exit, other.exit), 0) << one.err << other.err;
  EXPECT_EQ(std::max(one.exit, other.exit), 4) << one.err << other.err;
  EXPECT_EQ(here.Weights(address), whole);
}

TEST(ObjectRuns, WithObjectsThatOthersChangedAreRefused) {
  NEED_STORE(store, Store);
  const OwnJob job(MachinesTable(300));
  const Machine here(*store, job, "here"), there(*store, job, "there");
  const Outcome run = here.StartRun("s3://lake/changed")->Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string address = run.json["folder"];
  const std::string token = OnlyToken(here.cache());
  store->PutText(address.substr(std::string("s3://lake/").size()) + "/000001-" + token +
                     "/model/weights.safetensors",
                 "other");
  const Outcome refused = there.Protium({"predict", "--model", address + "/model", "--data",
                                         job.path(), "--output", job / "scored.csv"});
  EXPECT_EQ(refused.exit, 5) << refused.err;
  EXPECT_TRUE(Has(refused.err, "is not what the run wrote")) << refused.err;
}

TEST(ObjectRuns, GoOnWhereTheStoreIsBusy) {
  NEED_STORE(store, BusyStore);
  const OwnJob job(MachinesTable(600));
  const Machine here(*store, job, "here"), there(*store, job, "there");
  const Outcome run = here.StartRun("s3://lake/busy")->Wait();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(there.Weights(run.json["folder"]), UndisturbedWeights(job));
}

TEST(ObjectRuns, GoOnWhileTheStoreIsAwayAndSayItOnce) {
  std::string why;
  const std::unique_ptr<ObjectServer> store = StartStore(0, why);
  if (store == nullptr) GTEST_SKIP() << why;
  const OwnJob job(MachinesTable(kRows), LongJob(320));
  const Machine here(*store, job, "here"), there(*store, job, "there");
  auto run = here.StartRun("s3://lake/away");
  ASSERT_FALSE(AwaitRun(there, "s3://lake/away").empty());
  store->SetAway(true);
  std::this_thread::sleep_for(seconds(13));
  store->SetAway(false);
  const Outcome done = run->Wait();
  ASSERT_EQ(done.exit, 0) << done.err;
  const std::string said = "the run continues here";
  EXPECT_EQ(done.err.find(said), done.err.rfind(said)) << done.err;
  EXPECT_TRUE(Has(done.err, said)) << done.err;
  const std::string address = done.json["folder"];
  EXPECT_EQ(there.Weights(address).size(), 64u);
}

TEST(ObjectRuns, ThatEndWithoutTheStoreAreCopiedLater) {
  std::string why;
  const std::unique_ptr<ObjectServer> store = StartStore(0, why);
  if (store == nullptr) GTEST_SKIP() << why;
  const OwnJob job(MachinesTable(kRows), LongJob(40));
  const Machine here(*store, job, "here"), there(*store, job, "there");
  auto run = here.StartRun("s3://lake/later");
  ASSERT_FALSE(AwaitRun(there, "s3://lake/later").empty());
  store->SetAway(true);
  const Outcome alone = run->Wait();
  EXPECT_EQ(alone.exit, 5) << alone.err;
  EXPECT_TRUE(Has(alone.err, "the run is done, but not all of it could be copied")) << alone.err;
  EXPECT_TRUE(Has(alone.err, here.cache().string())) << alone.err;
  store->SetAway(false);
  const std::string address = alone.json.value("folder", "");
  const Outcome copied = here.Protium({"resume", address, "--json"});
  ASSERT_EQ(copied.exit, 0) << copied.err;
  EXPECT_EQ(there.Weights(address), UndisturbedWeights(job));
}

TEST(ObjectRuns, ThatCannotBeginSayWhy) {
  NEED_STORE(store, Store);
  const OwnJob job(MachinesTable(60));
  const Machine here(*store, job, "here");
  const Outcome none = here.StartRun("s3://no-such-bucket/runs")->Wait();
  EXPECT_EQ(none.exit, 5) << none.err;
  EXPECT_TRUE(Has(none.err, "there is no such bucket")) << none.err;
  const Outcome secret =
      here.StartRun("s3://reader:" + std::string(kStoreCanary) + "@lake/runs")->Wait();
  EXPECT_EQ(secret.exit, 2) << secret.err;
  EXPECT_FALSE(Has(secret.err + secret.out, kStoreCanary)) << secret.err;
  const Outcome missing = here.Protium({"resume", "s3://lake/runs/none"});
  EXPECT_EQ(missing.exit, 3) << missing.err;
  std::map<std::string, std::string> environment = store->Environment(here.cache());
  environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1";
  Running alone({ProtiumCommand(), "runs", "--runs-dir", "s3://lake/runs"}, job.path(),
                environment);
  const Outcome nobody = alone.Wait(seconds(30));
  EXPECT_EQ(nobody.exit, 5) << nobody.err;
  EXPECT_TRUE(Has(nobody.err, "does not answer")) << nobody.err;
  EXPECT_FALSE(AnyFileHas(job.path(), kStoreCanary));
}

}  // namespace protium::whole
