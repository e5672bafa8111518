// SPDX-License-Identifier: Apache-2.0
// What people say about a run afterwards: names to find it by, and a note. Stored in labels.json in
// its folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/fields.h"

namespace protium {

inline constexpr const char* kLabelsFile = "labels.json";

struct RunLabels {
  std::vector<std::string> tags;
  std::string note;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("tags", tags);
    visit("note", note);
  }
};

// Returns no labels for a run without the file, or with a damaged one: labels must not prevent
// reading a run.
RunLabels ReadLabels(const std::filesystem::path& folder);

// The contents of the file.
std::string LabelsText(const RunLabels& labels);
// Replaces the file.
Status WriteLabels(const std::filesystem::path& folder, const RunLabels& labels);

// Refuses (Exit::kUsage) a note of more than 1,000 bytes.
Status CheckNote(const std::string& note);

// Refuses (Exit::kUsage) anything but a valid tag: letters, digits, "_", "-" and ".", at most 64
// characters, and not "last".
Status CheckTag(const std::string& tag);

}  // namespace protium
