// SPDX-License-Identifier: Apache-2.0
#include "pipeline/torch_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostVersionBytes = 4096;
constexpr const char* kHow =
    "pip install torch==" PROTIUM_TORCH_VERSION
    ", and set PROTIUM_LIBTORCH to the folder that python3 -c 'import torch; "
    "print(torch.__path__[0])' prints (docs/gpu.md)";

bool Exists(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

Status Refuse(std::string what, std::string why) {
  return Fail({.exit = Exit::kEnvironment,
               .what = std::move(what),
               .where = kLibTorchVariable,
               .why = std::move(why),
               .fix = kHow});
}

// The version in a file beside the libraries in `lib`, without the build part ("+cu130"): in a
// wheel it is a Python file, in an archive plain text. Empty: neither exists.
std::string VersionBeside(const fs::path& lib) {
  for (const char* name : {"version.py", "build-version"}) {
    const auto text = ReadFile(lib.parent_path() / name, kMostVersionBytes);
    if (!text.ok()) continue;
    const size_t begin = text->find_first_of("0123456789");
    if (begin == std::string::npos) continue;
    return text->substr(begin, text->find_first_not_of("0123456789.", begin) - begin);
  }
  return {};
}

}  // namespace

Result<fs::path> GivenLibTorch() {
  const char* const given = std::getenv(kLibTorchVariable);
  if (given == nullptr || *given == '\0') return fs::path();
  fs::path lib = fs::absolute(given);
  if (!Exists(lib / "libtorch_cpu.so") && Exists(lib / "lib" / "libtorch_cpu.so")) lib /= "lib";
  if (!Exists(lib / "libtorch_cpu.so")) {
    return Refuse(fmt::format("there is no LibTorch in {}", given), "it has no libtorch_cpu.so");
  }
  const std::string version = VersionBeside(lib);
  const std::string expected = PROTIUM_TORCH_VERSION;
  if (version.empty() || expected.empty() || version == expected) return lib;
  return Refuse(fmt::format("the LibTorch in {} has another version", given),
                fmt::format("it is {}, this program is built for {}", version, expected));
}

DeviceUse GivenDeviceUse() {
  const char* const given = std::getenv(kDeviceVariable);
  return given != nullptr && std::string_view(given) == "cpu" ? DeviceUse::kStandIn
                                                              : DeviceUse::kLeased;
}

Status CheckGpuLibraries() {
  PT_LET(const fs::path lib, GivenLibTorch());
  if (GivenDeviceUse() == DeviceUse::kStandIn) return Status::OK();
  if (lib.empty()) {
    return Refuse("a gang with GPUs needs LibTorch with CUDA, and none is named",
                  "this build brings the CPU's libraries alone");
  }
  if (Exists(lib / "libtorch_cuda.so")) return Status::OK();
  return Refuse(fmt::format("the LibTorch in {} has no CUDA", lib.string()),
                "there is no libtorch_cuda.so in it");
}

}  // namespace protium
