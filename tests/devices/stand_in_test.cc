// SPDX-License-Identifier: Apache-2.0
// Computes as on a device, with the CPU as the device: rows, weights and gradients are copied as
// for a GPU, and where the operations are the same, so are the bits.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "deep/operations.h"
#include "deep/torch_tasks.h"
#include "devices/device_cases.h"
#include "os/file.h"
#include "tasks/task_device.h"
#include "tasks/testing/rank_context.h"

namespace protium {
namespace {

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

const NetBuilder kModule = ModuleBuilder<OddNet, TabularMlpOptions>();

TEST(StandIn, GivesModulesTheBitsOfTheCpu) {
  for (const int32_t parts : {1, 3}) {
    const DeviceCase what{
        .builder = kModule, .options = {{"dropout", 0.25}}, .micro_batches = parts};
    const DeviceRun here = RunOn(ComputeDevice(), what);
    const DeviceRun there = RunOn(ComputeDevice::StandIn(), what);
    EXPECT_EQ(there.hash, here.hash);
    EXPECT_EQ(there.outputs, here.outputs);
    EXPECT_NE(there.learned, there.begun);
  }
}

// Nets with kernels of their own become operations, which add in another order.
TEST(StandIn, GivesBuiltInNetsTheFirstWeightsOfTheCpuAndNearlyTheLast) {
  const std::vector<DeviceCase> cases = {
      {.builder = LayeredNets().at("tabular_mlp"), .options = {{"hidden", {33, 8}}}},
      {.builder = LayeredNets().at("tabular_mlp"),
       .options = {{"hidden", {16}}, {"batch_norm", true}}},
      {.builder = LayeredNets().at("tabular_mlp"),
       .options = {{"hidden", Json::array()}, {"embedding", 3}}},
      {.builder = LayeredNets().at("wide_and_deep"),
       .options = {{"hidden", {16}}, {"batch_norm", true}}},
      {.builder = LayeredNets().at("wide_and_deep"),
       .options = {{"hidden", {8}}, {"wide_only", {"c1"}}}},
      {.builder = LayeredNets().at("tabm"), .options = {{"hidden", {16, 9}}, {"dropout", 0}}},
      {.builder = LayeredNets().at("tabm"),
       .options = {{"members", 3}, {"hidden", {8}}, {"dropout", 0}, {"pieces", 0}}},
      {.builder = LayeredNets().at("linear")}};
  for (const DeviceCase& what : cases) {
    const DeviceRun here = RunOn(ComputeDevice(), what);
    const DeviceRun there = RunOn(ComputeDevice::StandIn(), what);
    EXPECT_EQ(there.begun, here.begun) << what.options.dump();
    EXPECT_THAT(there.learned, Pointwise(FloatNear(1e-4f), here.learned)) << what.options.dump();
    EXPECT_THAT(there.outputs, Pointwise(FloatNear(1e-3f), here.outputs)) << what.options.dump();
    EXPECT_NE(there.learned, there.begun);
  }
}

TEST(StandIn, GivesTheSameBitsForAnyNumberOfWorkers) {
  for (const bool norm : {false, true}) {
    DeviceCase what{.builder = LayeredNets().at("tabular_mlp"),
                    .options = {{"hidden", {33, 8}}, {"batch_norm", norm}},
                    .micro_batches = norm ? 2 : 1};
    const std::string one = RunOn(ComputeDevice::StandIn(), what).hash;
    for (what.world = 2; what.world <= 4; ++what.world) {
      EXPECT_EQ(RunOn(ComputeDevice::StandIn(), what).hash, one) << what.world;
    }
  }
}

// Dropout draws from the generator of the process, which ranks that are threads would share.
TEST(StandIn, DropsOutTheSameAgain) {
  const DeviceCase what{.builder = LayeredNets().at("tabular_mlp"),
                        .options = {{"hidden", {33}}, {"dropout", 0.5}}};
  const DeviceCase without{.builder = LayeredNets().at("tabular_mlp"),
                           .options = {{"hidden", {33}}}};
  const std::string hash = RunOn(ComputeDevice::StandIn(), what).hash;
  EXPECT_EQ(RunOn(ComputeDevice::StandIn(), what).hash, hash);
  EXPECT_NE(RunOn(ComputeDevice::StandIn(), without).hash, hash);
}

TEST(StandIn, RefusesNetsOfTheCpuAlone) {
  NetInputs inputs = TabularInputs(6, {5, 900});
  const NetTable nets = {{"own", [](const Json& options, const NetInputs& given) {
                            NetInputs plain = given;
                            plain.device = ComputeDevice();
                            return LayeredNets().at("tabular_mlp")(options, plain);
                          }}};
  EXPECT_TRUE(BuildNetThere(nets, {"own", Json::object()}, inputs).ok());
  inputs.device = ComputeDevice::StandIn();
  const Fault fault = FaultOf(BuildNetThere(nets, {"own", Json::object()}, inputs).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "the net own computes on the CPU only");
}

SchemaPtr TableSchema() {
  return arrow::schema({arrow::field("a", arrow::float64()), arrow::field("c", arrow::int64()),
                        arrow::field("y", arrow::float64()),
                        arrow::field("held", arrow::boolean())});
}

std::shared_ptr<arrow::RecordBatch> Table(int begin, int end) {
  arrow::DoubleBuilder a, y;
  arrow::Int64Builder c;
  arrow::BooleanBuilder held;
  for (int id = begin; id < end; ++id) {
    const double x = double(id * 7919 % 1000) / 500 - 1;
    (void)a.Append(x);
    (void)c.Append(id * 31 % 5);
    (void)y.Append(100 + 20 * x * double(id * 31 % 5));
    (void)held.Append(id % 10 == 3);
  }
  return arrow::RecordBatch::Make(TableSchema(), end - begin,
                                  {*a.Finish(), *c.Finish(), *y.Finish(), *held.Finish()});
}

// The task "train" with ranks that leased a device each.
class StandInTask : public testing::Test {
 protected:
  StandInTask() {
    config_.net.net = {"tabular_mlp", {{"hidden", {16, 8}}, {"batch_norm", true}}};
    config_.net.categorical = {{.column = "c", .cardinality = 5}};
    config_.net.numeric = {"a"};
    config_.net.objective.labels = {{.column = "y", .mean = 100, .deviation = 30}};
    config_.held_out = "held";
    config_.loss = {"mse", Json::object()};
    config_.train.metrics = {"rmse"};
    config_.train.best = "rmse";
    config_.train.epochs = 3;
    config_.train.batch_size = 64;
    config_.train.average = 0.9;
    config_.device = DeviceUse::kStandIn;
    Fresh("run");
  }
  void Fresh(const std::string& name) { config_.folder = (folder_.path() / name).string(); }

