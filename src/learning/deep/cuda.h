// SPDX-License-Identifier: Apache-2.0
// CUDA, loaded at run time: this build links only the CPU libraries of LibTorch and needs no CUDA
// header. A LibTorch with CUDA has its CUDA libraries beside the CPU library that was loaded
// (pipeline/torch_folder.h says how that is chosen); functions of the CUDA run-time library are
// looked up by name.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Loads the libraries, makes kernels repeatable and starts CUDA on the first visible device. Call
// it once per process, before anything else uses a GPU. Returns what determines the bits of
// results, as a flat object: "device", "cuda", "cudnn", "kernels". Fails as OpenGpu() does
// (cuda_device.h).
Result<Json> StartCuda();

// Registers host memory with CUDA, so that a device reads and writes it without an intermediate
// copy. Returns false if CUDA refuses. Only after StartCuda().
bool HoldForCuda(void* memory, size_t bytes);
void ReleaseFromCuda(void* memory);

}  // namespace protium
