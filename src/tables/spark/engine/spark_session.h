// SPDX-License-Identifier: Apache-2.0
// How the engine opens a session: settings that make SQL mean the same as on the embedded engine,
// and the end of what an earlier driver left running.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "connect/session.h"

namespace protium {

// A session of a release whose worker protocol is known here (4.0 to 4.3; others are a Fault of
// exit kEnvironment), set up as plans and tasks need it. Its id is written to the file `note`
// (empty: none). If an earlier driver left its session's id there, that session is released first:
// it would hold its slots for minutes.
Result<std::unique_ptr<SparkSession>> OpenSession(const std::string& address,
                                                  const std::filesystem::path& note);

}  // namespace protium
