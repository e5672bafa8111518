// SPDX-License-Identifier: Apache-2.0
#include "objects/open.h"

#include <arrow/filesystem/azurefs.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/s3fs.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/thread_pool.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <latch>

#include "base/fault.h"
#include "objects/azure.h"
#include "objects/failure.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// What Arrow does by itself tries for six seconds without a pause that grows, and a store that says
// "slow down" is then asked more often.
class FewTries : public arrow::fs::S3RetryStrategy {
 public:
  bool ShouldRetry(const AWSErrorDetail& error, int64_t tries) override {
    return error.should_retry && tries < 5;
  }
  int64_t CalculateDelayBeforeNextRetry(const AWSErrorDetail&, int64_t tries) override {
    return int64_t{100} << std::min<int64_t>(tries, 5);  // In all 3.1 seconds.
  }
};

// Beside libarrow, and named after it, whatever that is called: "libarrow_s3.so.2600".
fs::path S3Library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&arrow::fs::EnsureFinalized), &info) == 0) return {};
  std::error_code ignored;
  const fs::path arrow = fs::absolute(info.dli_fname, ignored);
  std::string name = arrow.filename().string();
  return arrow.parent_path() / name.insert(std::min(name.find('.'), name.size()), "_s3");
}

Status LoadS3() {
  const fs::path library = S3Library();
  std::error_code ignored;
  if (!fs::exists(library, ignored)) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "places on S3 need " + library.string() + ", which is not here",
                 .fix = "./dev setup --sources s3",
                 .kept = "nothing was started"});
  }
  // A second time is no error: the loader has it already.
  const Status loaded = arrow::fs::LoadFileSystemFactories(library.c_str());
  if (loaded.ok()) return loaded;
  return Fail({.exit = Exit::kEnvironment,
               .what = "places on S3 need " + library.string() + ", which cannot be loaded",
               .why = loaded.message()});
}

// Threads inherit the signals that are blocked where they are made. Those of the file systems stay
// until the process ends: none of them may take a Ctrl-C from whoever waits for it.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t set;
    sigemptyset(&set);
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, each);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

// Makes all threads of Arrow's pool for files, which otherwise come one by one.
bool MakeThreads() {
  arrow::internal::Executor& pool = *arrow::io::default_io_context().executor();
  const auto all = std::make_shared<std::latch>(pool.GetCapacity());
  for (int i = 0; i < pool.GetCapacity(); ++i) {
    if (!pool.Spawn([all] { all->arrive_and_wait(); }).ok()) all->count_down();
  }
  all->wait();
  return true;
}

// Without Arrow's writes in the background: what the client throws there would end the process.
Result<OpenedFiles> OpenAzure(const ObjectPlace& place) {
  const auto access = AzureAccessFor(place);
  arrow::fs::AzureOptions options;
  OpenedFiles opened;
  if (access) {
    options.account_name = access->account;
    if (!access->endpoint.empty()) {
      options.blob_storage_authority = options.dfs_storage_authority = access->endpoint;
    }
    const char* const scheme = access->encrypted ? "https" : "http";
    options.blob_storage_scheme = options.dfs_storage_scheme = scheme;
    PT_TRY(options.ConfigureAccountKeyCredential(access->key));
    opened.path = access->path;
  } else {
    auto found = arrow::fs::AzureOptions::FromUri(place.text(), &opened.path);
    PT_TRY(ObjectFault(found.status(), "open", place));
    options = found.MoveValueUnsafe();
  }
  options.background_writes = false;
  auto files = arrow::fs::AzureFileSystem::Make(options);
  PT_TRY(ObjectFault(files.status(), "open", place));
  opened.files = files.MoveValueUnsafe();
  return opened;
}

}  // namespace

Result<OpenedFiles> OpenFiles(const ObjectPlace& place) {
  const SignalsHeld held;
  static const bool made = MakeThreads();
  (void)made;
  if (place.kind() == "abfs") return OpenAzure(place);
  arrow::fs::FileSystemFactoryOptions options;
  std::string address = place.text();
  if (place.kind() == "s3") {
    PT_TRY(LoadS3());
    const std::shared_ptr<arrow::fs::S3RetryStrategy> few = std::make_shared<FewTries>();
    options.emplace_back("retry_strategy", few);
    address += "?allow_delayed_open=true";  // One request for a small object instead of three.
  } else if (place.kind() == "gs") {
    address += "?retry_limit_seconds=15";
  }
  OpenedFiles opened;
  auto files = options.empty()
                   ? arrow::fs::FileSystemFromUri(address, &opened.path)
                   : arrow::fs::FileSystemFromUriAndOptions(address, options, &opened.path);
  PT_TRY(ObjectFault(files.status(), "open", place));
  opened.files = files.MoveValueUnsafe();
  return opened;
}

std::vector<fs::path> LibrariesFor(const ObjectPlace& place) {
  if (place.kind() != "s3") return {};
  return {S3Library()};
}

}  // namespace protium
