// SPDX-License-Identifier: Apache-2.0
#include "onnx_runtime/library.h"

#include <arrow/memory_pool.h>
#include <dlfcn.h>

#include <filesystem>

#include "base/fault.h"

namespace protium::ort {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libonnxruntime.so.1.32.0";
// The table that this is written for; libraries of later versions have it, too.
constexpr uint32_t kApiVersion = 17;
constexpr int kWarningsAndWorse = 3;  // Only errors: warnings would go to stderr.

struct ApiBase {
  const void* (*get_api)(uint32_t version);
  const char* (*get_version)();
};

// A package has it beside Arrow's library, a clone beside Arrow's folder. Where a program has
// loaded the Arrow of an environment of Python's, that environment's wheel has the same file.
fs::path FindLibrary() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&arrow::default_memory_pool), &info) == 0) return kFile;
  std::error_code ignored;
  const fs::path folder = fs::absolute(info.dli_fname, ignored).parent_path();
  if (fs::exists(folder / kFile, ignored)) return folder / kFile;
  const fs::path beside = folder.parent_path() / "onnxruntime";
  if (fs::exists(beside / "capi" / kFile, ignored)) return beside / "capi" / kFile;
  return beside / kFile;
}

protium::Status Unusable(const fs::path& file, const std::string& why) {
  return Fail({.exit = Exit::kEnvironment,
               .what = "ONNX files need ONNX Runtime, which is not here",
               .where = file.string(),
               .why = why,
               .fix = "./dev setup --onnx"});
}

}  // namespace

Result<std::shared_ptr<const Library>> Library::Open() {
  const fs::path file = FindLibrary();
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::error_code ignored;
    const bool there = fs::exists(file, ignored);
    const char* const why = dlerror();
    return Unusable(file, there && why != nullptr ? why : "");
  }
  const auto get_base = reinterpret_cast<const ApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
  const ApiBase* const base = get_base == nullptr ? nullptr : get_base();
  if (base == nullptr) return Unusable(file, "it has no OrtGetApiBase()");
  const std::shared_ptr<Library> library(new Library);
  library->version_ = base->get_version();
  library->api_ = static_cast<const Function*>(base->get_api(kApiVersion));
  if (library->api_ == nullptr) {
    return Unusable(file, "version " + library->version_ + " is too old");
  }
  PT_TRY(library->Call(kCreateEnv, kWarningsAndWorse, "protium", &library->env_));
  PT_TRY(library->Call(kDisableTelemetry, static_cast<const Env*>(library->env_)));
  return std::shared_ptr<const Library>(library);
}

fs::path OpenedFile() {
  fs::path file = FindLibrary();
  void* const handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return {};
  dlclose(handle);  // What has opened it holds it.
  return file;
}

Library::~Library() { Release(kReleaseEnv, env_); }

protium::Status Library::Take(Status* status) const {
  if (status == nullptr) return protium::Status::OK();
  const auto message =
      reinterpret_cast<const char* (*)(const Status*)>(api_[kGetErrorMessage])(status);
  const std::string why = message == nullptr ? "" : message;
  Release(kReleaseStatus, status);
  return Fail({.exit = Exit::kInput, .what = "ONNX Runtime refuses it", .why = why});
}

}  // namespace protium::ort
