// SPDX-License-Identifier: Apache-2.0
// Runs on Spark whose driver and executors share an object store and no folder: what the driver
// writes lies on a disk that only the test and its commands can see. The server is of the release
// in PROTIUM_TEST_SPARK_VERSION, with the jars of scripts/jars.lock.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "whole/object_server.h"
#include "whole/own_spark.h"
#include "whole/small_disk.h"
#include "whole/table_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;
using std::chrono::seconds;

namespace {

// With a checkpoint every few steps.
std::string LongJob(int epochs) {
  return With(
      kMachinesJob, "epochs = 2\nbatch_size = 64",
      fmt::format("epochs = {}\nbatch_size = 16\ncheckpoint = {{ every_steps = 40 }}", epochs));
}

// How many steps the checkpoint had that training last began from.
int64_t StepOfLastStart(const fs::path& run) {
  std::ifstream events(run / "events.jsonl");
  int64_t step = -1;
  for (std::string line; std::getline(events, line);) {
    const Json event = ParseJson(line).ValueOr(Json());
    if (TextAt(event, "event") == "train_start") step = WholeAt(event, "step");
  }
  return step;
}

// The store and the server; the disk is mounted after the server has begun, which so cannot see it.
class Cluster {
 public:
  static const Cluster* Start(std::string& why) {
    static std::string reason;
    static const std::unique_ptr<Cluster> made = Make(reason);
    why = reason;
    return made.get();
  }

  const ObjectServer& store() const { return *store_; }
  const std::string& address() const { return spark_->address(); }
  // A new folder that executors cannot see.
  fs::path NewFolder() const {
    const fs::path folder = disk_->path() / std::to_string(++folders_);
    fs::create_directories(folder);
    return folder;
  }

 private:
  static std::unique_ptr<Cluster> Make(std::string& why) {
    std::unique_ptr<Cluster> made(new Cluster());
    const char* const version = std::getenv("PROTIUM_TEST_SPARK_VERSION");
    why = "no Spark: PROTIUM_TEST_SPARK_VERSION is not set";
    if (version == nullptr) return nullptr;
    why = "no connector for S3: scripts/spark-server fetch --version 4.2.1 --jars";
    const bool jars = fs::exists(Repository() / ".deps/spark/jars/hadoop-aws-3.5.0.jar");
    if (!jars || !std::string(version).starts_with("4.2")) return nullptr;
    why = "not here: ./dev setup --sources s3";
    if (!fs::exists(Repository() / ".deps/py/pyarrow/libarrow_s3.so.2600")) return nullptr;
    made->store_ = ObjectServer::Start(0, why);
    if (made->store_ == nullptr) return nullptr;
    // Executors get their credentials as on a real cluster: from their own environment.
    for (const auto& [name, value] : made->store_->Environment()) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    const std::vector<std::string> settings = {
        "spark.hadoop.fs.s3a.endpoint=" + made->store_->url(),
        "spark.hadoop.fs.s3a.endpoint.region=us-east-1",
        "spark.hadoop.fs.s3a.path.style.access=true",
        "spark.hadoop.fs.s3a.connection.ssl.enabled=false"};
    made->spark_ = std::make_unique<OwnServer>(version, "0", "local-cluster[2,2,1024]", settings,
                                               std::vector<std::string>{"--jars"});
    why = SmallDisk::WhyNot();
    if (!why.empty()) return nullptr;
    made->disk_ = std::make_unique<SmallDisk>(made->scratch_.path() / "disk", int64_t{2} << 30);
    return made;
  }

  const Scratch scratch_;
  std::unique_ptr<ObjectServer> store_;
  std::unique_ptr<OwnServer> spark_;
  std::unique_ptr<SmallDisk> disk_;
  mutable int folders_ = 0;
};

}  // namespace

