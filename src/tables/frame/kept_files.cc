// SPDX-License-Identifier: Apache-2.0
#include "frame/kept_files.h"

#include <arrow/type.h>

#include <utility>
#include <variant>

#include "base/fault.h"
#include "column/schema.h"
#include "os/build_ids.h"
#include "os/file.h"
#include "protium/events.h"

namespace protium {
namespace {

constexpr const char* kKind = "types";
constexpr const char* kPart = "types.json";

}  // namespace

KeptFiles::KeptFiles(SessionState& session, const Scan& scan)
    : session_(session), store_(session.engine().Kept()), paths_(scan.paths) {
  if (store_ == nullptr || paths_.empty()) return;
  const Status looked = Look(scan);
  if (looked.ok()) return;
  request_ = {};
  // A file that cannot be read is reported by whoever reads its columns.
  if (FaultOf(looked).exit != Exit::kInput) Say(looked);
}

Status KeptFiles::Look(const Scan& scan) {
  Json files = Json::array();
  std::vector<StoredInput> inputs;
  for (const std::string& path : paths_) {
    PT_LET(InputContent content, store_->inputs().Hash(path));
    files.push_back(content.hash);
    inputs.push_back({path, content.hash});
    contents_.push_back(std::move(content));
  }
  const bool csv = scan.format == Format::kCsv;
  request_ = {.kind = kKind,
              .causes = {{"files", std::move(files)},
                         {"csv", csv ? FieldsToJson(scan.csv) : Json()},
                         // Of .tsv files the delimiter is looked for.
                         {"extension", std::filesystem::path(paths_.front()).extension().string()},
                         {"builds", LoadedBuilds({"libprotium.so"})}},
              .run = session_.folder().filename().string(),
              .inputs = std::move(inputs)};
  return session_.options().fresh ? Status::OK() : Take();
}

// Small, so its checksum is compared before every use.
Status KeptFiles::Take() {
  const std::string name = CauseName(request_.kind, request_.causes);
  if (store_->Has(name)) {
    PT_LET(const bool whole, store_->Verify(name));
    if (!whole) {
      session_.call().Send(
          Note{"what was kept as " + name.substr(0, 12) + " was damaged and is dropped"});
    }
  }
  PT_LET(const auto object, store_->Find(name));
  if (!object) return Status::OK();
  PT_LET(const std::string text, ReadFile(object->Path(kPart)));
  PT_LET(const Json json, ParseJson(text));
  Found found;
  PT_TRY(FieldsFromJson(json, kPart, found));
  if (!found.schema.is_null()) {
    PT_LET(auto schema, SchemaFromJson(found.schema));
    csv_ = CsvTable{std::move(schema), found.rows_are_lines, found.loose_numbers};
  }
  found_ = std::move(found);
  return Status::OK();
}

void KeptFiles::Keep(const std::vector<std::string>& sha256, const CsvTable* csv) {
  if (request_.kind.empty() || !found_.sha256.empty() || session_.folder().empty()) return;
  for (size_t i = 0; i < paths_.size(); ++i) {
    const auto same = store_->inputs().IsUnchanged(paths_[i], contents_[i]);
    if (!same.ok() || !*same) return;
  }
  Found found{.sha256 = sha256};
  if (csv != nullptr) {
    auto schema = SchemaToJson(*csv->schema);
    if (!schema.ok()) return;
    found.schema = std::move(*schema);
    found.rows_are_lines = csv->rows_are_lines;
    found.loose_numbers = csv->loose_numbers;
  }
  const Status written = Write(Dump(FieldsToJson(found)));
  if (!written.ok() && FaultOf(written).exit != Exit::kStalled) Say(written);
}

// Nobody is waited for: another process may make the same.
Status KeptFiles::Write(const std::string& text) {
  if (session_.options().fresh) {
    PT_TRY(store_->Remove(CauseName(request_.kind, request_.causes)).status());
  }
  Call call = session_.call();
  call.deadline = Clock::now();
  PT_LET(auto begun, store_->FindOrBegin(request_, call));
  auto* const draft = std::get_if<Draft>(&begun);
  if (draft == nullptr) return Status::OK();
  PT_TRY(draft->WritePart(kPart, text));
  return draft->Commit({}).status();
}

void KeptFiles::Say(const Status& status) {
  session_.call().Send(Note{"types of files are not kept: " + FaultOf(status).what});
}

}  // namespace protium
