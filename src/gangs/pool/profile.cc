// SPDX-License-Identifier: Apache-2.0
#include "pool/profile.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/fault.h"
#include "os/build_ids.h"

extern char** environ;

namespace protium {

namespace fs = std::filesystem;

namespace {

// What the dynamic linker, libc, OpenMP, the math libraries and LibTorch read once, when they are
// loaded. Everything else a worker gets from its driver before it looks at it.
constexpr std::string_view kReadAtLoad[] = {"ARROW_",
                                            "ATEN_",
                                            "CUBLAS_",
                                            "CUDA_",
                                            "CUDNN_",
                                            "DNNL_",
                                            "GLIBC_TUNABLES",
                                            "GOMP_",
                                            "JE_",
                                            "KMP_",
                                            "LC_",
                                            "LANG",
                                            "LD_",
                                            "MALLOC_",
                                            "MIMALLOC",
                                            "MKL_",
                                            "NVIDIA_",
                                            "OMP_",
                                            "ONEDNN_",
                                            "OPENBLAS",
                                            "PYTORCH_",
                                            "TORCH_",
                                            "TZ",
                                            "PROTIUM_LIBTORCH",
                                            "VECLIB_",
                                            "ASAN_",
                                            "LSAN_",
                                            "TSAN_",
                                            "UBSAN_"};

bool IsReadAtLoad(std::string_view name) {
  return std::ranges::any_of(kReadAtLoad,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

EnvironmentList LoadEnvironment(const EnvironmentList& more) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t end = text.find('=');
    if (end == std::string_view::npos || !IsReadAtLoad(text.substr(0, end))) continue;
    all.emplace(text.substr(0, end), text.substr(end + 1));
  }
  for (const auto& [name, value] : more) {
    if (IsReadAtLoad(name)) all[name] = value;
  }
  return {all.begin(), all.end()};
}

Status Replaced(const fs::path& program) {
  return Fail({.exit = Exit::kEnvironment,
               .what = "the program's file was replaced or removed while it runs",
               .where = program.string()});
}

}  // namespace

std::string FileIdentity(const fs::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return "";
  return fmt::format("{}:{}:{}:{}.{:09}", about.st_dev, about.st_ino, about.st_size,
                     about.st_ctim.tv_sec, about.st_ctim.tv_nsec);
}

std::map<std::string, std::string> OwnBuilds() {
  // The empty name is the program's own.
  auto builds = LoadedBuilds({""});
  std::erase_if(builds, [](const auto& each) {
    return !each.first.empty() && !each.first.starts_with("libprotium") &&
           !each.first.starts_with("libarrow");
  });
  return builds;
}

std::string DifferenceOfBuilds(const std::map<std::string, std::string>& one,
                               const std::map<std::string, std::string>& other) {
  for (const auto& [name, build] : one) {
    const auto found = other.find(name);
    if (found != other.end() && found->second != build) return name.empty() ? "program" : name;
  }
  return "";
}

Result<WorkerProfile> ProfileOf(const fs::path& program, const EnvironmentList& more, bool torch) {
  WorkerProfile profile{.file = FileIdentity(program),
                        .builds = OwnBuilds(),
                        .environment = LoadEnvironment(more),
                        .torch = torch};
  std::error_code error;
  // For /proc/self/exe its name on disk, if that is still the same file.
  profile.program = fs::canonical(program, error);
  const bool own = FileIdentity("/proc/self/exe") == profile.file;
  if (error || profile.file.empty() || FileIdentity(profile.program) != profile.file) {
    return Replaced(profile.program.empty() ? program : profile.program);
  }
  // Another program than this one, as a launcher's, has builds of its own.
  if (!own) profile.builds.erase("");
  return profile;
}

std::string WorkerProfile::Key() const {
  const auto find = [&](const char* name) {
    const auto found = builds.find(name);
    return found == builds.end() ? std::string() : found->second;
  };
  std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n", program.string(), file, find(""),
                                find("libprotium"), torch);
  for (const auto& [name, value] : environment) key += name + "=" + value + "\n";
  return key;
}

Json WorkerProfile::ToJson() const {
  Json variables = Json::array();
  for (const auto& [name, value] : environment) variables.push_back(Json::array({name, value}));
  return {{"program", program.string()},
          {"file", file},
          {"builds", builds},
          {"environment", variables},
          {"torch", torch}};
}

Result<WorkerProfile> WorkerProfile::FromJson(const Json& json) {
  WorkerProfile profile{.program = TextAt(json, "program"), .file = TextAt(json, "file")};
  const Json builds = json.value("builds", Json::object());
  const Json environment = json.value("environment", Json::array());
  const Json torch = json.value("torch", Json());
  const auto is_pair = [](const Json& each) {
    return each.is_array() && each.size() == 2 && each[0].is_string() && each[1].is_string();
  };
  const auto is_text = [](const Json& each) { return each.is_string(); };
  if (!profile.program.is_absolute() || !torch.is_boolean() || !environment.is_array() ||
      !std::ranges::all_of(environment, is_pair) || !builds.is_object() ||
      !std::ranges::all_of(builds, is_text)) {
    return Status::Invalid("a profile of workers is incomplete");
  }
  profile.torch = torch.get<bool>();
  for (const auto& [name, build] : builds.items()) profile.builds[name] = build.get<std::string>();
  for (const Json& each : environment) {
    profile.environment.emplace_back(each[0].get<std::string>(), each[1].get<std::string>());
  }
  return profile;
}

}  // namespace protium
