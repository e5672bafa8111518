// SPDX-License-Identifier: Apache-2.0
#include "mirror/manifest.h"

#include <algorithm>

#include "base/digest.h"
#include "base/fault.h"

namespace protium {

namespace {

// Below its folder, whatever the parts are called.
bool IsInside(std::string_view path) {
  if (path.empty() || path.size() > 1000 || path.find('\\') != path.npos) return false;
  for (size_t at = 0; at <= path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, slash - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = slash + 1;
  }
  return std::ranges::all_of(path, [](unsigned char c) { return c >= ' ' && c != 0x7f; });
}

bool IsSound(const MirroredPart& part) {
  return IsInside(part.object) && part.bytes > 0 && part.sha256.size() == 64;
}

bool IsSound(const RunManifest& manifest) {
  return manifest.format == 1 && manifest.attempt > 0 &&
         std::ranges::all_of(manifest.files, [](const MirroredFile& file) {
           return IsInside(file.path) && file.path != "lock" &&
                  std::ranges::all_of(file.parts,
                                      [](const MirroredPart& part) { return IsSound(part); });
         });
}

}  // namespace

int64_t MirroredFile::bytes() const {
  int64_t sum = 0;
  for (const MirroredPart& part : parts) sum += part.bytes;
  return sum;
}

std::string MirroredFile::ContentId() const {
  if (parts.size() == 1) return parts.front().sha256;
  std::string all;
  for (const MirroredPart& part : parts) all += part.sha256;
  return Sha256Hex(all);
}

std::string ManifestText(const RunManifest& manifest) {
  return Dump(FieldsToJson(manifest)) + "\n";
}

Result<RunManifest> ReadManifest(std::string_view text, const std::string& where) {
  const Result<Json> json = ParseJson(text);
  RunManifest manifest;
  Status status = json.ok() ? FieldsFromJson(*json, "", manifest) : json.status();
  if (status.ok() && IsSound(manifest)) return manifest;
  return Fail({.exit = Exit::kInput,
               .what = "damaged manifest " + where,
               .why = status.ok() ? "" : FaultOf(status).what});
}

}  // namespace protium
