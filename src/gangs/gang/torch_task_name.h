// SPDX-License-Identifier: Apache-2.0
// Which tasks need LibTorch can be told by their names, so that engines start and send it for these
// alone.
#pragma once

#include <string>
#include <string_view>

namespace protium {

// What the name of a task ends with that is done by LibTorch; without it, it is the same task, done
// without. Engines make names of tables from it.
inline constexpr std::string_view kWithTorch = "_torch";

// `task` as it is called where it `needs_torch`.
inline std::string TaskName(std::string_view task, bool needs_torch) {
  return std::string(task) + std::string(needs_torch ? kWithTorch : "");
}

// Whether it is one of the tasks of LibTorch's library.
inline bool IsTorchTask(std::string_view task) {
  return task == TaskName("train", true) || task == TaskName("score", true);
}

}  // namespace protium
