// SPDX-License-Identifier: Apache-2.0
// What one process has sent: its files, each as a sequence of objects. An object is written once
// and never changed, the index after all that it names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

struct TransitPiece {
  std::string object;  // Its name.
  int64_t bytes = 0;
  bool operator==(const TransitPiece&) const = default;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("object", object);
    visit("bytes", bytes);
  }
};

struct TransitFile {
  std::string path;    // Relative to the folder.
  bool grows = false;  // Bytes are only added at its end.
  std::vector<TransitPiece> pieces;
  int64_t bytes() const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("path", path);
    visit("grows", grows);
    visit("pieces", pieces);
  }
};

// In the order in which the files were written.
struct TransitIndex {
  std::vector<TransitFile> files;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("files", files);
  }
};

inline constexpr int64_t kMostIndexBytes = 16 << 20;

std::string IndexText(const TransitIndex& index);
// Refuses (kRemote) what IndexText() does not write, and paths that leave the folder.
Result<TransitIndex> ReadIndex(std::string_view text);

}  // namespace protium
