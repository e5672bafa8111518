// SPDX-License-Identifier: Apache-2.0
#include "store/manifest.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/digest.h"
#include "os/fd.h"
#include "store/blocks.h"

namespace protium {
namespace {

constexpr size_t kMaxPartName = 100;
constexpr size_t kHashDigits = 32;

Status Unfit(std::string why) {
  return Fail({.exit = Exit::kInput,
               .what = "the manifest of a kept object does not fit",
               .why = std::move(why)});
}

Status CheckPart(const StoredPart& part) {
  if (!IsPartName(part.name)) return Unfit("a part has the name \"" + part.name + "\"");
  if (part.bytes < 0 || part.bytes > INT64_MAX / 2) return Unfit("a part's size is out of range");
  const int64_t blocks = (part.bytes + kBlockBytes - 1) / kBlockBytes;
  if (int64_t(part.blocks.size()) != blocks) return Unfit("checksums of " + part.name + " lack");
  const bool hex = std::ranges::all_of(
      part.blocks, [](const std::string& each) { return IsHexName(each, kHashDigits); });
  return hex ? Status::OK() : Unfit("a checksum of " + part.name + " is none");
}

// Over everything else in a manifest: what it says of an object decides results, too. It is the
// last member, so what stands before it in the text is the rest.
std::string SealOf(const std::string& rest) { return Sha256Hex(rest).substr(0, kHashDigits); }

constexpr std::string_view kSealBegin = ",\"seal\":\"";
constexpr std::string_view kSealEnd = "\"}\n";

// Whether the text is one that WriteManifest() has written, byte for byte.
bool IsSealed(std::string_view text) {
  const size_t length = kSealBegin.size() + kHashDigits + kSealEnd.size();
  if (text.size() < length) return false;
  const std::string_view seal = text.substr(text.size() - length);
  if (!seal.starts_with(kSealBegin) || !seal.ends_with(kSealEnd)) return false;
  const std::string rest = std::string(text.substr(0, text.size() - length)) + "}";
  return seal.substr(kSealBegin.size(), kHashDigits) == SealOf(rest);
}

}  // namespace

std::string CauseName(const std::string& kind, const Json& causes) {
  return Sha256Hex(kind + "\n" + Dump(causes));
}

bool IsHexName(std::string_view text, size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool IsPartName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxPartName && name.front() != '.' &&
         name != kManifestName &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") ==
             std::string_view::npos;
}

// Most manifests are short: then one call says that there is no more.
Result<std::string> ReadManifestText(int fd) {
  constexpr size_t kShort = 16 << 10;
  std::string text(kShort, '\0');
  ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  if (got == ssize_t(kShort)) {
    struct stat about {};
    if (::fstat(fd, &about) != 0) return SystemFault("inspect a manifest", errno);
    if (about.st_size > kMaxManifestBytes) {
      return Fail({.exit = Exit::kInput,
                   .what = "a kept object is damaged",
                   .why = "its manifest is too long"});
    }
    text.resize(size_t(about.st_size));
    got = ::pread(fd, text.data(), text.size(), 0);
  }
  if (got < 0) return SystemFault("read a manifest", errno);
  text.resize(size_t(got));
  return text;
}

Result<Manifest> ParseManifest(std::string_view text, const std::string& cause) {
  if (int64_t(text.size()) > kMaxManifestBytes) return Unfit("it is too long");
  const auto json = ParseJson(text);
  if (!json.ok()) return Unfit("it is no JSON");
  Manifest manifest;
  const Status read = FieldsFromJson(*json, "manifest", manifest);
  if (!read.ok()) return Unfit(FaultOf(read).what);
  if (manifest.format != Manifest().format) return Unfit("it has another format");
  if (!IsSealed(text)) return Unfit("it was changed");
  if (manifest.cause != cause) return Unfit("it belongs to another object");
  if (CauseName(manifest.kind, manifest.causes) != cause) return Unfit("its causes are others");
  if (!(manifest.seconds >= 0)) return Unfit("its seconds are negative");
  int64_t bytes = 0;
  std::set<std::string> names;
  for (const StoredPart& each : manifest.parts) {
    PT_TRY(CheckPart(each));
    if (!names.insert(each.name).second) return Unfit("two parts are " + each.name);
    if (each.bytes > INT64_MAX / 2 - bytes) return Unfit("its size is out of range");
    bytes += each.bytes;
  }
  if (bytes != manifest.bytes) return Unfit("its size is not that of its parts");
  return manifest;
}

std::string WriteManifest(const Manifest& manifest) {
  Json json = FieldsToJson(manifest);
  json.erase("seal");
  json["seal"] = SealOf(Dump(json));
  return Dump(json) + "\n";
}

}  // namespace protium
