// SPDX-License-Identifier: Apache-2.0
// Your own nets, losses and metrics: registers a torch::nn::Module as a net, and an expression of
// tensors as a loss, that jobs can choose by name. The only header that needs LibTorch; link
// protium::torch.
// docs/own-nets.md lists the requirements.
//
//   struct MyOptions {
//     int32_t width = 32;
//     template <class Visit>
//     void Fields(Visit& visit) { visit("width", width, {.help = "neurons", .at_least = 1}); }
//   };
//   struct MyNet : torch::nn::Module {
//     MyNet(const MyOptions& options, const protium::NetInputs& inputs);
//     torch::Tensor forward(const protium::Batch& rows);  // float32 [rows, inputs.outputs]
//   };
//
// A program passes it to Main():
//
//   Main(argc, argv, {.run = Run,
//                     .catalogue = MakeNetCatalogue(
//                         {MakeNetRow<MyNet, MyOptions>("my_net", "what it is")})});
//
// For job files, an extension passes it: a shared library that contains PROTIUM_EXTENSION once and
// that jobs list under `extensions`.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/catalogue.h"
#include "catalogue/extension.h"
#include "deep/module_net.h"
#include "deep/recorded_loss.h"
#include "protium/session.h"

namespace protium {

// The catalogue row of a net that is constructed as M(options, inputs) and called as
// forward(batch). Training is exact, as with the built-in nets, if all randomness of the
// constructor and of forward comes from LibTorch's default generator, which is seeded for each
// construction and for each shard of each step. Parameters must be dense float32; others are
// refused.
template <class M, class Options = NoOptions>
NetRow MakeNetRow(std::string name, std::string help) {
  return {MakeRow<Options>(std::move(name), std::move(help)),
          std::make_shared<const NetBuilder>(ModuleBuilder<M, Options>())};
}

// The catalogue row of a loss that is constructed as L(options) and called as loss(outputs,
// labels). Outputs are float32 [rows, outputs]; labels are as the net learns them, float32 [rows,
// labels] for values and int64 [rows] for classes. It returns the losses of each row, float32
// [rows] or [rows, n], without a sum or mean over rows: we weight them and add them up in our own
// order, and autograd computes the derivative. `learns` is the kind of label that it is for.
//
//   struct LogCosh {
//     explicit LogCosh(const protium::NoOptions&) {}
//     torch::Tensor operator()(const torch::Tensor& outputs, const torch::Tensor& labels) const {
//       return torch::log(torch::cosh(outputs - labels));
//     }
//   };
//   LossOf<LogCosh>("log_cosh", "of numbers: squared near 0, absolute far away")
template <class L, class Options = NoOptions>
LossRow LossOf(std::string name, std::string help, TargetKind learns = TargetKind::kValues) {
  LossRow row{MakeRow<Options>(std::move(name), std::move(help)), learns};
  row.builder = std::make_shared<const LossBuilder>(RecordedLossBuilder<L, Options>());
  return row;
}

// A catalogue that adds these nets and nothing else, for Program::catalogue.
inline std::shared_ptr<const Catalogue> MakeNetCatalogue(std::vector<NetRow> nets) {
  return std::make_shared<const Catalogue>(Catalogue{.nets = std::move(nets)});
}

}  // namespace protium

// The entry point of an extension, once per library:
//   PROTIUM_EXTENSION(own) {
//     own.nets.push_back(protium::MakeNetRow<MyNet>("my_net", "what it is"));
//   }
// It adds rows to the catalogue `own`, of which nets, losses and metrics (MetricOf()) are used;
// rows of other kinds are ignored. The string exported beside it names version, compiler and
// library ABI, and an extension with another one is refused, because C++ objects cross the
// boundary.
#define PROTIUM_EXTENSION(own)                                                                  \
  static void ProtiumAddRows(protium::Catalogue& own);                                          \
  extern "C" __attribute__((visibility("default"))) const char* protium_extension_built_for() { \
    return PROTIUM_BUILT_FOR;                                                                   \
  }                                                                                             \
  extern "C" __attribute__((visibility("default"))) void protium_extension(                     \
      protium::Catalogue* rows) {                                                               \
    ProtiumAddRows(*rows);                                                                      \
  }                                                                                             \
  static void ProtiumAddRows(protium::Catalogue& own)
