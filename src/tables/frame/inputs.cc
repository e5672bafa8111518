// SPDX-License-Identifier: Apache-2.0
// Facts about the input files: recorded when a run first reads them, compared when it is resumed.
#include "frame/inputs.h"

#include <utility>
#include <vector>

#include "base/fault.h"
#include "format/file.h"
#include "os/file.h"

namespace protium {
namespace {

constexpr int64_t kMaxHashedBytes = int64_t{1} << 30;  // A few seconds of SHA-256.

Result<InputFile> ReadFacts(const std::string& path) {
  PT_LET(const FileFacts facts, ReadFileFacts(path));
  return InputFile{path, facts.bytes, facts.changed_ns, {}};
}

Status AddHash(InputFile& file) {
  if (file.bytes > kMaxHashedBytes) return Status::OK();
  PT_LET(file.sha256, FileSha256(file.path));
  return Status::OK();
}

Status Changed(const InputFile& was, const std::string& how) {
  return Fail({.exit = Exit::kInput,
               .what = "input " + was.path + " is not the one this run started with",
               .why = how,
               .fix = "put the old file back, or start a new run",
               .kept = "the run's checkpoints"});
}

// Cheapest first: size, then time; bytes only if the time differs, as after a copy or a checkout.
Status Compare(const InputFile& was) {
  Result<InputFile> looked = ReadFacts(was.path);
  if (!looked.ok()) return Changed(was, "it cannot be read: " + FaultOf(looked.status()).what);
  InputFile now = std::move(looked).MoveValueUnsafe();
  if (now.bytes != was.bytes) {
    return Changed(was, "it had " + std::to_string(was.bytes) + " bytes, now it has " +
                            std::to_string(now.bytes));
  }
  if (now.modified == was.modified) return Status::OK();
  if (was.sha256.empty()) return Changed(was, "it was modified since");
  PT_TRY(AddHash(now));
  if (now.sha256 == was.sha256) return Status::OK();
  return Changed(was,
                 "its contents changed: sha256 was " + was.sha256 + ", now it is " + now.sha256);
}

}  // namespace

Result<InputRecord> InputRecord::Open(std::filesystem::path file, bool resume) {
  InputRecord record(std::move(file));
  std::error_code ignored;
  if (!resume || !std::filesystem::exists(record.file_, ignored)) return record;
  PT_LET(const std::string text, ReadFile(record.file_, 64 << 20));
  PT_LET(const Json json, ParseJson(text));
  std::vector<InputFile> files;
  PT_TRY(FieldsFromJson(json, "inputs", files));
  for (InputFile& each : files) {
    PT_TRY(Compare(each));
    record.files_.emplace(each.path, each);
  }
  return record;
}

Status InputRecord::Add(const std::filesystem::path& input, std::string sha256) {
  if (files_.contains(input.string())) return Status::OK();
  PT_LET(InputFile file, ReadFacts(input.string()));
  file.sha256 = std::move(sha256);
  if (file.sha256.empty()) PT_TRY(AddHash(file));
  files_.emplace(file.path, file);
  return Write();
}

Status InputRecord::Write() const {
  if (file_.empty()) return Status::OK();
  std::vector<InputFile> all;
  for (const auto& [path, each] : files_) all.push_back(each);
  return WriteFile(file_, Pretty(FieldsToJson(all)));
}

Status InputRecord::Together(const std::function<Status()>& add) {
  const size_t before = files_.size();
  std::filesystem::path file = std::exchange(file_, {});
  const Status added = add();
  file_ = std::move(file);
  const Status written = files_.size() > before ? Write() : Status::OK();
  return added.ok() ? written : added;
}

}  // namespace protium
