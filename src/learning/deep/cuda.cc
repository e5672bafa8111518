// SPDX-License-Identifier: Apache-2.0
#include "deep/cuda.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <ATen/ops/ones.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/fault.h"
#include "deep/torch_wall.h"

// The functions of CUDA's run-time and driver libraries that are used here have had the same C
// signatures since CUDA 4; they are declared where they are looked up. LibTorch's CUDA library
// registers its kernels with the CPU library when it is loaded, so opening it is enough.

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHelp = "docs/gpu.md says how to install and name one";
// A value of cudaError_t: the driver is older than the run-time library needs.
constexpr int kInsufficientDriver = 35;
// A value of cudaDeviceAttr.
constexpr int kMultiprocessors = 16;
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;
// The only setting with which cuBLAS always adds in the same order, whatever else runs; it is read
// when its handle is made.
constexpr const char* kWorkspace = ":4096:8";

// The folder of LibTorch's loaded CPU library, found through the file of one of its functions.
fs::path TorchFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&at::show_config), &info) == 0) return {};
  return fs::path(info.dli_fname).parent_path();
}

// LibTorch's CUDA library if it is open, otherwise nullptr. A look-up in it also searches the
// libraries that it needs.
void* CudaLibrary() { return dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD); }

template <class Function>
Function* Find(const char* name) {
  void* const library = CudaLibrary();
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

Status Unusable(std::string what, std::string why, std::string fix) {
  return Fail({.exit = Exit::kEnvironment,
               .what = std::move(what),
               .where = "gang.gpus_per_worker",
               .why = std::move(why),
               .fix = std::move(fix)});
}

Status OpenLibraries() {
  if (CudaLibrary() != nullptr) return Status::OK();
  const fs::path file = TorchFolder() / "libtorch_cuda.so";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Unusable("this LibTorch has no CUDA", "there is no " + file.string(),
                    fmt::format("set PROTIUM_LIBTORCH to the lib folder of LibTorch {} with CUDA; "
                                "{}",
                                TORCH_VERSION, kHelp));
  }
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return Status::OK();
  const char* const why = dlerror();
  return Unusable("cannot load " + file.string(), why != nullptr ? why : "", kHelp);
}

// "13.0" of 13000.
std::string VersionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

int AskVersion(const char* name) {
  int version = 0;
  auto* const ask = Find<int(int*)>(name);
  return ask != nullptr && ask(&version) == 0 ? version : 0;
}

// CUDA's message for its error `code`.
std::string ErrorText(int code) {
  auto* const text = Find<const char*(int)>("cudaGetErrorString");
  return text != nullptr ? text(code) : fmt::format("error {}", code);
}

Status CheckDevice() {
  auto* const count = Find<int(int*)>("cudaGetDeviceCount");
  if (count == nullptr) {
    return Unusable("CUDA's run-time library is not there", "no cudaGetDeviceCount()", kHelp);
  }
  int devices = 0;
  const int error = count(&devices);
  if (error == 0 && devices > 0) return Status::OK();
  const int driver = AskVersion("cudaDriverGetVersion");
  if (error == kInsufficientDriver) {
    return Unusable("the NVIDIA driver is too old for this LibTorch",
                    fmt::format("the driver supports CUDA {}, LibTorch needs {}",
                                driver == 0 ? "of no version" : VersionText(driver),
                                VersionText(AskVersion("cudaRuntimeGetVersion"))),
                    "install a newer driver, or a LibTorch for an older CUDA; docs/gpu.md");
  }
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return Unusable("CUDA finds no device",
                  fmt::format("CUDA_VISIBLE_DEVICES={}: {}", visible != nullptr ? visible : "",
                              error == 0 ? "it counts 0 devices" : ErrorText(error)),
                  "look at nvidia-smi on that machine");
}

// Every setting by which LibTorch chooses between kernels by speed, precision or chance is set to
// the value that always gives the same bits. "kernels" in the identity summarises them.
constexpr const char* kKernels = "deterministic, ieee float32, cublas :4096:8";

void SetRepeatable() {
  at::Context& context = at::globalContext();
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  // This would fill every new tensor with NaN, against bugs that the tests check for.
  context.setDeterministicFillUninitializedMemory(false);
  context.setDeterministicCuDNN(true);
  context.setBenchmarkCuDNN(false);
  context.setAllowTF32CuBLAS(false);
  context.setAllowTF32CuDNN(false);
  context.setAllowFP16ReductionCuBLAS(/*reduced precision=*/false, /*allow_splitk=*/false);
  context.setAllowBF16ReductionCuBLAS(/*reduced precision=*/false, /*allow_splitk=*/false);
  // Their backward passes add in the order in which blocks finish.
  context.setSDPUseMemEfficient(false);
  context.setSDPUseCuDNN(false);
}

int AskAttribute(int attribute) {
  int value = 0;
  auto* const ask = Find<int(int*, int, int)>("cudaDeviceGetAttribute");
  return ask != nullptr && ask(&value, attribute, 0) == 0 ? value : 0;
}

// The name that nvidia-smi shows.
std::string DeviceName() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return "gpu";
  auto* const name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  char text[256] = {};
  const bool named = name != nullptr && name(text, int(sizeof text) - 1, 0) == 0;
  return named ? text : "gpu";
}

// Devices with the same name may have different numbers of multiprocessors, as slices of a MIG
// device do; libraries split sums by that number.
Json Identity() {
  return {{"device", fmt::format("{}, compute capability {}.{}, {} multiprocessors", DeviceName(),
                                 AskAttribute(kCapabilityMajor), AskAttribute(kCapabilityMinor),
                                 AskAttribute(kMultiprocessors))},
          {"cuda", VersionText(AskVersion("cudaRuntimeGetVersion"))},
          {"cudnn", at::detail::getCUDAHooks().versionRuntimeCuDNN()},
          {"kernels", kKernels}};
}

}  // namespace

Result<Json> StartCuda() {
  ::setenv("CUBLAS_WORKSPACE_CONFIG", kWorkspace, 1);
  PT_TRY(OpenLibraries());
  PT_TRY(CheckDevice());
  return GuardTorch("starting CUDA", [] {
    SetRepeatable();
    // The first use starts CUDA and cuBLAS, so errors are reported before rows arrive.
    const at::Tensor one = at::ones({1, 1}, at::TensorOptions(at::kFloat).device(at::kCUDA, 0));
    TORCH_CHECK(one.mm(one).item<float>() == 1.0f, "the device computes 1 x 1 wrongly");
    return Identity();
  });
}

bool HoldForCuda(void* memory, size_t bytes) {
  auto* const hold = Find<int(void*, size_t, unsigned)>("cudaHostRegister");
  if (hold == nullptr || hold(memory, bytes, 0) == 0) return hold != nullptr;
  // CUDA remembers its last error, and LibTorch would attribute it to its next call.
  if (auto* const forget = Find<int()>("cudaGetLastError")) forget();
  return false;
}

void ReleaseFromCuda(void* memory) {
  if (auto* const release = Find<int(void*)>("cudaHostUnregister")) release(memory);
}

}  // namespace protium
