// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "spark/connect/session.h"

namespace protium {

// A session of a release that workers speak to (4.0 to 4.3), set up as plans and tasks need it.
// While it lasts its id stands in the file `note` (empty: nowhere). What still runs in a session
// that an earlier driver left a note of is interrupted first: it would hold its slots for minutes.
Result<std::unique_ptr<SparkSession>> OpenSession(const std::string& address,
                                                  const std::filesystem::path& note);

}  // namespace protium
