// SPDX-License-Identifier: Apache-2.0
// Tables that are kept under a name and outlive their session: other sessions, jobs and notebooks
// of the user find them on this machine (docs/kept.md). Implemented by the room frame.
#pragma once

#include <string>

#include "protium/frame.h"
#include "protium/status.h"

namespace protium {

class Session;

// Runs the plan and keeps its rows, as they are at this moment, in the session's store; `name`
// stands for them from then on, in place of what it stood for. What changes in their inputs
// afterwards does not change them. Returns the kept table. A name consists of letters, digits, '.',
// '_' and '-'.
//
// Fails with kUsage without a store (PROTIUM_STORE=off) and on Spark, with kInput if an input has
// changed while it was read, and if another session has kept something else under the name since
// this call began; then the name stands for what it stood for.
Result<DataFrame> Keep(const DataFrame& frame, const std::string& name);

// The table that is kept under the name when this is called, as session.Read().File("kept:NAME")
// returns it. It stays for the session, whatever is kept under the name later. An unknown name is
// reported by the first action on it.
DataFrame Kept(Session& session, const std::string& name);

}  // namespace protium
