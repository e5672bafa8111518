// SPDX-License-Identifier: Apache-2.0
#include "deep/recorded_net.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/fault.h"
#include "deep/float_tensor.h"
#include "deep/torch_wall.h"
#include "nets/mlp_kernels.h"
#include "tensor/norm_statistics.h"

namespace protium {
namespace {

// There is one generator per process and device, and LibTorch requires its mutex to be held.
// Seeding also drops the spare normal value that the CPU generator caches between draws, so that
// nothing remains of an earlier shard. A net on a device may still draw on the CPU.
void Seed(uint64_t key, at::Device device) {
  const auto seed = [key](at::Generator generator) {
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(key);
  };
  seed(at::detail::getDefaultCPUGenerator());
  if (!device.is_cpu()) seed(at::globalContext().defaultGenerator(device));
}

Status Refused(const std::string& name, const at::Tensor& tensor, const char* must) {
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("{} of the net is {}{}", name, tensor.is_sparse() ? "sparse " : "",
                           c10::toString(tensor.scalar_type())),
       .where = "net",
       .why = must});
}

bool IsWhole(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kLong || tensor.scalar_type() == at::kInt;
}

// Whether float32 holds every element exactly: buffers of whole numbers are stored and summed as
// floats.
bool FitsFloats(const at::Tensor& whole) {
  return whole.numel() == 0 ||
         (whole.min().item<int64_t>() >= -kMostWhole && whole.max().item<int64_t>() <= kMostWhole);
}

Status CheckTensors(const Recorded& net) {
  if (net.parameters.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the net has no parameters, so there is nothing to train",
                 .where = "net",
                 .fix = "register them: register_parameter(), register_module()"});
  }
  for (const auto& [name, tensor] : net.parameters) {
    if (tensor.scalar_type() != at::kFloat || tensor.is_sparse()) {
      return Refused("parameter " + name, tensor, "parameters must be dense float32");
    }
  }
  for (const auto& [name, tensor] : net.buffers) {
    const bool number = tensor.scalar_type() == at::kFloat || IsWhole(tensor);
    if (!number || tensor.is_sparse()) {
      return Refused("buffer " + name, tensor, "buffers must be dense float32, int32 or int64");
    }
    if (IsWhole(tensor) && !FitsFloats(tensor)) {
      return Refused("buffer " + name, tensor,
                     "it holds a number beyond 16777216; buffers are kept in float32, which is "
                     "exact for whole numbers up to that");
    }
  }
  return Status::OK();
}

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

std::vector<Variable> DescribeTensors(const NamedTensors& tensors) {
  std::vector<Variable> variables;
  for (const auto& [name, tensor] : tensors) {
    variables.push_back({name, tensor.sizes().vec(), IsWhole(tensor)});
  }
  return variables;
}

// How often each tensor was written to in place: `_version()` is the counter that LibTorch has for
// autograd.
std::vector<uint32_t> CountWrites(const NamedTensors& tensors) {
  std::vector<uint32_t> writes;
  for (const auto& [name, tensor] : tensors) writes.push_back(uint32_t(tensor._version()));
  return writes;
}

// Shards run one after another on the same parameters, and rows are scored in arbitrary batches. A
// forward pass that writes to shared memory would make results depend on that order, so this
// throws.
void CheckNotWritten(const NamedTensors& tensors, const std::vector<uint32_t>& before,
                     const char* what, const char* when) {
  const std::vector<uint32_t> after = CountWrites(tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    TORCH_CHECK(after[i] == before[i], "the net writes to its ", what, " ", tensors[i].first, " ",
                when);
  }
}

// While one exists and is `on`, this thread's matrix products and convolutions round their inputs
// to bfloat16. Its destructor drops the rounded copies of parameters that LibTorch caches: the next
// step has other values.
class Autocast {
 public:
  explicit Autocast(bool on) : on_(on) {
    if (!on_) return;
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
};

void CheckOutputs(const at::Tensor& given, int64_t rows, int64_t outputs) {
  if (given.dim() == 2 && given.size(0) == rows && given.size(1) == outputs &&
      given.scalar_type() == at::kFloat) {
    return;
  }
  LeaveWith({.exit = Exit::kUsage,
             .what = fmt::format("the net returned {} [{}] for {} rows, but the label "
                                 "needs float32 [{}, {}]",
                                 c10::toString(given.scalar_type()),
                                 fmt::join(given.sizes().begin(), given.sizes().end(), ", "), rows,
                                 rows, outputs),
             .where = "net"});
}

// How the net's own tensors are synchronised with training's memory:
// - parameters and float buffers: Bind() makes the net's tensors views of training's memory
//   (set_data), so that both see every write;
// - whole-number buffers: copied in before each forward pass and, in training, copied back after
//   it;
// - gradients: autograd leaves them in the tensor's grad; then they are copied or added into the
//   sink. A training forward pass holds its output with the graph until Backward(), which frees it.
class RecordedNet final : public Net, public NormalisingNet {
 public:
  RecordedNet(RecordedMaker make, Recorded net, const NetInputs& inputs)
      : make_(std::move(make)),
        net_(std::move(net)),
        outputs_(inputs.outputs),
        bfloat16_(inputs.bfloat16),
        device_(DeviceOf(inputs.device)),
        parameters_(DescribeTensors(net_.parameters)),
        buffers_(DescribeTensors(net_.buffers)) {}

