// SPDX-License-Identifier: Apache-2.0
#include "tasks/task_device.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "protium/events.h"

namespace protium {

Result<ComputeDevice> ChooseDevice(TaskContext& context, DeviceUse use, const TaskRows& rows) {
  const size_t leased = context.devices().size();
  if (leased == 0 || use == DeviceUse::kCpu) return ComputeDevice();
  if (leased > 1 && context.rank() == 0) {
    context.Report(
        Warning{fmt::format("each worker computes on the first of its {} GPUs; the "
                            "others idle (gang.gpus_per_worker)",
                            leased)});
  }
  if (use == DeviceUse::kStandIn) return ComputeDevice::StandIn();
  PT_CHECK(rows.open_gpu != nullptr);
  return rows.open_gpu();
}

Result<std::unique_ptr<Net>> BuildNetThere(const NetTable& nets, const Choice& net,
                                           const NetInputs& inputs) {
  if (inputs.bfloat16 && inputs.device.staged()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "precision \"bfloat16\" is for training on the CPU",
                 .where = "train.precision",
                 .fix = "leave it out, or set gang.gpus_per_worker = 0"});
  }
  if (inputs.ids != nullptr && inputs.device.staged()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "nets read ids on the CPU only",
                 .where = "gang.gpus_per_worker",
                 .fix = "set it to 0"});
  }
  PT_LET(auto built, BuildNet(nets, net.name, net.options, inputs));
  if (!inputs.device.staged() || built->runs_on_devices()) return built;
  return Fail({.exit = Exit::kUsage,
               .what = "the net " + net.name + " computes on the CPU only",
               .where = "net",
               .fix = "set gang.gpus_per_worker = 0"});
}

}  // namespace protium
