// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/deployment.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "events/events.h"
#include "onnx_runtime/library.h"
#include "os/library.h"
#include "spark_worker/bundle_format.h"

namespace protium {
namespace {

// A setting of the session, so other sessions of the server keep their Python.
constexpr const char* kExecutable = "spark.sql.execution.pyspark.python";
constexpr const char* kTorchLibrary = "libprotium_torch.so";

}  // namespace

bool LacksProgram(const Status& failure) {
  return !failure.ok() && FaultOf(failure).what.find(kNeedsBundle) != std::string::npos;
}

Result<Deployment::Sendable> Deployment::MakeBundles(bool torch) {
  PT_LET(const auto cache, BundleCache());
  auto libraries = libraries_;
  if (auto onnx = ort::OpenedFile(); !onnx.empty()) libraries.push_back(std::move(onnx));
  if (programs_.empty() || libraries != libraries_in_use_) {
    const auto file = program_file_.empty() ? "/proc/self/exe" : program_file_;
    PT_LET(Bundle program, MakeProgramBundle(file, cache, libraries));
    programs_.push_back(std::move(program));
    libraries_in_use_ = std::move(libraries);
  }
  if (torch && !torch_) {
    PT_LET(torch_, MakeTorchBundle(OwnLibraryFolder() / kTorchLibrary, cache));
  }
  return Sendable{programs_.back(), torch ? torch_ : std::nullopt};
}

Status Deployment::Check() const {
  if (!settings_.program.empty()) return Status::OK();
  PT_TRY(BundleCache().status());
  return FindLauncher().status();
}

Status Deployment::Send(const Artifact& artifact, const Call& call) {
  if (sent_.count(artifact.name) > 0) return Status::OK();
  PT_TRY(session_.AddArtifacts({artifact}, call));
  sent_.emplace(artifact.name, int64_t(sent_.size()));
  return Status::OK();
}

Status Deployment::Use(bool torch, const Call& call) {
  const std::lock_guard lock(mutex_);
  std::string executable = settings_.program;
  if (executable.empty()) {
    PT_LET(const Sendable bundles, MakeBundles(torch));
    PT_LET(const Launcher launcher, FindLauncher());
    const std::string name =
        LauncherName(launcher, bundles.program, bundles.torch ? &*bundles.torch : nullptr);
    PT_TRY(Send({"files/" + name, launcher.file}, call));
    // Relative: the executor starts it in the session's artifact folder.
    executable = "./" + name;
  }
  if (executable == used_) return Status::OK();
  PT_TRY(session_.SetConf({{kExecutable, executable}}, call));
  used_ = executable;
  return Status::OK();
}

int64_t Deployment::sends() const {
  const std::lock_guard lock(mutex_);
  return int64_t(sent_.size());
}

Result<bool> Deployment::SendMissing(const Status& failure, int64_t sends, const Call& call) {
  if (!LacksProgram(failure)) return false;
  // It names the hashes of all bundles that the executor lacks.
  const std::string said = FaultOf(failure).what;
  const std::lock_guard lock(mutex_);
  std::vector<const Bundle*> all;
  for (const Bundle& each : programs_) all.push_back(&each);
  if (torch_) all.push_back(&*torch_);
  bool any = false;
  for (const Bundle* const bundle : all) {
    if (said.find(bundle->hash) == std::string::npos) continue;
    const std::string name = fmt::format("files/{}{}", kBundlePrefix, bundle->hash);
    if (const auto sent = sent_.find(name); sent != sent_.end()) {
      // Sent before the operation was submitted but missing all the same: a failure to report.
      any = any || sent->second >= sends;
      continue;
    }
    const auto since = Clock::now();
    PT_TRY(Send({name, bundle->file}, call));
    const bool torch = torch_ && bundle == &*torch_;
    call.Send(BundleSent{torch ? "LibTorch" : "the program", bundle->bytes,
                         std::chrono::duration<double>(Clock::now() - since).count()});
    any = true;
  }
  return any;
}

}  // namespace protium
