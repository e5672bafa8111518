// SPDX-License-Identifier: Apache-2.0
// What an object is, as manifest.json in its folder says. The file may be anyone's: it is read up
// to a limit, and every name and number in it is checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "protium/fields.h"

namespace protium {

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr int64_t kMaxManifestBytes = 16 << 20;

// A file of an object.
struct StoredPart {
  std::string name;
  int64_t bytes = 0;
  std::vector<std::string> blocks;  // HashBlocks().
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("bytes", bytes);
    visit("blocks", blocks);
  }
};

// A file that an object was made from.
struct StoredInput {
  std::string path;
  std::string hash;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("path", path);
    visit("hash", hash);
  }
};

struct Manifest {
  int64_t format = 2;
  std::string kind;     // "table"
  std::string cause;    // The object's name: the SHA-256 of Dump(causes), CauseName().
  std::string content;  // Equal for objects with equal contents, whatever made them; may be empty.
  int64_t bytes = 0;    // Of all parts.
  double seconds = 0;   // That it took to make it.
  int64_t made = 0;     // Seconds since 1970.
  std::string run;      // Who made it.
  std::string boot;     // The boot of the machine in which it was written.
  bool synced = false;  // Whether it was flushed to the disk before it appeared.
  Json causes = Json::object();  // Everything that decides its contents.
  Json facts = Json::object();   // What its readers want to know.
  std::vector<StoredInput> inputs;
  std::vector<StoredPart> parts;
  std::string seal;  // WriteManifest() sets it, and ParseManifest() checks it.

  template <class Visit>
  void Fields(Visit& visit) {
    visit("format", format);
    visit("kind", kind);
    visit("cause", cause);
    visit("content", content);
    visit("bytes", bytes);
    visit("seconds", seconds);
    visit("made", made);
    visit("run", run);
    visit("boot", boot);
    visit("synced", synced);
    visit("causes", causes);
    visit("facts", facts);
    visit("inputs", inputs);
    visit("parts", parts);
    visit("seal", seal);
  }
};

// The name of an object of `kind` that `causes` decide: 64 lower-case digits.
std::string CauseName(const std::string& kind, const Json& causes);

// Whether `text` consists of `digits` lower-case hexadecimal digits.
bool IsHexName(std::string_view text, size_t digits);

// Whether a part may have this name: at most 100 of a-z, 0-9, '.', '_' and '-', the first of them
// no dot, and not the manifest's.
bool IsPartName(std::string_view name);

// The text of an open manifest. Refuses (kInput) one that is too long.
Result<std::string> ReadManifestText(int fd);

// Reads a manifest; anything that does not fit is a fault of kInput. `cause` is the name of the
// folder that it lies in.
Result<Manifest> ParseManifest(std::string_view text, const std::string& cause);
std::string WriteManifest(const Manifest& manifest);

}  // namespace protium
