// SPDX-License-Identifier: Apache-2.0
// Pages from the system, for rows and what is stored beside each of them. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"

namespace protium {

// Private memory that grows in place or by moving pages, and whose pages can be returned one by
// one. Uses large pages if the system has them. Only the first kSmall bytes come from the heap and
// are copied when more are needed: a single row to score would wait for its pages longer than for
// the model.
class RowMemory {
 public:
  static constexpr int64_t kSmall = 64 << 10;

  RowMemory() = default;
  ~RowMemory();
  RowMemory(RowMemory&& other) noexcept;
  RowMemory& operator=(RowMemory&& other) noexcept;

  // Makes room for at least `bytes`; existing contents stay. kNoRoom if the system refuses.
  Status Reserve(int64_t bytes);
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  int64_t capacity() const { return capacity_; }
  // The first `count` values of T; there must be room for them.
  template <class T>
  std::span<T> As(int64_t count) const {
    return {reinterpret_cast<T*>(data_), size_t(count)};
  }

  // Returns the whole pages among bytes [begin, end) to the system; they read as zero from then on.
  // Returns where the last of them ends, which is where to continue later; `begin` if there is
  // none.
  int64_t Release(int64_t begin, int64_t end);

 private:
  bool mapped() const { return capacity_ > kSmall; }
  void Free();
  Status Map(int64_t bytes);

  std::byte* data_ = nullptr;
  int64_t capacity_ = 0;
};

}  // namespace protium
