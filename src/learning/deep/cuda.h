// SPDX-License-Identifier: Apache-2.0
// CUDA, found while the program runs: this build links the CPU libraries of LibTorch only, and
// needs no header of CUDA's. Those of a LibTorch with CUDA lie beside the CPU library that was
// loaded (pipeline/torch_library.h says how that is chosen); its run-time library is asked by name.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Once per process, before anything of it touches a GPU: loads the libraries, sets what makes
// kernels repeatable, starts CUDA on its first visible device. Returns what of them decides bits, a
// flat object: "device", "cuda", "cudnn", "kernels". Faults are those of OpenGpu() (cuda_device.h).
Result<Json> StartCuda();

// Registers memory of the host with CUDA, so that a device reads and writes it without a copy
// between. False where that is refused. Only after StartCuda().
bool HoldForCuda(void* memory, size_t bytes);
void ReleaseFromCuda(void* memory);

}  // namespace protium
