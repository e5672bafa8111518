// SPDX-License-Identifier: Apache-2.0
// The pool of Spark's fair scheduler that a session's tasks belong to. Spark Connect has no call
// for pools, but Spark copies a session's settings to the properties of its jobs, and takes the
// pool from there.
#pragma once

#include <string>

#include "connect/session.h"

namespace protium {

// Puts all that the session runs from now on into `pool`. Returns why that has no effect on this
// server, with the fix; empty: it has. A name that is blank, longer than 100 characters or holds
// control characters is a Fault of exit kUsage.
Result<std::string> EnterPool(SparkSession& session, const std::string& pool, const Call& call);

}  // namespace protium