  Status Run(int32_t world) {
    reports_.emplace();
    reports_->on_event = on_event_;
    const auto statuses = RunThreadRanks(world, {}, [&](Communicator& communicator) {
      const int32_t rank = communicator.rank();
      RankContext context(&communicator, Dump(FieldsToJson(config_)), TableSchema(),
                          {Table(700 * rank / world, 700 * (rank + 1) / world)}, *reports_);
      context.SetDevices(devices_);
      return RunTrainTask(context, TorchRows());
    });
    return statuses[0];
  }
  TrainResult RunToResult(int32_t world) {
    TrainResult result;
    const Status status = Run(world);
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok()) return result;
    const auto& column =
        static_cast<const arrow::StringArray&>(*reports_->emitted.at(0)->column(0));
    EXPECT_TRUE(FieldsFromJson(*ParseJson(column.GetView(0)), "", result).ok());
    return result;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  TrainConfig config_;
  std::vector<Device> devices_ = {{"gpu", "0"}};
  std::optional<RankReports> reports_;
  std::function<void(const Json&)> on_event_;
};

TEST_F(StandInTask, GivesTheSameBitsForAnyWorkersAndAfterAStop) {
  const TrainResult one = RunToResult(1);
  EXPECT_EQ(one.fingerprint["device"], "cpu in a device's place");
  EXPECT_EQ(one.steps, 30);
  for (const int32_t world : {2, 4}) {
    Fresh("run" + std::to_string(world));
    const TrainResult other = RunToResult(world);
    EXPECT_EQ(other.weights_sha256, one.weights_sha256) << world;
    EXPECT_EQ(other.validation, one.validation) << world;
  }
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 4;
  on_event_ = [&](const Json& event) {
    if (event["event"] == "checkpoint" && event["step"] == 16) reports_->stop.request_stop();
  };
  EXPECT_EQ(FaultOf(Run(2)).exit, Exit::kStopped);
  on_event_ = nullptr;
  config_.resume = true;
  EXPECT_EQ(RunToResult(3).weights_sha256, one.weights_sha256);
}

// What is measured at the end is the chosen epoch, not the last one, whose weights the device has.
TEST_F(StandInTask, MeasuresTheWeightsThatItKeeps) {
  config_.train.optimizer = {"adam", {{"learning_rate", 0.5}}};
  config_.train.average = 0;
  config_.train.epochs = 6;
  const TrainResult result = RunToResult(1);
  std::vector<double> measured;
  for (const Json& event : reports_->events) {
    if (event["event"] == "validation") measured.push_back(event["rmse"]);
  }
  ASSERT_EQ(measured.size(), 6u);
  ASSERT_LT(result.best_epoch, 6) << "the last one is the best";
  // Events have six digits.
  EXPECT_NEAR(result.validation["rmse"], measured[size_t(result.best_epoch - 1)], 1e-4);
}

TEST_F(StandInTask, RefusesCheckpointsOfAnotherKindOfDevice) {
  devices_.clear();
  config_.train.epochs = 1;
  EXPECT_EQ(RunToResult(2).fingerprint["device"], "cpu");
  devices_ = {{"gpu", "0"}};
  config_.resume = true;
  const Fault fault = FaultOf(Run(2));
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_EQ(fault.what, "fingerprint changed since the checkpoint");
  EXPECT_EQ(fault.why, "device was \"cpu\", now it is \"cpu in a device's place\"");
}

TEST_F(StandInTask, SaysWhichDevicesIdle) {
  devices_ = {{"gpu", "0"}, {"gpu", "1"}};
  config_.train.epochs = 1;
  RunToResult(1);
  std::vector<std::string> warnings;
  for (const Json& event : reports_->events) {
    if (event["event"] == "warning") warnings.push_back(event["message"]);
  }
  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("the first of its 2 GPUs")));
}

