// SPDX-License-Identifier: Apache-2.0
#include "spark/page/page_plan.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

// The response of Spark 4.2.1 about a write of seven groups of a million rows.
constexpr const char* kWrite = R"json({"id":1,"status":"COMPLETED","successJobIds":[2,3],"nodes":[
    {"nodeId":10,"nodeName":"Range","wholeStageCodegenId":1,"metrics":[
      {"name":"number of output rows","value":"1,000,000"}]},
    {"nodeId":9,"nodeName":"Project","wholeStageCodegenId":1,"metrics":[]},
    {"nodeId":8,"nodeName":"HashAggregate","wholeStageCodegenId":1,"metrics":[
      {"name":"time in aggregation build","value":"total (min, med, max (stageId: taskId))\n80 ms (27 ms, 53 ms, 53 ms (stage 3.0: task 4))"
},
      {"name":"peak memory","value":"total (min, med, max (stageId: taskId))\n512.0 KiB (256.0 KiB, 256.0 KiB, 256.0 KiB (stage 3.0: task 3))"},
      {"name":"number of output rows","value":"14"}]
},
    {"nodeId":7,"nodeName":"WholeStageCodegen (1)","metrics":[
      {"name":"duration","value":"total (min, med, max (stageId: taskId))\n117 ms (41 ms, 76 ms, 76 ms (stage 3.0: task 4))"}]},
    {"nodeId":6,"nodeName":"Exchange","metrics":[
      {"name":"shuffle records written","value":"14"},
      {"name":"records read","value":"14"},
      {"name":"local bytes read","value":"872.0 B"},
      {"name":"local blocks read","value":"2"},
      {"name":"data size","value":"total (min, med, max (stageId: taskId))\n336.0 B (168.0 B, 168.0 B, 168.0 B (stage 3.0: task 3))"},
      {"name":"shuffle write time","value":"total (min, med, max (stageId: taskId))\n11 ms (4 ms, 7 ms, 7 ms (stage 3.0: task 3))"}]},
    {"nodeId":5,"nodeName":"AQEShuffleRead","metrics":[
      {"name":"number of partitions","value":"1"},
      {"name":"number of empty partitions","value":"193"},
      {"name":"partition data size","value":"912.0 B"},
      {"name":"number of coalesced partitions","value":"1"}]},
    {"nodeId":4,"nodeName":"HashAggregate","wholeStageCodegenId":2,"metrics":[
      {"name":"peak memory","value":"8.2 MiB"},
      {"name":"number of output rows","value":"7"},
      {"name":"avg hash probes per key","value":"1"}]},
    {"nodeId":3,"nodeName":"WholeStageCodegen (2)","metrics":[
      {"name":"duration","value":"430 ms"}]},
    {"nodeId":2,"nodeName":"WriteFiles","metrics":[]},
    {"nodeId":1,"nodeName":"Execute InsertIntoHadoopFsRelationCommand","metrics":[
      {"name":"task commit time","value":"6 ms"},
      {"name":"number of written files","value":"1"},
      {"name":"job commit time","value":"32 ms"},
      {"name":"number of output rows","value":"7"},
      {"name":"written output","value":"788.0 B"}]},
    {"nodeId":0,"nodeName":"AdaptiveSparkPlan","metrics":[]}],
 "edges":[{"fromId":1,"toId":0},{"fromId":2,"toId":1},{"fromId":4,"toId":2},{"fromId":5,"toId":4},
    {"fromId":6,"toId":5},{"fromId":8,"toId":6},{"fromId":9,"toId":8},{"fromId":10,"toId":9}]
})json";

TEST(PagePlan, HasTheOperatorsOfAWriteAsATree) {
  const Json execution = Json::parse(kWrite);
  EXPECT_TRUE(IsExecutionOver(execution));
  const Json all = OperatorsOfExecution(execution);
  std::string tree;
  for (const Json& each : all) {
    tree += std::string(each["depth"].get<size_t>(), ' ') + TextAt(each, "name") + "\n";
  }
  EXPECT_EQ(tree,
            "Execute InsertIntoHadoopFsRelationCommand\n"
            " WriteFiles\n"
            "  WholeStageCodegen (2)\n"
            "   HashAggregate\n"
            "    AQEShuffleRead\n"
            "     Exchange\n"
            "      WholeStageCodegen (1)\n"
            "       HashAggregate\n"
            "        Project\n"
            "         Range\n");
  EXPECT_EQ(all[0]["rows"], 7);
  EXPECT_NEAR(all[0]["seconds"].get<double>(), 0.038, 1e-9);
  EXPECT_EQ(all[0]["what"], "number of written files 1, written output 788.0 B");
  EXPECT_EQ(all[9]["rows"], 1'000'000);
  EXPECT_FALSE(all[9].contains("seconds"));
  // Over all tasks, not for the longest one.
  EXPECT_NEAR(all[6]["seconds"].get<double>(), 0.117, 1e-9);
}

TEST(PagePlan, KnowsWhoseAnExecutionIs) {
  EXPECT_EQ(
      OperationOfJob(Json::parse(
          R"({"jobTags": ["x", 7, "SparkConnect_OperationTag_User__Session_s_Operation_ab"]})")),
      "ab");
  EXPECT_EQ(OperationOfJob(Json::parse(R"({"jobTags": ["x"]})")), "");
  const Json execution = Json::parse(
      R"json({"id": 7, "description": "Spark Connect - session_id: \"s-1\"\nplan {",
              "successJobIds": [2, 9], "runningJobIds": [3], "failedJobIds": []})json");
  EXPECT_TRUE(IsOfSession(execution, "s-1"));
  EXPECT_FALSE(IsOfSession(execution, "s-"));
  EXPECT_EQ(JobsOfExecution(execution), (std::vector<int64_t>{2, 3, 9}));
}

TEST(PagePlan, TakesAnswersThatAreSomethingElse) {
  for (const char* text :
       {"null", "7", "[]", "{}", "[7,[],{}]", R"({"jobTags":7,"successJobIds":["x",{}]})",
        R"({"nodes":7,"edges":{}})",
        R"({"nodes":[7,{"nodeId":1}],"edges":[{"fromId":1,"toId":1}]})",
        R"({"nodes":[{"nodeId":1,"metrics":[7,{"value":"total ("}]}],"edges":[7]})"}) {
    const Json json = Json::parse(text);
    EXPECT_EQ(OperationOfJob(json), "") << text;
    EXPECT_FALSE(IsOfSession(json, "s")) << text;
    EXPECT_TRUE(JobsOfExecution(json).empty()) << text;
    EXPECT_LE(OperatorsOfExecution(json).size(), 1u) << text;
  }
}

}  // namespace
}  // namespace protium
