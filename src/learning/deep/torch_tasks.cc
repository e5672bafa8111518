// SPDX-License-Identifier: Apache-2.0
#include "deep/torch_tasks.h"

#include "deep/cnn.h"
#include "deep/cuda_device.h"
#include "deep/ft_transformer.h"
#include "deep/operations.h"
#include "deep/text_classifier.h"
#include "deep/torch_numerics.h"
#include "deep/torch_script.h"
#include "pipeline/torch_library.h"

namespace protium {

TaskRows TorchRows() {
  NetTable nets = LayeredNets();
  nets.merge(NetTable{{"ft_transformer", MakeFtTransformer},
                      {"cnn", MakeCnn},
                      {"text_classifier", MakeTextClassifier},
                      {"torchscript", MakeTorchScript}});
  return {.nets = std::move(nets),
          .estimators = BuiltInEstimators(),
          .losses = BuiltInLosses(),
          .numerics = TorchNumerics,
          .prepare = PrepareTorch,
          .open_gpu = OpenGpu};
}

}  // namespace protium

bool protium_torch_tasks(int32_t version, const protium::Catalogue* own,
                         protium::TaskTable* tasks) {
  // The tables passed here are C++ types, whose layout both sides must agree on.
  if (version != protium::kTorchLibraryVersion) return false;
  protium::TaskRows rows = protium::TorchRows();
  // None of a program's names is a built-in one: the driver refuses such names (WithBuiltIns()).
  if (own != nullptr) protium::AddRows(*own, rows);
  tasks->merge(protium::TasksOver(rows));
  return true;
}
