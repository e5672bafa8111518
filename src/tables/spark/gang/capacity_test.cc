// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/capacity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

Capacity Cluster() {
  return {.master = "spark://h:7077", .cores = 8, .gpus_per_executor = 2, .cores_per_executor = 4};
}

GangSpec Gang(int32_t workers, int32_t cores, int32_t gpus) {
  return {.workers = workers, .cores_per_worker = cores, .gpus_per_worker = gpus};
}

Fault Refused(const GangSpec& gang, const Capacity& capacity) {
  const Status status = CheckFits(gang, capacity);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(FaultOf(status).exit, Exit::kUsage);
  return FaultOf(status);
}

TEST(Capacity, TakeGangsThatFitTheIdleCluster) {
  EXPECT_TRUE(CheckFits(Gang(8, 1, 0), Cluster()).ok());
  EXPECT_TRUE(CheckFits(Gang(4, 2, 1), Cluster()).ok());
  EXPECT_TRUE(CheckFits(Gang(2, 4, 2), Cluster()).ok());
}

TEST(Capacity, RefuseMoreCoresThanThereAre) {
  const Fault fault = Refused(Gang(9, 1, 0), Cluster());
  EXPECT_EQ(fault.what,
            "the gang needs 9 times 1 cores at once, and the cluster has 2 executors of 4");
  EXPECT_EQ(fault.fix, "set gang.workers=8");
}

TEST(Capacity, CountARanksCoresWithinOneExecutor) {
  EXPECT_EQ(Refused(Gang(3, 3, 0), Cluster()).fix, "set gang.workers=2");
  EXPECT_THAT(Refused(Gang(1, 5, 0), Cluster()).fix, HasSubstr("cores_per_worker"));
}

TEST(Capacity, CountARanksDevicesWithinOneExecutor) {
  EXPECT_THAT(Refused(Gang(1, 1, 3), Cluster()).what, HasSubstr("1 times 3 GPUs"));
  EXPECT_THAT(Refused(Gang(5, 1, 1), Cluster()).what, HasSubstr("2 executors of 2"));
  Capacity none = Cluster();
  none.gpus_per_executor = 0;
  EXPECT_THAT(Refused(Gang(1, 1, 1), none).what, HasSubstr("the cluster has none"));
}

TEST(Capacity, RefuseGangsOfNobody) {
  EXPECT_THAT(Refused(Gang(0, 1, 0), Cluster()).what, HasSubstr("at least 1"));
  EXPECT_THAT(Refused(Gang(1, 0, 0), Cluster()).what, HasSubstr("at least 1"));
}

TEST(Capacity, RefuseProfilesWithoutExecutors) {
  const Capacity local{.master = "local[4]", .cores = 4};
  EXPECT_TRUE(CheckFits(Gang(4, 1, 0), local).ok());
  EXPECT_THAT(Refused(Gang(1, 2, 0), local).what, HasSubstr("cores_per_worker is 2"));
}

TEST(Capacity, CountExecutorsThatMayCome) {
  Capacity dynamic = Cluster();
  dynamic.dynamic = true;
  EXPECT_TRUE(CheckFits(Gang(100, 1, 0), dynamic).ok());
  EXPECT_THAT(Refused(Gang(1, 5, 0), dynamic).what, HasSubstr("the cluster has executors of 4"));
  dynamic.most_executors = 3;
  EXPECT_TRUE(CheckFits(Gang(12, 1, 0), dynamic).ok());
  EXPECT_EQ(Refused(Gang(13, 1, 0), dynamic).fix, "set gang.workers=12");
}

TEST(Capacity, AreThoseOfExecutorsThatAGangAsksFor) {
  Capacity session = Cluster();
  const GangExecutors own{.cores = 2, .gpus = 1};
  EXPECT_THAT(FaultOf(CapacityOf(own, session).status()).what, HasSubstr("dynamicAllocation"));
  EXPECT_EQ(CapacityOf({}, session)->gpus_per_executor, 2);
  session.dynamic = true;
  const Capacity capacity = CapacityOf(own, session).ValueOrDie();
  EXPECT_TRUE(CheckFits(Gang(9, 2, 1), capacity).ok());
  EXPECT_THAT(Refused(Gang(1, 3, 0), capacity).what, HasSubstr("executors of 2"));
  EXPECT_THAT(Refused(Gang(1, 1, 2), capacity).what, HasSubstr("executors of 1"));
}

TEST(Capacity, LeaseWhatBarrierStagesRefuse) {
  Capacity cluster = Cluster();
  EXPECT_FALSE(NeedsLease(Gang(2, 1, 0), cluster));
  EXPECT_TRUE(NeedsLease({.workers = {1, 2}}, cluster));
  cluster.dynamic = true;
  EXPECT_TRUE(NeedsLease(Gang(2, 1, 0), cluster));
}

}  // namespace
}  // namespace protium
