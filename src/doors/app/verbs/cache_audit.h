// SPDX-License-Identifier: Apache-2.0
// `protium cache verify --sample`: reads some of what is kept, at the least priority, and drops
// what is damaged. The pool runs it while nobody needs the machine.
#pragma once

#include "base/json.h"
#include "store/local_store.h"

namespace protium {

// Reads objects in random order, for about a minute and 50 MB/s, with the least priority that this
// process can have: {"checked", "bytes", "damaged": [{"object", "kind", "run", "when"}]}. Damaged
// ones are dropped; the last 20 of them are remembered in the store's folder.
Result<Json> AuditSome(LocalStore& store);

// What the last one has found, as "when" and the members above; null: there was none.
Json LastAudit(const std::filesystem::path& store);
// The same for people, as a line of `protium pool status`; empty if there is nothing to say.
std::string AuditText(const Json& audit);

}  // namespace protium
