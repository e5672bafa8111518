// SPDX-License-Identifier: Apache-2.0
// The tensors of a state dict that torch.save() wrote, as an archive or, before version 1.6, as
// pickles with the storages behind them, or of a module that torch.jit.save() wrote. No code in the
// file is run, neither a pickle's nor TorchScript's.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"

namespace protium {

// Tensors point into the file if they lie there in row-major order, else into `gathered`.
struct TorchState {
  std::vector<NamedTensor> tensors;  // In name order.
  std::deque<std::vector<std::byte>> gathered;
};

// Reads the state dict in `archive`, the bytes of such a file, which must outlive it: the outermost
// dict if it has tensors, else the one under `key`, or with an empty key under "state_dict",
// "model_state_dict" or "model". Of a TorchScript file, which has no keys, reads the parameters,
// buffers and other tensors that are attributes of its modules, by the names that they have in its
// state_dict(). Damage, an archive of something else, a tensor type that has no
// name in safetensors, and a tensor that repeats values of its storage are faults of Exit::kInput;
// a missing key is one of Exit::kUsage.
Result<TorchState> ReadTorchState(std::string_view archive, const std::string& key,
                                  const std::string& where);

}  // namespace protium
