// SPDX-License-Identifier: Apache-2.0
#include "frame/brought_tables.h"

#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "column/schema.h"
#include "protium/events.h"
#include "protium/version.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Returns a name made of everything that determines the bytes of a brought table.
Result<std::string> KeyOf(const BringSpec& spec, const InputRecord& inputs) {
  Json facts = {{"version", PROTIUM_VERSION}, {"format", FieldsToJson(spec.format)}};
  facts["csv"] = FieldsToJson(spec.csv);
  for (const std::string& path : spec.paths) {
    const auto file = inputs.files().find(path);
    facts["files"].push_back(file == inputs.files().end() ? Json(path)
                                                          : FieldsToJson(file->second));
  }
  if (spec.known != nullptr) {
    PT_LET(facts["known"], SchemaToJson(*spec.known));
  }
  if (spec.partitions.columns != nullptr) {
    PT_LET(facts["partitions"], SchemaToJson(*spec.partitions.columns));
  }
  return Sha256Hex(Dump(facts)).substr(0, 16);
}

Status CheckCall(const Call& call) {
  if (call.stop.stop_requested()) {
    return Fail({.exit = Exit::kStopped, .what = "stopped while a table was read"});
  }
  if (Clock::now() < call.deadline) return Status::OK();
  return Fail({.exit = Exit::kStalled, .what = "the deadline passed while a table was read"});
}

// A table's name may be any text; a file's may not.
std::string FileName(const std::string& name, const std::string& key) {
  std::string plain;
  for (const char c : name.substr(0, 64)) {
    const bool keep = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    plain += keep ? c : '_';
  }
  return plain + "-" + key + ".parquet";
}

}  // namespace

BroughtTables::~BroughtTables() {
  std::error_code ignored;
  for (const std::string& file : files_) fs::remove(file, ignored);
  if (!folder_.empty()) fs::remove(folder_, ignored);  // Unless it holds something else.
}

Result<fs::path> BroughtTables::Folder() {
  if (!folder_.empty()) return folder_;
  if (run_.empty()) {
    PT_LET(TemporaryFolder made, TemporaryFolder::Make());
    temporary_.emplace(std::move(made));
    folder_ = temporary_->path();
    return folder_;
  }
  PT_TRY(MakeFolder(run_ / "tables"));
  folder_ = run_ / "tables";
  return folder_;
}

Result<std::string> BroughtTables::NewFile(const std::string& name) {
  PT_LET(const fs::path folder, Folder());
  const std::string file = (folder / FileName(name, "rows" + std::to_string(++made_))).string();
  files_.insert(file);
  return file;
}

Result<std::string> BroughtTables::Find(const std::string& name, const BringSpec& spec,
                                        const InputRecord& inputs, const Call& call) {
  PT_LET(const std::string key, KeyOf(spec, inputs));
  PT_LET(const fs::path folder, Folder());
  const std::string target = (folder / FileName(name, key)).string();
  files_.insert(target);
  std::error_code ignored;
  if (fs::exists(target, ignored)) return target;
  const BringWatch watch = [&](double share) {
    call.Send(EtlProgress{.name = "read " + name, .percent = share * 100});
    return CheckCall(call);
  };
  PT_LET(const BroughtTable table, Bring(spec, target, watch));
  for (const std::string& note : table.notes) call.Send(Note{note});
  return target;
}

}  // namespace protium
