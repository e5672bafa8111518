// SPDX-License-Identifier: Apache-2.0
// Leases without Spark: their jobs are workers that this test starts, on two hosts if it may create
// networks.
#include "spark/gang/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <set>

#include "base/fault.h"
#include "os/file.h"
#include "spark/testing/test_hosts.h"
#include "spark_worker/error_text.h"
#include "spark_worker/marks.h"
#include "spark_worker/testing/test_executor.h"
#include "spark_worker/testing/test_tasks.h"

namespace protium {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Leases : public testing::Test {
 protected:
  // Runs a gang of the task "bend" that makes so many steps.
  GangOutcome Run(const std::string& config) {
    const GangAttempt attempt{.command = {.task = "bend",
                                          .config = config,
                                          .output = TextSchema(),
                                          .gang = true,
                                          .lease = LeaseTerms{.bends = true, .patience = 5},
                                          .world = gang_.workers.max,
                                          .deadline = gang_.deadline,
                                          .events = folder_.path() / "events",
                                          .log = folder_.path()}};
    LeftOut left_out(gang_);
    LeaseSpec spec{.gang = gang_, .left_out = &left_out};
    spec.run_job = [this](const SparkCommand& command, const std::stop_token& stop) {
      return RunJob(command, stop);
    };
    return RunGangLease(attempt, spec, {.events = [this](const Json& event) { On(event); }});
  }

  // Does what Spark does: one process for the task, which an interrupt kills.
  LeaseJobEnd RunJob(const SparkCommand& command, const std::stop_token& stop) {
    const int32_t seat = command.lease->seat;
    if (enter_host_) enter_host_(seat);
    const TaskInit init{.family = Family::kC, .task_attempt_id = 40 + seat};
    const auto worker = TestWorker::Start({.reuse = false});
    const pid_t pid = worker->process().pid();
    const std::stop_callback killed(stop, [pid] { ::kill(pid, SIGKILL); });
    const Answer answer =
        worker->Exchange(HeaderBytes(init, command) + RowBytes(RowSchema(), {}), Family::kC);
    (void)worker->End();
    if (answer.last == kEndOfData) return {};
    return {.status = Fail({.what = "the process ended"}),
            .told = FailureFromWorkerText(answer.error)};
  }

  void On(const Json& event) {
    events_.push_back(event);
    if (event["event"] == "gang_start") ranks_ = event["ranks"];
    if (on_event_) on_event_(event);
  }