  const std::vector<Variable>& parameters() const override { return parameters_; }
  const std::vector<Variable>& buffers() const override { return buffers_; }
  int64_t least_rows() const override { return net_.normalises_batches ? 2 : 1; }
  bool runs_on_devices() const override { return true; }
  int64_t members() const override { return net_.members; }
  void FreezeStatistics(const std::vector<bool>& frozen) override { frozen_ = frozen; }

  void Bind(std::vector<FloatValues> parameters, std::vector<FloatValues> buffers) override {
    Translated([&] { BindTo(parameters, buffers); });
  }

  void Initialise(uint64_t key) override {
    Translated([&] { Draw(key); });
  }

  FloatValues Forward(const BatchRows& rows, const uint64_t* training) override {
    output_ = Translated([&] { return Compute(Batch(rows, device_), training); });
    return {output_.data_ptr<float>(), output_.sizes().vec()};
  }

  void Backward(const FloatValues& outputs, const GradientSink& sink) override {
    Translated([&] { Derive(TensorOf(outputs, device_), sink); });
  }

 private:
  void BindTo(const std::vector<FloatValues>& parameters, const std::vector<FloatValues>& buffers) {
    const at::NoGradGuard no_graph;
    parameter_memory_ = TensorsOf(parameters, device_);
    buffer_memory_ = TensorsOf(buffers, device_);
    for (size_t i = 0; i < parameter_memory_.size(); ++i) {
      // Copies the values first: training starts from those of a TorchScript file.
      parameter_memory_[i].copy_(net_.parameters[i].second);
      net_.parameters[i].second.set_data(parameter_memory_[i]);
    }
    for (size_t i = 0; i < buffer_memory_.size(); ++i) {
      buffer_memory_[i].copy_(net_.buffers[i].second);
      at::Tensor& own = net_.buffers[i].second;
      own.set_data(IsFloat(i) ? buffer_memory_[i] : own.to(buffer_memory_[i].device()));
    }
  }

  void Draw(uint64_t key) {
    const at::NoGradGuard no_graph;
    Seed(key, at::kCPU);
    const Recorded fresh = make_();
    if (fresh.initialise) fresh.initialise(key);
    for (size_t i = 0; i < parameter_memory_.size(); ++i) {
      parameter_memory_[i].copy_(fresh.parameters[i].second);
    }
    for (size_t i = 0; i < buffer_memory_.size(); ++i) {
      buffer_memory_[i].copy_(fresh.buffers[i].second);
    }
  }

  at::Tensor Compute(const Batch& rows, const uint64_t* training) {
    // Sets the mode in either case: it belongs to the thread, and callers may have left it on or
    // off.
    const at::AutoGradMode record(training != nullptr);
    if (training != nullptr) Seed(*training, parameter_memory_[0].device());
    net_.train(training != nullptr);
    if (training != nullptr && !frozen_.empty()) net_.freeze(frozen_);
    LoadWholeBuffers();
    RunForward(rows, training != nullptr);
    if (training != nullptr) StoreWholeBuffers();
    // Modules with one output often return [rows]; callers of Net expect [rows, 1].
    if (outputs_ == 1 && recorded_.dim() == 1) recorded_ = recorded_.unsqueeze(1);
    const int64_t members = training != nullptr ? net_.members : 1;
    CheckOutputs(recorded_, rows.size() * members, outputs_);
    at::Tensor out = recorded_.detach().contiguous();
    // A prediction has no backward pass; holding its output would only take memory.
    if (training == nullptr) recorded_ = at::Tensor();
    return out;
  }

  void Derive(const at::Tensor& outputs, const GradientSink& sink) {
    // Autograd adds to an existing gradient; one that is still undefined afterwards shows that the
    // parameter was not used.
    for (auto& [name, parameter] : net_.parameters) parameter.mutable_grad() = at::Tensor();
    // False if the output depends on no parameter; backward() would then throw.
    if (recorded_.requires_grad()) recorded_.backward(outputs);
    recorded_ = at::Tensor();  // Frees the graph.
    for (size_t i = 0; i < net_.parameters.size(); ++i) GiveGradient(i, sink);
  }

