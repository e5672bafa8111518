// SPDX-License-Identifier: Apache-2.0
// How often a run is mirrored, and how long others wait for it.
#pragma once

#include <chrono>

namespace protium {

// While a run works, a manifest is written this often, even if nothing has changed.
inline constexpr std::chrono::seconds kMirrorEvery{3};
// Checkpoints are mirrored at once, but not more often than this.
inline constexpr std::chrono::seconds kMirrorPause{1};
// An attempt without a new manifest for so long counts as killed.
inline constexpr std::chrono::seconds kLifeSign{10};
// How long the end of a run waits for a store that does not answer.
inline constexpr std::chrono::seconds kEndPatience{30};

}  // namespace protium
