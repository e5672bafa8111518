// SPDX-License-Identifier: Apache-2.0
// A body as it comes. It grows piece by piece: one text would be copied whenever it has to grow,
// which for a large body holds up the server's thread, and with it everybody.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

class HttpBody {
 public:
  size_t size() const { return size_; }

  void Append(std::string_view bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      if (pieces_.empty() || pieces_.back().size() == kPieceBytes) pieces_.emplace_back();
      std::string& last = pieces_.back();
      const size_t taken = std::min(bytes.size(), kPieceBytes - last.size());
      last.append(bytes.substr(0, taken));
      bytes.remove_prefix(taken);
    }
  }

  // The whole; nothing is left here.
  std::string Join() {
    std::string whole;
    whole.reserve(size_);
    for (std::string& each : pieces_) {
      whole += each;
      each = {};
    }
    pieces_.clear();
    size_ = 0;
    return whole;
  }

 private:
  static constexpr size_t kPieceBytes = 64 << 10;
  std::vector<std::string> pieces_;
  size_t size_ = 0;
};

}  // namespace protium
