// SPDX-License-Identifier: Apache-2.0
// One training step on a GPU or, with the argument "cpu", on all cores of this machine with one
// process each: tabular_mlp, 8,192 rows, huber loss, Adam. Rows are sent to the device in every
// step, gradients are sent back, the update runs on the host. bench/peers/gpu_step.py is the same
// in plain PyTorch.
#include <cstring>
#include <string>
#include <thread>

#include "bench/ranks.h"
#include "collective/self.h"
#include "deep/cuda_device.h"
#include "deep/operations.h"
#include "deep/torch_numerics.h"
#include "rows/rows.h"
#include "tensor/row_block.h"
#include "tensor/testing/synthetic_rows.h"
#include "train/stepper.h"

namespace protium {
namespace {

constexpr int64_t kRows = 8192;
constexpr int64_t kWidth = 64;
constexpr int kWarmUp = 20;

struct Case {
  std::vector<int64_t> hidden;
  int32_t shards;
  int steps;
};

std::string NameOf(const Case& c) {
  std::string name = std::to_string(kWidth);
  for (const int64_t width : c.hidden) name += "-" + std::to_string(width);
  return "step " + name + "-1, " + std::to_string(c.shards) + " shards";
}

// A net, its weights and what steps it; rows are sent one step ahead, as the feed does.
class Training {
 public:
  static Result<std::unique_ptr<Training>> Make(const Case& c, const ComputeDevice& device,
                                                Communicator& communicator) {
    auto out = std::make_unique<Training>();
    PT_TRY(PrepareTorch(1));
    NetInputs inputs = TabularInputs(kWidth, {});
    inputs.device = device;
    PT_LET(out->net_, LayeredNets().at("tabular_mlp")({{"hidden", c.hidden}}, inputs));
    PT_LET(out->weights_, Weights::Make(*out->net_, device));
    out->net_->Initialise(4);
    out->weights_->Download();
    const int32_t threads = device.is_gpu() ? 8 : 1;
    PT_LET(Optimizer optimizer, Optimizer::Make(Adam(), *out->weights_, {}, threads));
    out->optimizer_ = std::make_unique<Optimizer>(std::move(optimizer));
    const std::vector<int32_t> first = ShardOwners(c.shards, communicator.world());
    PT_LET(out->stepper_, Stepper::Make({.first = first, .loss = HuberLoss(1)}, *out->net_,
                                        *out->weights_, *out->optimizer_, communicator));
    out->begin_ = first[size_t(communicator.rank())];
    out->per_shard_ = kRows / c.shards;
    const int32_t own = first[size_t(communicator.rank()) + 1] - out->begin_;
    for (auto& blocks : out->blocks_) blocks.assign(size_t(own), RowBlock(device));
    for (auto& batches : out->batches_) batches.resize(size_t(own));
    out->Send(0);
    return out;
  }

  Status Step(int64_t step) {
    return stepper_
        ->Run({.step = step,
               .shards = batches_[step % 2],
               .meanwhile =
                   [&] {
                     Send(step + 1);
                     return Status::OK();
                   }})
        .status();
  }
  std::string Hash() const { return weights_->Hash(); }

 private:
  void Send(int64_t step) {
    const BatchRows all = rows_.batch();
    auto& blocks = blocks_[step % 2];
    for (size_t i = 0; i < blocks.size(); ++i) {
      const BatchRows part =
          all.Slice((begin_ + int64_t(i)) * per_shard_, (begin_ + int64_t(i) + 1) * per_shard_);
      const int64_t bytes = per_shard_ * rows_.schema().width();
      std::memcpy(blocks[i].Reserve(bytes), part.row(0), size_t(bytes));
      batches_[step % 2][i] = blocks[i].Send(rows_.schema(), per_shard_);
    }
  }

  SyntheticRows rows_{{.rows = kRows, .numeric = kWidth, .seed = 8}};
  std::unique_ptr<Net> net_;
  std::unique_ptr<Weights> weights_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Stepper> stepper_;
  int32_t begin_ = 0;
  int64_t per_shard_ = 0;
  std::vector<RowBlock> blocks_[2];
  std::vector<BatchRows> batches_[2];
};

Status Measure(const std::vector<Case>& cases, const ComputeDevice& device,
               Communicator& communicator, const std::string& where) {
  for (const Case& c : cases) {
    std::string hash;
    for (const bool timed : {false, true}) {
      PT_LET(const auto training, Training::Make(c, device, communicator));
      for (int i = 0; i < kWarmUp; ++i) PT_TRY(training->Step(i));
      // The bits must be the same again, or the figure measures something else.
      if (timed && training->Hash() != hash) return Status::Invalid("another run, other weights");
      hash = training->Hash();
      if (!timed) continue;
      PT_TRY(communicator.Barrier("timing"));
      const Stopwatch watch;
      for (int i = 0; i < c.steps; ++i) PT_TRY(training->Step(kWarmUp + i));
      const double milliseconds = watch.seconds() * 1e3 / c.steps;
      if (communicator.rank() == 0) PrintFigure(NameOf(c) + ", " + where, milliseconds, "ms");
    }
  }
  return Status::OK();
}

Status OnGpu() {
  PT_LET(const ComputeDevice device, OpenGpu());
  const auto alone = MakeSelfCommunicator();
  return Measure({{{1024, 512, 256}, 1, 200},
                  {{1024, 512, 256}, 4, 200},
                  {{4096, 4096, 4096}, 1, 50},
                  {{128, 64}, 1, 200}},
                 device, *alone, "GPU");
}

Status OnCpu() {
  const auto cores = int32_t(std::thread::hardware_concurrency());
  return RunProcessRanks(cores, [cores](Communicator& communicator) {
    return Measure({{{1024, 512, 256}, cores, 20}, {{128, 64}, cores, 100}}, ComputeDevice(),
                   communicator, std::to_string(cores) + " processes");
  });
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  const bool cpu = argc > 1 && std::strcmp(argv[1], "cpu") == 0;
  return protium::ExitCode(cpu ? protium::OnCpu() : protium::OnGpu());
}