  std::vector<Json> Named(const std::string& name) const {
    std::vector<Json> named;
    for (const Json& each : events_) {
      if (each["event"] == name) named.push_back(each);
    }
    return named;
  }
  std::string TextOf(const std::string& name) const {
    std::string text;
    for (const Json& each : Named(name)) text += Dump(each) + "\n";
    return text;
  }
  pid_t Pid(int32_t rank) const { return ranks_[size_t(rank)]["pid"].get<pid_t>(); }
  // Calls `act` once, when `step` steps have been made.
  void AtStep(int64_t step, std::function<void()> act) {
    on_event_ = [this, step, act = std::move(act)](const Json& event) {
      if (event["event"] != "step" || event["step"] < step) return;
      const auto once = act;  // The object that holds it is destroyed now.
      on_event_ = {};
      once();
    };
  }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  GangSpec gang_{.workers = WorkerRange(1, 2), .max_restarts = 0, .deadline = 2, .patience = 5};
  std::function<void(int32_t)> enter_host_;  // For the thread of a seat's job.
  std::function<void(const Json&)> on_event_;
  std::vector<Json> events_;
  Json ranks_;
};

TEST_F(Leases, GoOnWithoutAMemberThatIsKilled) {
  AtStep(20, [this] { ::kill(Pid(1), SIGKILL); });
  const GangOutcome outcome = Run(R"({"steps": 300})");
  ASSERT_TRUE(outcome.result.status.ok()) << outcome.result.status;
  EXPECT_THAT(Texts(outcome.batches), ElementsAre("300"));
  EXPECT_THAT(Named("rank_lost"), SizeIs(1));
}

TEST_F(Leases, NameAMemberThatHangsWithWhatItDoesAndWhere) {
  gang_.deadline = 1.5;
  const GangOutcome outcome = Run(R"({"steps": 40, "hang": 20})");
  ASSERT_TRUE(outcome.result.status.ok()) << outcome.result.status;
  EXPECT_THAT(Texts(outcome.batches), ElementsAre("40"));
  EXPECT_THAT(
      TextOf("rank_lost"),
      ContainsRegex("kept the others waiting for 1.5 seconds \\([0-9.]+ s in its own code"));
  EXPECT_THAT(
      TextOf("warning"),
      ContainsRegex("rank 1 on .* has kept rank 0 waiting for .* s in its own code\\); after "
                    "1.5 s \\(gang.deadline\\) it counts as dead"));
  const std::string log = ReadFile(folder_.path() / "rank-001.log").ValueOr("");
  EXPECT_THAT(log, HasSubstr("the task is at this moment in\n"));
  EXPECT_THAT(log, HasSubstr("pause"));
}

TEST_F(Leases, EndWithAMemberThatHangsWhereNoneIsReplaced) {
  gang_.deadline = 1.5;
  gang_.replace_hung = false;
  const GangOutcome outcome = Run(R"({"steps": 40, "hang": 20})");
  const Fault fault = FaultOf(outcome.result.status);
  EXPECT_THAT(fault.what, HasSubstr("rank 1 kept the others waiting for 1.5 seconds"));
  EXPECT_THAT(fault.why, HasSubstr("the task is at this moment in"));
  EXPECT_FALSE(outcome.result.restart_may_help);
}

// Otherwise it would resume, and write what the others have given up.
TEST_F(Leases, EndAMemberThatIsStopped) {
  gang_.deadline = 1.5;
  pid_t stopped = 0;
  AtStep(20, [&] { ::kill(stopped = Pid(1), SIGSTOP); });
  const GangOutcome outcome = Run(R"({"steps": 600})");
  ASSERT_TRUE(outcome.result.status.ok()) << outcome.result.status;
  EXPECT_THAT(Texts(outcome.batches), ElementsAre("600"));
  EXPECT_NE(::kill(stopped, 0), 0);
  EXPECT_THAT(TextOf("rank_lost"), HasSubstr("its process is stopped, or its host cannot be"));
}

TEST_F(Leases, TellWhyAMemberCannotWriteItsEvents) {
  AtStep(20, [this] {
    const rlimit full{64, 64};
    EXPECT_EQ(::prlimit(Pid(1), RLIMIT_FSIZE, &full, nullptr), 0);
  });
  const GangOutcome outcome = Run(R"({"steps": 600})");
  ASSERT_TRUE(outcome.result.status.ok()) << outcome.result.status;
  EXPECT_THAT(Texts(outcome.batches), ElementsAre("600"));
  EXPECT_THAT(TextOf("warning"), ContainsRegex("rank 1 on .* ended: cannot write the event file "));
  EXPECT_THAT(TextOf("warning"), HasSubstr(": File too large"));
}

// Four members on two hosts; all still reach the folder.
TEST_F(Leases, WhoseNetworkIsCutInTwoGoOnOnOneSide) {
  auto hosts = TestHosts::Make();
  if (!hosts.ok()) GTEST_SKIP() << FaultOf(hosts.status()).what;
  enter_host_ = [&](int32_t seat) { (*hosts)->Enter(seat % 2); };
  gang_.workers = WorkerRange(1, 4);
  gang_.deadline = 3;
  gang_.quarantine = 2;
  std::vector<pid_t> cut;
  AtStep(20, [&] {
    for (const Json& each : ranks_) {
      if (each["host"] == "host-1") cut.push_back(each["pid"].get<pid_t>());
    }
    (*hosts)->Cut();
  });
  const auto begin = Clock::now();
  const GangOutcome outcome = Run(R"({"steps": 600})");
  ASSERT_TRUE(outcome.result.status.ok()) << outcome.result.status;
  EXPECT_THAT(Texts(outcome.batches), ElementsAre("600"));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(15));
  ASSERT_THAT(cut, SizeIs(2));
  for (const pid_t each : cut) EXPECT_NE(::kill(each, 0), 0) << "it could go on";
  EXPECT_THAT(TextOf("rank_lost"), HasSubstr("on host-1 is cut off from ranks 0, 2"));
  // Other members on the same host would only delay those that go on.
  EXPECT_THAT(TextOf("warning"), ContainsRegex("executor [0-9]+ on host-1 is left out for 600 s"));
  EXPECT_THAT(Named("rank_lost"), SizeIs(2));
}

}  // namespace
}  // namespace protium
