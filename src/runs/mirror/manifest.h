// SPDX-License-Identifier: Apache-2.0
// The list of all objects of a run on an object store, with sizes and hashes. It is written after
// them, so what it names is there; what it does not name does not count.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "protium/fields.h"

namespace protium {

// `object` is a name below the run's place.
struct MirroredPart {
  std::string object;
  int64_t bytes = 0;
  std::string sha256;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("object", object);
    visit("bytes", bytes);
    visit("sha256", sha256);
  }
};

// A file of the run folder; its contents are those of its parts, one after the other. `path` is
// relative to the folder.
struct MirroredFile {
  std::string path;
  std::vector<MirroredPart> parts;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("path", path);
    visit("parts", parts);
  }

  int64_t bytes() const;
  // Equal for equal contents in equal parts.
  std::string ContentId() const;
};

struct RunManifest {
  int32_t format = 1;
  int64_t attempt = 0;
  std::string token;     // Of the attempt.
  int64_t sequence = 0;  // Grows with each manifest of an attempt, which is its sign of life.
  std::string time;      // TimeText() of the writer's clock; shown, never compared.
  bool ended = false;    // The attempt writes no more.
  std::vector<MirroredFile> files;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("format", format);
    visit("attempt", attempt);
    visit("token", token);
    visit("sequence", sequence);
    visit("time", time);
    visit("ended", ended);
    visit("files", files);
  }
};

std::string ManifestText(const RunManifest& manifest);

// Refuses (Exit::kInput) text that is not a manifest of this format, and one that names paths or
// objects outside the run. `where` is for the message.
Result<RunManifest> ReadManifest(std::string_view text, const std::string& where);

}  // namespace protium
