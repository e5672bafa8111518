// SPDX-License-Identifier: Apache-2.0
// Nets of one's own: a torch::nn::Module becomes a net that a job may name. With LibTorch; link
// protium::torch.
//
//   struct MyOptions { int32_t width = 32; template <class V> void Fields(V& v) { v("width",
//   width); } }; struct MyNet : torch::nn::Module {
//     MyNet(const MyOptions& options, const protium::NetInputs& inputs);
//     torch::Tensor forward(const protium::Batch& rows);  // [rows, inputs.outputs]
//   };
//
// A program hands it over: Main(argc, argv, {.run = Run, .catalogue = NetsOf({NetOf<MyNet,
// MyOptions>("my_net", "what it is")})}). An extension, a shared library that job files name in
// `extensions`, with PROTIUM_EXTENSION.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "deep/module_net.h"
#include "learn/catalogue.h"
#include "learn/extension.h"
#include "protium/session.h"

namespace protium {

// A net that is made as M(options, inputs) and called as forward(batch). What it draws in its
// constructor and its forward comes from LibTorch's generator, which is seeded for each; then
// training is exact, as with the built-in nets. Parameters must be dense float32.
template <class M, class Options = NoOptions>
NetRow NetOf(std::string name, std::string help) {
  return {RowOf<Options>(std::move(name), std::move(help)),
          std::make_shared<const NetBuilder>(ModuleBuilder<M, Options>())};
}

// A program's catalogue of nets alone.
inline std::shared_ptr<const Catalogue> NetsOf(std::vector<NetRow> nets) {
  return std::make_shared<const Catalogue>(Catalogue{.nets = std::move(nets)});
}

}  // namespace protium

// PROTIUM_EXTENSION(own) { own.nets.push_back(protium::NetOf<MyNet>("my_net", "what it is")); }
// is the one entry of an extension: it adds rows to the catalogue `own`.
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
