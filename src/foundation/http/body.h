// SPDX-License-Identifier: Apache-2.0
// The body of a request as it arrives. It grows in pieces: a single string would be copied whenever
// it grows, which for a large body stalls the server's thread and with it all connections.
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

  // Returns the whole body and leaves nothing here.
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