class SparkStores : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    cluster_ = Cluster::Start(why);
    if (cluster_ == nullptr) GTEST_SKIP() << why;
    folder_ = cluster_->NewFolder();
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::unique_ptr<Running> Start(std::vector<std::string> words) const {
    words.insert(words.begin(), ProtiumCommand());
    return std::make_unique<Running>(std::move(words), folder_,
                                     cluster_->store().Environment(folder_ / "cache"));
  }
  Outcome Protium(std::vector<std::string> words) const {
    return Start(std::move(words))->Wait(seconds(400));
  }
  std::vector<std::string> RunWords(const std::string& runs) const {
    return {"run", folder_ / "job.toml", "--json",           "--runs-dir",
            runs,  "--engine",           cluster_->address()};
  }
  // The weights of the same job on this machine.
  std::string WeightsHere() const {
    const Outcome here =
        Protium({"run", folder_ / "job.toml", "--json", "--runs-dir", folder_ / "here"});
    EXPECT_EQ(here.exit, 0) << here.err;
    return Weights(here.json.value("model", ""));
  }
  std::string Weights(const std::string& model) const {
    const Outcome shown = Protium({"inspect", model, "--json"});
    return shown.exit == 0 ? shown.json.value("weights_sha256", "") : shown.err;
  }
  // The folder in which the driver works on its only run; empty: there is none yet.
  fs::path WorkingFolder() const {
    std::error_code none;
    const fs::path runs = folder_ / "cache/protium/runs";
    for (fs::recursive_directory_iterator at(runs, none), end; !none && at != end;
         at.increment(none)) {
      if (at->path().filename() == "events.jsonl") return at->path().parent_path();
    }
    return {};
  }
  // Waits until a run has its second checkpoint, and the first has been copied to the store.
  fs::path AwaitCheckpoints() const {
    const auto until = std::chrono::steady_clock::now() + seconds(300);
    while (std::chrono::steady_clock::now() < until) {
      const fs::path run = WorkingFolder();
      if (!run.empty() && LastEventValue(run, "step") > 200) {
        std::this_thread::sleep_for(seconds(2));
        return run;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return {};
  }
  // The names of the objects in transit that are left of the runs with this prefix.
  std::string LeftInTransit(const std::string& prefix) const {
    const std::string listing =
        "import boto3, os, sys\n"
        "s3 = boto3.client('s3', endpoint_url=os.environ['AWS_ENDPOINT_URL'])\n"
        "for each in s3.get_paginator('list_objects_v2').paginate("
        "Bucket='lake', Prefix=sys.argv[1]):\n"
        "  for one in each.get('Contents', []):\n"
        "    if '/transit/' in one['Key'] and one['Size'] > 0: print(one['Key'])\n";
    const Outcome listed = RunLakePython(listing, {prefix}, folder_);
    return listed.exit == 0 ? listed.out : listed.err;
  }

  const Cluster* cluster_ = nullptr;
  fs::path folder_;
};

TEST_F(SparkStores, AGangNeedsNoSharedFolder) {
  Write("machines.csv", MachinesTable(4000));
  Write("job.toml", std::string(kMachinesJob) + "[outputs]\nscored = \"scored.parquet\"\n");
  const Outcome run = Protium(RunWords("s3://lake/gang"));
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string model = run.json.value("model", "");
  EXPECT_TRUE(model.starts_with("s3://lake/gang/")) << run.out;
  EXPECT_EQ(Weights(model), WeightsHere());
  EXPECT_EQ(LeftInTransit("gang"), "");
  // The output lies beside the model, as a folder of files that Spark wrote.
  const std::string output = run.json["outputs"].at(0).get<std::string>();
  EXPECT_TRUE(output.starts_with("s3://lake/gang/")) << output;
  const Outcome rows = Protium({"sql", "SELECT count(*) AS n, count(prediction) AS p FROM scored",
                                "--table", "scored=" + output + "/*.parquet", "--json"});
  EXPECT_TRUE(Has(rows.out, "[[764,764]]")) << rows.out << rows.err;
}

// An elastic gang is a lease of ordinary tasks, whose driver speaks to them all the time.
TEST_F(SparkStores, AnElasticGangNeedsNoSharedFolder) {
  Write("machines.csv", MachinesTable(4000));
  Write("job.toml", std::string(kMachinesJob) + "[gang]\nworkers = { min = 1, max = 2 }\n");
  const Outcome run = Protium(RunWords("s3://lake/elastic"));
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(Weights(run.json.value("model", "")), WeightsHere());
  EXPECT_EQ(LeftInTransit("elastic"), "");
}

TEST_F(SparkStores, ARunThatIsKilledGoesOnElsewhere) {
  Write("machines.csv", MachinesTable(4000));
  Write("job.toml", LongJob(120));
  const auto run = Start(RunWords("s3://lake/killed"));
  const fs::path before = AwaitCheckpoints();
  ASSERT_FALSE(before.empty());
  run->Signal(SIGKILL);
  EXPECT_EQ(run->Wait().exit, -SIGKILL);
  const std::string address = "s3://lake/killed/" + before.filename().string();
  fs::rename(folder_ / "cache", folder_ / "elsewhere");
  const Outcome resumed = Protium({"resume", address, "--json"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_GT(StepOfLastStart(WorkingFolder()), 0) << "it began anew";
  EXPECT_EQ(Weights(address + "/model"), WeightsHere());
  EXPECT_EQ(LeftInTransit("killed"), "");
}

}  // namespace protium::whole
