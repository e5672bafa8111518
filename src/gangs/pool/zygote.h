// SPDX-License-Identifier: Apache-2.0
// A zygote: a driver's own program that has loaded its libraries, LibTorch too if asked, and forks
// workers for the pool. It has one thread, has not touched CUDA, and holds no data.
//
// 1. A worker is forked before anybody has asked for it and waits for its driver's first message
//    (newborn.h), so it knows nothing of the program that the one before it has served.
// 2. The zygote is the parent: it reports how a worker ended (Subprocess), and reaps it when its
//    driver has read that. When a driver ends, however it does, its pipes close, and the zygote
//    kills its workers, stopped ones too.
// 3. When the pool ends, it goes on until its last worker has ended.
#pragma once

#include <functional>

#include "base/status.h"
#include "os/socket.h"

namespace protium {

inline constexpr char kZygoteVariable[] = "PROTIUM_ZYGOTE";

// Whether this process was started as a zygote, and whether it is to load LibTorch.
bool IsZygote();
bool ZygoteWantsTorch();

// Runs a zygote until its end and returns the exit code. `loaded` is how loading went. `work` runs
// a worker in a forked process, which ends with its exit code.
int ZygoteMain(const Status& loaded, const std::function<int(Channel)>& work);

}  // namespace protium