TEST_F(StandInTask, ScoresWithWhatItIsLeased) {
  const TrainResult trained = RunToResult(1);
  const auto score = [&](const std::vector<Device>& devices) {
    const ScoreConfig config{.net = config_.net,
                             .weights = trained.weights,
                             .added = {"prediction"},
                             .device = DeviceUse::kStandIn};
    RankReports reports;
    RankContext context(nullptr, Dump(FieldsToJson(config)), TableSchema(), {Table(0, 1500)},
                        reports);
    context.SetDevices(devices);
    context.SetOutput(arrow::schema({arrow::field("prediction", arrow::float64())}));
    const Status status = RunScoreTask(context, TorchRows());
    EXPECT_TRUE(status.ok()) << status.ToString();
    std::vector<double> values;
    for (const auto& batch : reports.emitted) {
      const auto& column = static_cast<const arrow::DoubleArray&>(*batch->column(0));
      values.insert(values.end(), column.raw_values(), column.raw_values() + column.length());
    }
    return values;
  };
  const std::vector<double> here = score({}), there = score(devices_);
  ASSERT_EQ(here.size(), 1500u);
  EXPECT_THAT(there, Pointwise(testing::DoubleNear(1e-3), here));
  EXPECT_NE(there, here);  // Another order of sums shows that it computed differently.
  EXPECT_EQ(score(devices_), there);
}

// The libraries that this program was linked with have no CUDA.
TEST_F(StandInTask, WithoutCudaSaysWhatIsMissing) {
  config_.device = DeviceUse::kLeased;
  const Fault fault = FaultOf(Run(1));
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_EQ(fault.what, "this LibTorch has no CUDA");
  EXPECT_THAT(fault.why, HasSubstr("libtorch_cuda.so"));
  EXPECT_THAT(fault.fix, HasSubstr("PROTIUM_LIBTORCH"));
}

}  // namespace
}  // namespace protium
