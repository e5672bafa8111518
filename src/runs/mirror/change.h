// SPDX-License-Identifier: Apache-2.0
// Changes to runs on an object store that no job makes. Each is an attempt of its own
// (mirror/attempts.h), so that it never meets another command that writes the run: one of the two
// fails. A run that a job still writes is refused (CheckIsIdle).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "mirror/attempts.h"

namespace protium {

// Replaces one small file of the run, `path` in its folder, or adds it.
Status ReplaceFile(const ObjectPlace& run, const std::string& path, std::string_view text,
                   const std::function<void(const Attempt&)>& waits);

// Removes the run and its copy on this machine; returns how many bytes its files had. First it is
// no longer listed; last goes what says that there was one, so that a removal that ends in between
// can be done again by the run's address.
Result<int64_t> RemoveFromStore(const ObjectPlace& run,
                                const std::function<void(const Attempt&)>& waits);

}  // namespace protium
