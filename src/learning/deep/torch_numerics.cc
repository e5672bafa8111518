// SPDX-License-Identifier: Apache-2.0
#include "deep/torch_numerics.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <cpuid.h>
#include <torch/version.h>

#include <cstring>
#include <regex>
#include <string>

#include "deep/torch_products.h"
#include "deep/torch_wall.h"

namespace protium {
namespace {

// MKL and oneDNN choose kernels by the processor's vendor, not only by its instruction sets.
std::string ProcessorVendor() {
  unsigned eax = 0;
  unsigned words[3] = {};
  if (__get_cpuid(0, &eax, &words[0], &words[2], &words[1]) == 0) return "unknown";
  char text[13] = {};
  std::memcpy(text, words, 12);
  return text;
}

// Returns what follows `name` in LibTorch's own description, up to the end of the version.
std::string VersionIn(const std::string& description, const std::string& name) {
  std::smatch found;
  const std::regex pattern(name + "[^0-9\n]*([0-9][0-9.]*)");
  return std::regex_search(description, found, pattern) ? found[1].str() : "none";
}

// Bits of cpuid's leaf 7, as the processors' manuals number them.
const char* Bfloat16Instructions() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kAmx = 1u << 22, kAvx512 = 1u << 5;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAmx) != 0) return "amx";
  if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kAvx512) != 0) {
    return "avx512";
  }
  return "none";
}

}  // namespace

Json TorchNumerics(int32_t threads, bool bfloat16) {
  // LibTorch reports the versions of MKL and oneDNN that it was built with only here, as prose.
  const std::string description = at::show_config();
  Json out = {{"torch", TORCH_VERSION},
              {"cpu_capability", at::get_cpu_capability()},
              {"processor_vendor", ProcessorVendor()},
              {"mkl", VersionIn(description, "Math Kernel Library Version")},
              {"onednn", VersionIn(description, "MKL-DNN v")},
              {"products", "protium"},
              {"threads_per_shard", threads}};
  if (bfloat16) out["bfloat16"] = Bfloat16Instructions();
  return out;
}

Status PrepareTorch(int32_t threads) {
  return GuardTorch("preparing LibTorch", [&] {
    UseOwnProducts();
    at::set_num_threads(threads);
  });
}

}  // namespace protium
