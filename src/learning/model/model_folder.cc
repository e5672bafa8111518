// SPDX-License-Identifier: Apache-2.0
#include "model/model_folder.h"

#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "format/file.h"
#include "model/copy_file.h"
#include "os/file.h"
#include "os/publish.h"
#include "protium/fields.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "protium-model";
constexpr const char* kWeights = "weights.safetensors";
// Vocabularies make stages.json large; a file beyond 256 MiB is damaged or not of a model, and must
// not fill memory.
constexpr int64_t kMaxJsonBytes = 256 << 20;

struct Manifest {
  std::string format;
  int64_t version = 0;
  std::string weights_sha256;
  Json files = Json::object();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("format", format);
    visit("version", version);
    visit("weights_sha256", weights_sha256);
    visit("files", files);
  }
};

Status Broken(const fs::path& file, const std::string& what, const std::string& why = {}) {
  return Fail({.exit = Exit::kInput,
               .what = "model file " + file.string() + " " + what,
               .why = why,
               .fix = "save the model again"});
}

// Writes model.json last, since it holds the hashes of all others.
Status WriteFiles(const fs::path& folder, const ModelFiles& files) {
  Manifest manifest{kFormat, kModelVersion, files.weights_sha256};
  for (const auto& [name, json] : files.json) {
    const std::string text = Pretty(json);
    PT_TRY(WriteFile(folder / name, text));
    manifest.files[name] = Sha256Hex(text);
  }
  if (!files.weights.empty()) {
    PT_LET(manifest.files[kWeights], CopyFile(files.weights, folder / kWeights));
  }
  for (const auto& [name, path] : files.others) {
    PT_LET(manifest.files[name], CopyFile(path, folder / name));
  }
  return WriteFile(folder / "model.json", Pretty(FieldsToJson(manifest)));
}

// Reads the manifest unchanged, of any version.
Result<Json> ManifestJson(const fs::path& folder) {
  std::error_code ignored;
  const fs::path file = folder / "model.json";
  if (!fs::is_regular_file(file, ignored)) {
    const bool there = fs::is_directory(folder, ignored);
    return Fail({.exit = Exit::kInput,
                 .what = (there ? "not a model folder: " : "there is no folder ") + folder.string(),
                 .why = there ? "it holds no model.json" : ""});
  }
  PT_LET(const std::string text, ReadFile(file, kMaxJsonBytes));
  const Result<Json> json = ParseJson(text);
  if (!json.ok()) return Broken(file, "is damaged", json.status().message());
  if (!json->is_object() || !json->contains("format") || (*json)["format"] != kFormat) {
    return Broken(file, "is not from a protium model");
  }
  return json;
}

Result<Manifest> ReadManifest(const fs::path& folder) {
  const fs::path file = folder / "model.json";
  PT_LET(const Json json, ManifestJson(folder));
  const Json version = json.value("version", Json());
  const bool known = version.is_number_integer() && version >= 1 && version <= kModelVersion;
  if (json.contains("version") && !known) {
    return Broken(file, "has version " + Dump(version),
                  "this program reads versions 1 to " + std::to_string(kModelVersion));
  }
  Manifest manifest;
  const Status read = FieldsFromJson(json, "", manifest);
  if (!read.ok()) return Broken(file, "is damaged", FaultOf(read).what);
  if (!manifest.files.is_object()) return Broken(file, "is damaged", "files must be a table");
  return manifest;
}

// Reads one file that the manifest lists. A model may come from anywhere: names with a slash or a
// leading dot are refused, so that a manifest cannot reach outside its folder.
Status ReadListed(const fs::path& folder, const std::string& name, const Json& sha256,
                  ModelFiles& files) {
  const fs::path file = folder / name;
  if (name.find('/') != std::string::npos || name.starts_with('.') || !sha256.is_string()) {
    return Broken(folder / "model.json", "is damaged", "it lists " + Dump(name));
  }
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return Broken(file, "is missing");
  if (fs::file_size(file, ignored) == 0) return Broken(file, "is empty");
  PT_LET(const std::string found, FileSha256(file.string()));
  if (found != sha256.get<std::string>()) {
    return Broken(file, "is damaged",
                  "its sha256 is " + found + ", model.json says " + sha256.get<std::string>());
  }
  if (name == kWeights) {
    files.weights = file;
    return Status::OK();
  }
  if (!name.ends_with(".json")) {
    files.others[name] = file;
    return Status::OK();
  }
  PT_LET(const std::string text, ReadFile(file, kMaxJsonBytes));
  Result<Json> json = ParseJson(text);
  if (!json.ok()) return Broken(file, "is damaged", json.status().message());
  files.json[name] = std::move(json).MoveValueUnsafe();
  return Status::OK();
}

Status NotReplaced(const fs::path& folder, const std::string& why) {
  return Fail({.exit = Exit::kUsage,
               .what = folder.string() + " exists and is not a model folder",
               .why = why,
               .fix = "choose another folder",
               .kept = "everything in it"});
}

// Replacing deletes a folder, so everything in it must be ours: other programs also use the name
// model.json, and people put notes beside a model.
Status CheckReplaceable(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return Status::OK();
  if (!fs::is_directory(folder, ignored)) return NotReplaced(folder, "it is a file");
  if (fs::is_empty(folder, ignored)) return Status::OK();
  const Result<Json> manifest = ManifestJson(folder);
  if (!manifest.ok()) return NotReplaced(folder, FaultOf(manifest.status()).what);
  const Json listed = manifest->value("files", Json::object());
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (entry.is_regular_file(ignored) && (name == "model.json" || listed.contains(name))) continue;
    return NotReplaced(folder, "it holds " + name + ", which is not part of the model");
  }
  return Status::OK();
}

}  // namespace

Status WriteModelFolder(const fs::path& folder, const ModelFiles& files) {
  std::error_code ignored;
  PT_TRY(CheckReplaceable(folder));
  // Publishing renames over `target`; without this, a symbolic link such as "model-latest" would be
  // replaced by a folder.
  const fs::path target = fs::is_symlink(folder, ignored) ? fs::canonical(folder) : folder;
  return WriteFolder(target, [&](const fs::path& draft) { return WriteFiles(draft, files); });
}

Result<ModelFiles> ReadModelFolder(const fs::path& folder) {
  PT_LET(const Manifest manifest, ReadManifest(folder));
  ModelFiles files{.version = manifest.version, .weights_sha256 = manifest.weights_sha256};
  for (const auto& [name, sha256] : manifest.files.items()) {
    PT_TRY(ReadListed(folder, name, sha256, files));
  }
  for (const char* name : {"pipeline.json", "stages.json", "schema.json"}) {
    if (!files.json.contains(name)) return Broken(folder / name, "is missing");
  }
  return files;
}

}  // namespace protium
