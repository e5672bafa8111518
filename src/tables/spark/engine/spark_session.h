// SPDX-License-Identifier: Apache-2.0
// Opens the engine's session, with settings that make SQL mean the same as on the embedded engine,
// and ends what an earlier driver left running.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "connect/session.h"

namespace protium {

// Opens a session on a release whose worker protocol is supported (4.0 to 4.3; others are a Fault
// of exit kEnvironment), set up as plans and tasks need it. Writes its id to the file `note`
// (empty: none). If an earlier driver left its session's id there, releases that session first: it
// would hold its slots for minutes.
Result<std::unique_ptr<SparkSession>> OpenSession(const std::string& address,
                                                  const std::filesystem::path& note);

}  // namespace protium
