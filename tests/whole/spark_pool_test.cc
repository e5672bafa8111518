// SPDX-License-Identifier: Apache-2.0
// Jobs that share a Spark server by the pools of its fair scheduler. The tests start servers of
// their own, of the release in PROTIUM_TEST_SPARK_VERSION.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "whole/flights.h"
#include "whole/own_spark.h"

namespace protium::whole {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::UnorderedElementsAre;

class SparkPool : public testing::Test {
 protected:
  void SetUp() override {
    const char* const version = std::getenv("PROTIUM_TEST_SPARK_VERSION");
    if (version == nullptr) GTEST_SKIP() << "no Spark: PROTIUM_TEST_SPARK_VERSION is not set";
    version_ = version;
  }

  Outcome RunCommand(std::vector<std::string> words) const {
    Running command(std::move(words), scratch_.path());
    return command.Wait(std::chrono::seconds(300));
  }

  // The example job with a gang of `workers`, in a folder of its own.
  std::vector<std::string> Job(const std::string& server, const std::string& pool,
                               const std::string& workers) const {
    const std::string runs = (scratch_.path() / ("runs-" + pool)).string();
    std::vector<std::string> words = {ProtiumCommand(), "run",        FlightsJob(),
                                      "--json",         "--runs-dir", runs};
    for (const std::string& setting :
         {"data=" + tables_, std::string("train.epochs=2"), "engine=" + server,
          "gang.workers=" + workers, "engine.spark.pool=" + pool}) {
      words.insert(words.end(), {"--set", setting});
    }
    return words;
  }

  // How many stages the server has run in each pool, as its own page counts them.
  std::map<std::string, int> StagesByPool(const OwnServer& server) const {
    const std::string ask =
        "import json, re, sys, urllib.request as u\n"
        "log = open(sys.argv[1]).read()\n"
        "at = 'http://127.0.0.1:%s/api/v1/applications' % "
        "re.search(r\"'SparkUI' on port (\\d+)\", log).group(1)\n"
        "get = lambda path: json.load(u.urlopen(at + path, timeout=30))\n"
        "stages = get('/%s/stages' % get('')[0]['id'])\n"
        "pools = [s['schedulingPool'] for s in stages if s['status'] == 'COMPLETE']\n"
        "print(json.dumps({p: pools.count(p) for p in pools}))\n";
    const Outcome outcome = RunCommand(
        {"/usr/bin/env", "python3", "-c", ask, (server.state() / "log" / "server").string()});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    if (!outcome.json.is_object()) return {};
    return outcome.json.get<std::map<std::string, int>>();
  }

  const Scratch scratch_;
  const std::string tables_ = ExampleTables(3000);
  std::string version_;
};

TEST_F(SparkPool, HoldsAllStagesOfTheJobsThatNameIt) {
  const fs::path pools = scratch_.path() / "pools.xml";
  std::ofstream(pools) << "<allocations>"
                          "<pool name=\"gold\"><schedulingMode>FAIR</schedulingMode>"
                          "<weight>3</weight><minShare>1</minShare></pool>"
                          "<pool name=\"bronze\"><schedulingMode>FAIR</schedulingMode>"
                          "<weight>1</weight><minShare>0</minShare></pool></allocations>\n";
  const OwnServer server(version_, "0", "local-cluster[2,1,1024]",
                         {"spark.scheduler.mode=FAIR", "spark.ui.enabled=true", "spark.ui.port=0",
                          "spark.scheduler.allocation.file=file://" + pools.string()});
  // A gang as a barrier stage, and one as ordinary tasks.
  Running gold(Job(server.address(), "gold", "1"), scratch_.path());
  Running bronze(Job(server.address(), "bronze", "{min=1,max=2}"), scratch_.path());
  for (Running* const job : {&gold, &bronze}) {
    const Outcome outcome = job->Wait(std::chrono::seconds(300));
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("engine.spark.pool")));
  }
  EXPECT_THAT(StagesByPool(server), UnorderedElementsAre(Key("gold"), Key("bronze")));

  const Outcome other = RunCommand({ProtiumCommand(), "sql", "SELECT count(*) FROM range(9)",
                                    "--engine", server.address(), "--json"});
  ASSERT_EQ(other.exit, 0) << other.err;
  EXPECT_THAT(StagesByPool(server),
              UnorderedElementsAre(Key("gold"), Key("bronze"), Key("default")));

  const Outcome doctor =
      RunCommand({ProtiumCommand(), "doctor", "--engine", server.address(), "--pool", "gold"});
  EXPECT_EQ(doctor.exit, 0) << doctor.err;
  EXPECT_THAT(doctor.out, HasSubstr("jobs run in Spark's pool \"gold\""));
}

TEST_F(SparkPool, IsOfNoUseOnAServerThatSchedulesByOrderAndItIsSaid) {
  const OwnServer server(version_);
  const std::string warning = "engine.spark.pool = \"gold\" has no effect";
  std::vector<std::string> words = Job(server.address(), "gold", "1");
  const Outcome run = RunCommand(words);
  EXPECT_EQ(run.exit, 0) << "it is a warning: " << run.err;
  EXPECT_THAT(run.err, HasSubstr(warning));
  EXPECT_THAT(run.err, HasSubstr("spark.scheduler.mode=FAIR"));
  words[1] = "plan";
  const Outcome plan = RunCommand(words);
  EXPECT_EQ(plan.exit, 0) << plan.err;
  ASSERT_EQ(plan.json["warnings"].size(), 1u) << plan.out;
  EXPECT_THAT(plan.json["warnings"][0].get<std::string>(), HasSubstr(warning));
  const Outcome doctor =
      RunCommand({ProtiumCommand(), "doctor", "--engine", server.address(), "--pool", "gold"});
  EXPECT_NE(doctor.exit, 0);
  EXPECT_THAT(doctor.out, HasSubstr(warning));
  const Outcome unnamed = RunCommand(Job(server.address(), "  ", "1"));
  EXPECT_EQ(unnamed.exit, 2) << unnamed.err;
  EXPECT_THAT(unnamed.err, HasSubstr("is not the name of a pool"));
}

TEST_F(SparkPool, IsNotAskedForElsewhere) {
  const Outcome doctor = RunCommand({ProtiumCommand(), "doctor", "--pool", "gold"});
  EXPECT_EQ(doctor.exit, 2);
  EXPECT_THAT(doctor.err, HasSubstr("--pool is for Spark"));
}

}  // namespace protium::whole
