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

#include "whole/object_server.h"
#include "whole/own_spark.h"
#include "whole/small_disk.h"
#include "whole/table_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;
using std::chrono::seconds;

namespace {

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
  // The addresses of what is left in transit.
  bool LeftInTransit(const std::string& prefix) const {
    const std::string listed =
        RunLakePython(
            "import boto3, os, sys\n"
            "s3 = boto3.client('s3', endpoint_url=os.environ['AWS_ENDPOINT_URL'])\n"
            "for each in s3.get_paginator('list_objects_v2').paginate("
            "Bucket='lake', Prefix=sys.argv[1]):\n"
            "  for one in each.get('Contents', []): print(one['Key'])\n",
            {prefix}, folder_)
            .out;
    return Has(listed, "/transit/");
  }

  const Cluster* cluster_ = nullptr;
  fs::path folder_;
};

TEST_F(SparkStores, AGangNeedsNoSharedFolder) {
  Write("machines.csv", MachinesTable(4000));
  Write("job.toml", kMachinesJob);
  const Outcome run = Protium(RunWords("s3://lake/gang"));
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(run.json.value("model", "").starts_with("s3://lake/gang/")) << run.out;
  EXPECT_EQ(Weights(run.json.value("model", "")), WeightsHere());
  EXPECT_FALSE(LeftInTransit("gang"));
}

}  // namespace protium::whole