  bool IsFloat(size_t buffer) const { return !IsWhole(net_.buffers[buffer].second); }

  void RunForward(const Batch& rows, bool training) {
    const std::vector<uint32_t> parameters = CountWrites(net_.parameters);
    const std::vector<uint32_t> buffers = CountWrites(net_.buffers);
    const auto frozen = CopyFrozen();
    {
      const Autocast autocast(training && bfloat16_);
      recorded_ = net_.forward(rows);
    }
    if (training && bfloat16_ && recorded_.defined()) recorded_ = recorded_.to(at::kFloat);
    CheckNotWritten(net_.parameters, parameters, "parameter", "while it computes");
    if (!training) CheckNotWritten(net_.buffers, buffers, "buffer", "while it predicts");
    CheckFrozen(frozen);
  }

  // The kernels of batch norm write to statistics without counting that.
  std::vector<std::pair<size_t, at::Tensor>> CopyFrozen() const {
    std::vector<std::pair<size_t, at::Tensor>> copies;
    for (size_t i = 0; i < frozen_.size(); ++i) {
      if (frozen_[i]) copies.emplace_back(i, net_.buffers[i].second.clone());
    }
    return copies;
  }

  // A traced module, for instance, goes on as it was traced.
  void CheckFrozen(const std::vector<std::pair<size_t, at::Tensor>>& before) const {
    for (const auto& copy : before) {
      const auto& buffer = net_.buffers[copy.first];
      TORCH_CHECK(buffer.second.equal(copy.second), "the net writes to its buffer ", buffer.first,
                  ", which train.parameters freezes");
    }
  }

  // Whole-number buffers cannot be views of the floats that training combines.
  void LoadWholeBuffers() {
    const at::NoGradGuard no_graph;
    for (size_t i = 0; i < net_.buffers.size(); ++i) {
      if (!IsFloat(i)) net_.buffers[i].second.copy_(buffer_memory_[i]);
    }
  }

  void StoreWholeBuffers() {
    const at::NoGradGuard no_graph;
    for (size_t i = 0; i < net_.buffers.size(); ++i) {
      if (IsFloat(i)) continue;
      const auto& [name, buffer] = net_.buffers[i];
      TORCH_CHECK(FitsFloats(buffer), "the buffer ", name, " of the net grew beyond ", kMostWhole);
      buffer_memory_[i].copy_(buffer);
    }
  }

  void GiveGradient(size_t i, const GradientSink& sink) {
    auto& [name, parameter] = net_.parameters[i];
    const at::Tensor gradient = parameter.grad();
    at::Tensor sum = TensorOf(sink.parameters[i], device_);
    if (!gradient.defined()) {
      // An unused parameter counts as zero in the sum and is not counted in `defined`.
      if (!sink.add) sum.zero_();
      return;
    }
    TORCH_CHECK(!gradient.is_sparse(), "the gradient of ", name,
                " is sparse, but gradients are added up as dense ones: make its embedding without "
                "sparse(true)");
    // Autograd may return an expanded or transposed gradient, but the sum runs over contiguous
    // memory.
    const at::Tensor dense = gradient.contiguous();
    if (!sink.add) {
      sum.copy_(dense);
    } else if (dense.is_cpu()) {
      AddTo(FloatSpan(sum), FloatSpan(dense));
    } else {
      sum.add_(dense);
    }
    sink.defined[i] += 1;
    parameter.mutable_grad() = at::Tensor();
  }

  RecordedMaker make_;
  Recorded net_;
  int64_t outputs_;
  bool bfloat16_;
  at::Device device_;
  std::vector<Variable> parameters_;
  std::vector<Variable> buffers_;
  std::vector<bool> frozen_;  // By buffer; empty: none is.
  std::vector<at::Tensor> parameter_memory_;
  std::vector<at::Tensor> buffer_memory_;
  at::Tensor recorded_;  // The output of the last training forward, with its graph.
  at::Tensor output_;    // The output of the last forward pass, as returned.
};

}  // namespace

Result<std::unique_ptr<Net>> MakeRecordedNet(RecordedMaker make, const NetInputs& inputs) {
  PT_LET(Recorded net, GuardTorch("building the net", make));
  PT_TRY(CheckTensors(net));
  return std::make_unique<RecordedNet>(std::move(make), std::move(net), inputs);
}

}  // namespace protium
