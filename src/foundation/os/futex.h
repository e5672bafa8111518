// SPDX-License-Identifier: Apache-2.0
// Sleeps on a word of memory, which processes may share: futex(2) without the private flag.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/call.h"

namespace protium {

// Sleeps while `word` holds `seen`. True when woken, when the word differs, or spuriously: check
// the word again. False when the deadline comes first.
bool FutexWait(const std::atomic<uint32_t>& word, uint32_t seen, Deadline deadline);

// Wakes up to `waiters` sleepers on the word.
void FutexWake(std::atomic<uint32_t>& word, int32_t waiters = INT32_MAX);

}  // namespace protium
